//! The log on standard error.

use std::env;
use std::io::{IsTerminal, stderr};

use anyhow::{Context, anyhow};
use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// What is logged when `RUST_LOG` does not say. What clients send wrong must not fill the log, and
/// h2 warns of it.
const DEFAULT_FILTER: &str = "info,h2=error,hyper=error";

/// Starts the log of the whole process: what `RUST_LOG` asks for. A span is one line, written when
/// it closes. Lines are lost when standard error does not take them, and nothing waits for it.
///
/// What is not yet written is written when the guard is dropped.
///
/// # Errors
///
/// When `RUST_LOG` cannot be read, or a log was started before.
pub fn start(json: bool) -> anyhow::Result<WorkerGuard> {
    let filter = match env::var("RUST_LOG") {
        Ok(filter) if !filter.is_empty() => EnvFilter::try_new(filter).ok(),
        Err(env::VarError::NotUnicode(_)) => None,
        _ => Some(EnvFilter::new(DEFAULT_FILTER)),
    };
    let filter = filter
        .context("invalid RUST_LOG: write a list like info or warn,sudoku_validator=debug")?;
    let no_color = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let (writer, guard) = NonBlocking::new(stderr());
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(stderr().is_terminal() && !no_color)
        .with_writer(writer);
    let started = if json { log.json().try_init() } else { log.try_init() };
    started.map_err(|error| anyhow!(error))?;
    Ok(guard)
}
