//! Listeners, connections and threads: from `bind` to the end of the drain.
//!
//! One thread accepts connections and deals them out to the workers, a thread each with a runtime
//! of its own, so that a call never changes threads.

mod admin;
mod connection;
mod handshake;
mod listener;
mod memory;
mod open_files;
mod registry;
mod small_frames;
mod tls;
mod worker;

pub use admin::Admin;
pub use listener::Listener;
pub use memory::memory_bytes_max;
pub use open_files::raise_open_files;
pub use tls::Tls;

use std::convert::Infallible;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::warn;

use crate::config::Limits;
use crate::metrics::Metrics;
use crate::rpc::{self, CallLimits, Services};
use crate::telemetry::Throttle;
use connection::Connections;
use worker::Workers;

/// How long to wait after an accept that failed for want of file descriptors or memory.
const ACCEPT_BACK_OFF: Duration = Duration::from_millis(100);

/// A server that was started. Dropped, it drains, and nobody waits for the end.
pub struct Server {
    listeners: Vec<Listener>,
    connections_max: usize,
    calls_max: usize,
    tls: Option<Arc<Tls>>,
    workers: Workers,
    metrics: Arc<Metrics>,
    /// Cancelled when the drain begins.
    drain: CancellationToken,
    serving: DropGuard,
}

impl Server {
    /// Starts the threads that answer calls. Calls come once the server [runs](Self::run). With
    /// `tls`, they are taken over TLS alone, except from Unix sockets.
    ///
    /// What is still open at the grace time after the drain began is dropped.
    ///
    /// # Errors
    ///
    /// When there is no listener or no thread, when threads cannot be started, or when the
    /// descriptors of the services cannot be read.
    pub fn start(
        listeners: Vec<Listener>,
        threads: usize,
        limits: &Limits,
        tls: Option<Arc<Tls>>,
    ) -> anyhow::Result<Self> {
        ensure!(!listeners.is_empty(), "no address to listen on");
        ensure!(threads > 0, "no thread to answer calls");
        let drain = CancellationToken::new();
        let call_limits = CallLimits {
            calls_max: limits.calls_max,
            call_bytes: limits.call_bytes,
            boards_max: limits.boards_per_message_max,
            message_bytes_max: limits.message_bytes_max,
        };
        let metrics = Arc::new(rpc::metrics(threads));
        let services = Services::for_workers(call_limits, drain.clone(), &metrics)
            .context("cannot read the service descriptors")?;
        let connections = services
            .into_iter()
            // Each waits for the drain on a token of its own: waiting takes a lock, and threads would
            // contend for it.
            .map(|services| Connections::new(limits, tls.clone(), services, drain.child_token()));
        let workers = Workers::start(limits.shutdown_grace, connections)?;
        let (connections_max, calls_max) = (limits.connections_max, limits.calls_max);
        let serving = drain.clone().drop_guard();
        Ok(Self { listeners, connections_max, calls_max, tls, workers, metrics, drain, serving })
    }

    /// Serves until `stop` resolves, then drains: the listeners close, health turns `NOT_SERVING`,
    /// open calls are answered, and open streams get the answers to what was received and then
    /// `UNAVAILABLE`. Gives the number of connections that were dropped at the end of the grace
    /// time.
    ///
    /// # Errors
    ///
    /// When a thread that answers calls has died.
    pub async fn run(self, stop: impl Future<Output = ()>) -> anyhow::Result<usize> {
        let Self { mut listeners, connections_max, workers, metrics, serving, .. } = self;
        tokio::select! {
            failed = accept_all(&mut listeners, &workers, connections_max, &metrics) => match failed? {},
            () = stop => {}
        }
        drop(listeners);
        drop(serving);
        workers.drain().await
    }
}

#[expect(clippy::disallowed_methods, reason = "nothing tells when there are descriptors again")]
async fn accept_all(
    listeners: &mut [Listener],
    workers: &Workers,
    connections_max: usize,
    metrics: &Metrics,
) -> anyhow::Result<Infallible> {
    let (refused, failed) = (Throttle::default(), Throttle::default());
    loop {
        match listener::accept(listeners).await {
            Ok(accepted) if workers.connections() < connections_max => workers.deal(accepted)?,
            Ok(_) => {
                metrics.connections_refused.add(1);
                if let Some(connections) = refused.count() {
                    let closed = "connections closed, as many are open as are taken";
                    warn!(connections, max = connections_max, "{closed}");
                }
            }
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
            Err(error) => {
                metrics.accept_errors.add(1);
                if let Some(times) = failed.count() {
                    warn!(times, %error, "cannot accept a connection");
                }
                tokio::time::sleep(ACCEPT_BACK_OFF).await;
            }
        }
    }
}
