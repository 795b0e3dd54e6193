//! Checks files of puzzles: `cargo run --release --example check -- puzzles.txt`.
//!
//! `--help` tells the form of a line and the exit status.

#![allow(unreachable_pub, reason = "nothing of a program is reachable")]

mod input;
mod progress;
mod report;
mod run;

use std::io::{Error, ErrorKind, Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use sudoku_validator::config::Listen;

const HELP: &str = "\
Empty lines and comments after # are passed over, and so is what follows 81 cells after a blank or \
one of , ; | and \"

Exit status: 0 when all boards are valid, 1 when some are not, 2 when it could not run.";

/// Checks files of puzzles, one board of 81 cells a line, through a server.
#[derive(Debug, Parser)]
#[command(after_help = HELP)]
struct Args {
    /// Files to check; `-`, or none, is standard input.
    files: Vec<PathBuf>,

    /// Asks this server, HOST:PORT or unix:PATH, instead of one started inside.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "library")]
    server: Option<Listen>,

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
            // Who closes the output, like `head`, has read enough.
            if error.downcast_ref().is_none_or(|e: &Error| e.kind() != ErrorKind::BrokenPipe) {
                let _ = writeln!(stderr(), "error: {error:#}");
            }
            ExitCode::from(2)
        }
    }
}
