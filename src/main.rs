//! The server: configuration, log, listeners, calls, exit status.

use std::convert::Infallible;
use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use mimalloc::MiMalloc;
use sudoku_validator::config::{Config, Limits, Listen, LogFormat};
use sudoku_validator::server::{Admin, Listener, Server, Tls, memory_bytes_max, raise_open_files};
use sudoku_validator::shutdown::{reread_signals, signals};
use sudoku_validator::telemetry::Telemetry;
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;
use tracing::{info, warn};

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The exit status of a process that was given a bad flag, environment variable or TLS file.
const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    let started = Config::from_args().and_then(|config| {
        let telemetry = Telemetry::start(config.log_format == LogFormat::Json)?;
        let tls = config.tls.clone().map(Tls::load).transpose()?;
        Ok((config, tls.map(Arc::new), telemetry))
    });
    match started {
        Ok((config, tls, telemetry)) => {
            run(&config, tls, &telemetry).unwrap_or_else(|error| fail(&error, 1))
        }
        Err(error) => fail(&error, BAD_USAGE),
    }
}

fn run(config: &Config, tls: Option<Arc<Tls>>, telemetry: &Telemetry) -> anyhow::Result<ExitCode> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start the runtime")?;
    let ended = runtime.block_on(serve(config, tls, telemetry));
    // After a second signal, nothing is waited for.
    runtime.shutdown_background();
    ended
}

async fn serve(
    config: &Config,
    tls: Option<Arc<Tls>>,
    telemetry: &Telemetry,
) -> anyhow::Result<ExitCode> {
    let stop = signals(1).context("cannot listen for signals")?;
    let stop_at_once = signals(2).context("cannot listen for signals")?;
    let mut listeners = Vec::new();
    for address in &config.listen {
        listeners.push(Listener::bind(address).await?);
    }
    let addresses: Vec<_> = listeners.iter().map(Listener::address).collect::<Result<_, _>>()?;
    let threads = config.threads()?;
    let connections_max = raise_open_files(config.limits.connections_max, threads);
    let limits = Limits { connections_max, ..config.limits.clone() };
    let server = Server::start(listeners, threads, &limits, tls.clone())?;
    let admin = config.admin_listen.as_ref();
    let admin = admin.map(|address| Admin::start(address, &server)).transpose()?;
    let fresh = keep_fresh(tls.as_deref())?;
    tell_ready(config, &limits, &addresses, admin.as_ref(), threads, telemetry);
    let stop = async {
        let signal = stop.await;
        info!(%signal, "stopping; a second signal ends at once");
    };
    let ended = async {
        let dropped = server.run(stop).await?;
        info!(connections_dropped = dropped, "stopped");
        spawn_blocking(telemetry.shut_down()).await.context("cannot send what is left of traces")
    };
    tokio::select! {
        ended = ended => ended.map(|()| ExitCode::SUCCESS),
        signal = stop_at_once => {
            warn!(%signal, "ended at once");
            Ok(ExitCode::from(signal.exit_status()))
        }
        never = fresh => match never {},
    }
}

/// Reads the files of TLS again when they change and when a signal asks for it.
fn keep_fresh(tls: Option<&Tls>) -> anyhow::Result<impl Future<Output = Infallible>> {
    let mut asked = reread_signals().context("cannot listen for signals")?;
    Ok(async move {
        match tls {
            Some(tls) => tls.keep_fresh(asked).await,
            None => loop {
                asked().await;
                info!("SIGHUP: there are no files to read again");
            },
        }
    })
}

fn tell_ready(
    config: &Config,
    limits: &Limits,
    addresses: &[Listen],
    admin: Option<&Admin>,
    threads: usize,
    telemetry: &Telemetry,
) {
    let tls = &config.tls;
    for address in addresses {
        let is_open = |address: SocketAddr| !address.ip().is_loopback();
        if tls.is_none() && address.to_string().parse().is_ok_and(is_open) {
            warn!(%address, "calls from other machines come without TLS; --tls-cert turns it on");
        }
    }
    info!(
        listen = addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        admin_listen = admin.map_or("off".to_owned(), |admin| admin.address().to_string()),
        opentelemetry = telemetry.exports(),
        threads,
        tls = tls.as_ref().map_or("off", |tls| if tls.client_ca.is_some() { "mutual" } else { "on" }),
        max_connections = limits.connections_max,
        max_concurrent_calls = limits.calls_max,
        max_concurrent_streams = limits.concurrent_streams_max,
        max_boards_per_message = limits.boards_per_message_max,
        max_message_bytes = limits.message_bytes_max,
        memory_bytes_max = memory_bytes_max(limits, threads),
        shutdown_grace = ?limits.shutdown_grace,
        "ready",
    );
}

/// Says on standard error why the process ends, if that takes it.
fn fail(error: &anyhow::Error, status: u8) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: {error:#}");
    ExitCode::from(status)
}
