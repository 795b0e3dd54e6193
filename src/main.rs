//! The server: configuration, log, listeners, calls, exit status.

use std::process::ExitCode;

use anyhow::Context;
use sudoku_validator::config::{Config, LogFormat};
use sudoku_validator::server::{self, Listener};
use sudoku_validator::{shutdown, telemetry};
use tracing::info;

/// The exit status of a process that was given a bad flag or environment variable.
const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    let config = match configure() {
        Ok(config) => config,
        Err(error) => return fail(&error, BAD_USAGE),
    };
    match run(&config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error, 1),
    }
}

fn configure() -> anyhow::Result<Config> {
    let config = Config::from_args()?;
    telemetry::start(config.log_format == LogFormat::Json)?;
    Ok(config)
}

#[tokio::main(flavor = "current_thread")]
async fn run(config: &Config) -> anyhow::Result<()> {
    let stop = shutdown::on_signal().context("cannot listen for signals")?;
    let mut listeners = Vec::new();
    for address in &config.listen {
        listeners.push(Listener::bind(address).await?);
    }
    let addresses: Vec<_> = listeners.iter().map(Listener::address).collect::<Result<_, _>>()?;
    let threads = config.threads()?;
    let limits = &config.limits;
    info!(
        listen = addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        threads,
        max_boards_per_message = limits.boards_per_message_max,
        max_message_bytes = limits.message_bytes_max,
        max_concurrent_streams = limits.concurrent_streams_max,
        shutdown_grace = ?config.shutdown_grace,
        "ready",
    );
    let dropped = server::serve(listeners, threads, limits, config.shutdown_grace, stop).await?;
    info!(connections_dropped = dropped, "stopped");
    Ok(())
}

#[expect(clippy::print_stderr, reason = "the log may not have been started")]
fn fail(error: &anyhow::Error, status: u8) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::from(status)
}
