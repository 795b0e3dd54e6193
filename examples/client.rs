//! A client in Rust, to be copied: `cargo run --example client -- ADDRESS [FILE]`.
//!
//! It checks health, validates one board and a malformed one, and streams a file of boards.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "it prints, and it backs off")]

use std::time::Duration;

use anyhow::{Context, ensure};
use sudoku_validator::rpc::pb::health as health_pb;
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio_stream::StreamExt;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use health_pb::health_check_response::ServingStatus;
use health_pb::health_client::HealthClient;
use pb::outcome::Outcome;
use pb::sudoku_service_client::SudokuServiceClient;

const CONFLICTING: &str =
    "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const BOARDS_PER_MESSAGE: usize = 1_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let address = args.next().context("usage: client ADDRESS [FILE]")?;
    let channel = connect(&address).await?;
    check_health(channel.clone()).await?;
    let mut client = SudokuServiceClient::new(channel);
    show_conflicts(&mut client).await?;
    show_fault(&mut client).await?;
    if let Some(path) = args.next() {
        stream_file(&mut client, &path).await?;
    }
    Ok(())
}

async fn connect(address: &str) -> anyhow::Result<Channel> {
    let endpoint = Endpoint::from_shared(format!("http://{address}"))?
        .connect_timeout(Duration::from_secs(5))
        // h2 ends a connection on which small answers pile up unread, unless the window of the
        // connection is far larger than those of its streams.
        .initial_stream_window_size(65_535)
        .initial_connection_window_size(16 * 1024 * 1024);
    Ok(endpoint.connect().await?)
}

async fn check_health(channel: Channel) -> anyhow::Result<()> {
    let service = "sudoku.v1.SudokuService".to_owned();
    let request = health_pb::HealthCheckRequest { service };
    let state = HealthClient::new(channel).check(request).await?.into_inner().status();
    ensure!(state == ServingStatus::Serving, "the server is {}", state.as_str_name());
    Ok(())
}

/// Validates one board. tonic has no retries by service config, and every call is safe to repeat.
async fn validate(
    client: &mut SudokuServiceClient<Channel>,
    cells: &str,
) -> Result<pb::Verdict, Status> {
    let mut pause = Duration::from_millis(100);
    let mut attempt = 1;
    loop {
        let board = Some(pb::Board { cells: cells.to_owned() });
        let mut request = Request::new(pb::ValidateRequest { board });
        request.set_timeout(Duration::from_secs(1));
        match client.validate(request).await {
            Err(status) if status.code() == Code::Unavailable && attempt < 4 => {
                tokio::time::sleep(pause).await;
                pause *= 2;
                attempt += 1;
            }
            answer => return Ok(answer?.into_inner().verdict.unwrap_or_default()),
        }
    }
}

async fn show_conflicts(client: &mut SudokuServiceClient<Channel>) -> anyhow::Result<()> {
    for conflict in validate(client, CONFLICTING).await?.conflicts {
        let unit = conflict.unit().as_str_name().trim_start_matches("UNIT_").to_lowercase();
        let cells: Vec<_> = conflict
            .cells
            .iter()
            .map(|cell| format!("({}, {})", cell.row(), cell.column()))
            .collect();
        println!(
            "{unit} {} has digit {} at {}",
            conflict.index(),
            conflict.digit,
            cells.join(", ")
        );
    }
    Ok(())
}

async fn show_fault(client: &mut SudokuServiceClient<Channel>) -> anyhow::Result<()> {
    let status =
        validate(client, "53--7----").await.err().context("a malformed board was taken")?;
    let details = status.get_error_details();
    for violation in details.bad_request().into_iter().flat_map(|bad| &bad.field_violations) {
        println!("{}: {}", violation.field, violation.description);
    }
    let info = details.error_info().context("no ErrorInfo")?;
    // A wrong shape may have no row, and has no column.
    let place = |key| info.metadata.get(key).map_or("none", String::as_str);
    println!("{} at row {}, column {}", info.reason, place("row"), place("column"));
    Ok(())
}

/// Streams a file of one board a line. Requests are pulled and answers read at the same time, so
/// that neither side waits for the other with its window full.
async fn stream_file(client: &mut SudokuServiceClient<Channel>, path: &str) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let messages: Vec<pb::ValidateManyRequest> = lines
        .chunks(BOARDS_PER_MESSAGE)
        .map(|lines| lines.iter().map(|cells| pb::Board { cells: cells.clone() }).collect())
        .map(|boards| pb::ValidateManyRequest { boards })
        .collect();
    let (mut valid, mut invalid, mut malformed) = (0, 0, 0);
    let mut answers = client.validate_many(tokio_stream::iter(messages)).await?.into_inner();
    while let Some(answer) = answers.next().await {
        for outcome in answer?.outcomes {
            match outcome.outcome {
                Some(Outcome::Verdict(verdict)) if verdict.valid() => valid += 1,
                Some(Outcome::Verdict(_)) => invalid += 1,
                _ => malformed += 1,
            }
        }
    }
    println!("{} boards, {valid} valid, {invalid} invalid, {malformed} malformed", lines.len());
    Ok(())
}
