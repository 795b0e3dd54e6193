//! The service as a tutorial of tonic has it: generated types, defaults, one task of a runtime of many
//! threads for each connection, and a check with a bit for each digit. The baseline of `benches/load`.
//!
//! `Validate` does not even look at the board: no server on tonic's defaults can be cheaper. It takes
//! well-formed boards alone.

#![allow(clippy::print_stdout, reason = "it prints its address")]

use sudoku_validator::rpc::pb::{FILE_DESCRIPTOR_SET, sudoku as pb};
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

fn outcome(board: &pb::Board) -> pb::Outcome {
    let conflicts = if is_valid(&board.cells) { Vec::new() } else { conflicts(&board.cells) };
    let verdict = pb::Verdict { valid: Some(conflicts.is_empty()), conflicts };
    pb::Outcome { outcome: Some(Outcome::Verdict(verdict)) }
}

/// The rows, columns and boxes, with the places of their cells.
fn units() -> Vec<(pb::Unit, u32, Vec<u32>)> {
    let row = |row| (pb::Unit::Row, row, (0..9).map(|at| 9 * row + at).collect());
    let column = |column| (pb::Unit::Column, column, (0..9).map(|at| 9 * at + column).collect());
    let square = |index: u32| {
        let place = |at: u32| 9 * (index / 3 * 3 + at / 3) + index % 3 * 3 + at % 3;
        (pb::Unit::Box, index, (0..9).map(place).collect())
    };
    (0..9).map(row).chain((0..9).map(column)).chain((0..9).map(square)).collect()
}

fn is_valid(cells: &str) -> bool {
    let mut seen = [0_u16; 27];
    cells.bytes().enumerate().all(|(place, cell)| {
        let (row, column) = (place / 9, place % 9);
        match cell {
            b'1'..=b'9' => [row, 9 + column, 18 + row / 3 * 3 + column / 3].iter().all(|unit| {
                let bit = 1 << (cell - b'0');
                let is_new = seen[*unit] & bit == 0;
                seen[*unit] |= bit;
                is_new
            }),
            _ => true,
        }
    })
}

fn conflicts(cells: &str) -> Vec<pb::Conflict> {
    let mut conflicts = Vec::new();
    for (unit, index, places) in units() {
        for digit in 1..=9 {
            let holds = |place: &&u32| u32::from(cells.as_bytes()[**place as usize]) == 48 + digit;
            let cell = |place: &u32| pb::Cell { row: Some(place / 9), column: Some(place % 9) };
            let cells: Vec<_> = places.iter().filter(holds).map(cell).collect();
            if cells.len() > 1 {
                let (unit, index) = (unit.into(), Some(index));
                conflicts.push(pb::Conflict { unit, index, digit, cells });
            }
        }
    }
    conflicts
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    // By which ghz learns the messages.
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
        .build_v1alpha()?;
    let mut server = Server::builder();
    let server = server.add_service(SudokuServiceServer::new(Plain)).add_service(reflection);
    Ok(server.serve_with_incoming(TcpListenerStream::new(listener)).await?)
}
