//! The log on standard error.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, mem, panic};

use anyhow::{Context, anyhow};
use tracing::error;
use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// What is logged when `RUST_LOG` does not say. What clients send wrong must not fill the log, and
/// h2 warns of it.
const DEFAULT_FILTER: &str = "info,h2=error,hyper=error";

/// How often the same thing gets a line, at the most.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Starts the log of the whole process, panics included: what `RUST_LOG` asks for. A span is one
/// line, written when it closes. Lines are lost when standard error does not take them, and nothing
/// waits for it.
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
    log_panics();
    Ok(guard)
}

/// Keeps what others can cause at will from filling up the log: it gets a line in ten seconds.
#[derive(Debug, Default)]
pub(crate) struct Throttle(Mutex<Unlogged>);

#[derive(Debug, Default)]
struct Unlogged {
    count: u64,
    last_line: Option<Instant>,
}

impl Throttle {
    /// Counts one more. When it is time for a line, gives the number since the last.
    pub(crate) fn count(&self) -> Option<u64> {
        let mut unlogged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        unlogged.count += 1;
        if unlogged.last_line.is_some_and(|line| line.elapsed() < LINE_EVERY) {
            return None;
        }
        unlogged.last_line = Some(Instant::now());
        Some(mem::take(&mut unlogged.count))
    }
}

/// Has panics logged like everything else. They end no more than the call or the connection that
/// they happen in.
fn log_panics() {
    panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let message = payload.downcast_ref::<&str>().copied();
        let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message = message.unwrap_or("no message");
        let location = panic.location().map(ToString::to_string).unwrap_or_default();
        error!(location, "panicked: {message}");
    }));
}
