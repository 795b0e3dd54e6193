//! The server: configuration, log, listeners, calls, exit status.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use sudoku_validator::config::{Config, LogFormat};
use sudoku_validator::server::{Listener, Server};
use sudoku_validator::shutdown::signals;
use sudoku_validator::telemetry;
use tokio::runtime::Builder;
use tracing::{info, warn};

/// The exit status of a process that was given a bad flag or environment variable.
const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    let started = Config::from_args().and_then(|config| {
        let log = telemetry::start(config.log_format == LogFormat::Json)?;
        Ok((config, log))
    });
    match started {
        Ok((config, _log)) => run(&config).unwrap_or_else(|error| fail(&error, 1)),
        Err(error) => fail(&error, BAD_USAGE),
    }
}

fn run(config: &Config) -> anyhow::Result<ExitCode> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start the runtime")?;
    let ended = runtime.block_on(serve(config));
    // After a second signal, nothing is waited for.
    runtime.shutdown_background();
    ended
}

async fn serve(config: &Config) -> anyhow::Result<ExitCode> {
    let stop = signals(1).context("cannot listen for signals")?;
    let stop_at_once = signals(2).context("cannot listen for signals")?;
    let mut listeners = Vec::new();
    for address in &config.listen {
        listeners.push(Listener::bind(address).await?);
    }
    let addresses: Vec<_> = listeners.iter().map(Listener::address).collect::<Result<_, _>>()?;
    let Config { limits, shutdown_grace, .. } = config;
    let threads = config.threads()?;
    let server = Server::start(listeners, threads, limits, *shutdown_grace)?;
    info!(
        listen = addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        threads,
        max_boards_per_message = limits.boards_per_message_max,
        max_message_bytes = limits.message_bytes_max,
        max_concurrent_streams = limits.concurrent_streams_max,
        ?shutdown_grace,
        "ready",
    );
    let stop = async {
        let signal = stop.await;
        info!(%signal, "stopping; a second signal ends at once");
    };
    tokio::select! {
        dropped = server.run(stop) => {
            info!(connections_dropped = dropped?, "stopped");
            Ok(ExitCode::SUCCESS)
        }
        signal = stop_at_once => {
            warn!(%signal, "ended at once");
            Ok(ExitCode::from(signal.exit_status()))
        }
    }
}

/// Says on standard error why the process ends, if that takes it.
fn fail(error: &anyhow::Error, status: u8) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: {error:#}");
    ExitCode::from(status)
}
