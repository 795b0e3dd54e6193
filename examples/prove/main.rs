//! Proves the contract with the client in Rust, as the other clients do in their languages:
//! `cargo run --release --example prove -- conformance ADDRESS FILE...`, `small-messages ADDRESS`,
//! `restart ADDRESS SECONDS` or `speed ADDRESS`.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "it prints, and it waits")]
#![allow(unreachable_pub, reason = "nothing of a program is reachable")]

mod answers;
mod conformance;
mod restart;
mod small_messages;
mod speed;
mod unary;

use std::process::ExitCode;

use answers::{expected, request};
use anyhow::{Context, bail};
use sudoku_validator::rpc::pb::sudoku as pb;
use tonic::transport::{Channel, Endpoint};

use pb::sudoku_service_client::SudokuServiceClient;

const CLASSIC: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const CONFLICTING: &str =
    "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// How many answers were right, and how many were not.
#[derive(Clone, Copy, Default)]
struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    fn count(&mut self, passed: bool) {
        *(if passed { &mut self.passed } else { &mut self.failed }) += 1;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Tally { passed, failed } = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["conformance", address, ref files @ ..] if !files.is_empty() => {
            conformance::run(address, files).await?
        }
        ["small-messages", address] => small_messages::run(address).await?,
        ["restart", address, seconds] => {
            restart::run(address, seconds.parse().context("SECONDS is no number")?).await?
        }
        ["speed", address] => speed::run(address).await?,
        _ => bail!("usage: prove conformance|small-messages|restart|speed ADDRESS ..."),
    };
    println!("{passed} passed, {failed} failed");
    Ok(if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A connection of its own, which connects at its first call, and again after it was lost.
fn client(address: &str) -> anyhow::Result<SudokuServiceClient<Channel>> {
    let endpoint = Endpoint::from_shared(format!("http://{address}"))?
        .initial_stream_window_size(65_535)
        .initial_connection_window_size(16 * 1024 * 1024);
    Ok(SudokuServiceClient::new(endpoint.connect_lazy()))
}
