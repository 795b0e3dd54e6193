//! Checks files of puzzles: `cargo run --release --example check -- puzzles.txt`.
//!
//! One board of 81 cells a line; text after it, and comments after `#`, are passed over. Exit
//! status: 0 when all boards are valid, 1 when some are not, 2 when it could not run.

#![allow(unreachable_pub, reason = "nothing of a program is reachable")]

mod input;
mod progress;
mod report;
mod run;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Checks files of puzzles, one board of 81 cells a line, through a server.
#[derive(Debug, Parser)]
struct Args {
    /// Files to check; `-`, or none, is standard input.
    files: Vec<PathBuf>,

    /// Asks this server, HOST:PORT, instead of one started inside.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "library")]
    server: Option<String>,

    /// Asks no server but the library, to compare the speed.
    #[arg(long)]
    library: bool,

    /// Draws each invalid board with its conflicts.
    #[arg(long)]
    show: bool,
}

fn main() -> ExitCode {
    match run::run(&Args::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}
