//! The service as a tutorial of tonic has it: generated types, defaults, one task of a runtime of many
//! threads for each connection, and a check with a bit for each digit. The baseline of `benches/load`.
//!
//! `Validate` does not even look at the board: no server on tonic's defaults can be cheaper.

#![allow(clippy::print_stdout, reason = "it prints its address")]

use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::net::TcpListener;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::codegen::BoxStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

use pb::outcome::Outcome;
use pb::sudoku_service_server::{SudokuService, SudokuServiceServer};

struct Plain;

#[tonic::async_trait]
impl SudokuService for Plain {
    async fn validate(
        &self,
        _: Request<pb::ValidateRequest>,
    ) -> Result<Response<pb::ValidateResponse>, Status> {
        let verdict = pb::Verdict { valid: Some(true), conflicts: Vec::new() };
        Ok(Response::new(pb::ValidateResponse { verdict: Some(verdict) }))
    }

    type ValidateManyStream = BoxStream<pb::ValidateManyResponse>;

    async fn validate_many(
        &self,
        requests: Request<Streaming<pb::ValidateManyRequest>>,
    ) -> Result<Response<Self::ValidateManyStream>, Status> {
        let responses = requests.into_inner().map(|request| {
            let outcomes = request?.boards.iter().map(outcome).collect();
            Ok(pb::ValidateManyResponse { outcomes })
        });
        Ok(Response::new(Box::pin(responses)))
    }
}

/// No conflicts are told, which costs this server less than it would.
fn outcome(board: &pb::Board) -> pb::Outcome {
    let verdict = pb::Verdict { valid: Some(is_valid(&board.cells)), conflicts: Vec::new() };
    pb::Outcome { outcome: Some(Outcome::Verdict(verdict)) }
}

fn is_valid(cells: &str) -> bool {
    let mut seen = [0_u16; 27];
    cells.len() == 81
        && cells.bytes().enumerate().all(|(place, cell)| {
            let (row, column) = (place / 9, place % 9);
            match cell {
                b'.' | b'0' => true,
                b'1'..=b'9' => {
                    [row, 9 + column, 18 + row / 3 * 3 + column / 3].iter().all(|unit| {
                        let bit = 1 << (cell - b'0');
                        let is_new = seen[*unit] & bit == 0;
                        seen[*unit] |= bit;
                        is_new
                    })
                }
                _ => false,
            }
        })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let server = Server::builder().add_service(SudokuServiceServer::new(Plain));
    Ok(server.serve_with_incoming(TcpListenerStream::new(listener)).await?)
}
