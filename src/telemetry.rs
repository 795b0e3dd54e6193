//! The log on standard error.

use std::io::{IsTerminal, stderr};

use anyhow::Context;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// Starts the log of the whole process: what `RUST_LOG` asks for, `info` when it is unset. A span
/// is one line, written when it closes.
///
/// # Errors
///
/// When `RUST_LOG` cannot be read, or a log was started before.
pub fn start(json: bool) -> anyhow::Result<()> {
    let filter = EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .from_env()
        .ok()
        .context("invalid RUST_LOG: write a list like info or warn,sudoku_validator=debug")?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(stderr().is_terminal())
        .with_writer(stderr);
    if json { log.json().try_init() } else { log.try_init() }.map_err(anyhow::Error::from_boxed)
}
