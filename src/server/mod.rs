//! Listeners, connections and threads: from `bind` to the end of the drain.
//!
//! One thread accepts connections and deals them out to the workers, a thread each with a runtime
//! of its own, so that a call never changes threads.

mod connection;
mod listener;
mod worker;

pub use listener::Listener;

use std::convert::Infallible;
use std::io::ErrorKind;
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::warn;

use crate::config::Limits;
use crate::rpc;
use connection::Connections;
use worker::Workers;

/// How long to wait after an accept that failed for want of file descriptors or memory.
const ACCEPT_BACK_OFF: Duration = Duration::from_millis(100);

/// A server that was started. Dropped, it drains, and nobody waits for the end.
pub struct Server {
    listeners: Vec<Listener>,
    workers: Workers,
    serving: DropGuard,
}

impl Server {
    /// Starts the threads that answer calls. Calls come once the server [runs](Self::run).
    ///
    /// What is still open at `grace` after the drain began is dropped.
    ///
    /// # Errors
    ///
    /// When there is no listener or no thread, when threads cannot be started, or when the
    /// descriptors of the services cannot be read.
    pub fn start(
        listeners: Vec<Listener>,
        threads: usize,
        limits: &Limits,
        grace: Duration,
    ) -> anyhow::Result<Self> {
        ensure!(!listeners.is_empty(), "no address to listen on");
        ensure!(threads > 0, "no thread to answer calls");
        let drain = CancellationToken::new();
        let routes = rpc::routes(limits.boards_per_message_max, limits.message_bytes_max, &drain)
            .context("cannot read the service descriptors")?;
        let serving = drain.clone().drop_guard();
        let connections = Connections::new(limits, routes, drain);
        let workers = Workers::start(threads, grace, &connections)?;
        Ok(Self { listeners, workers, serving })
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
        let Self { mut listeners, workers, serving } = self;
        tokio::select! {
            failed = accept_all(&mut listeners, &workers) => match failed? {},
            () = stop => {}
        }
        drop(listeners);
        drop(serving);
        workers.drain().await
    }
}

#[expect(clippy::disallowed_methods, reason = "nothing tells when there are descriptors again")]
async fn accept_all(listeners: &mut [Listener], workers: &Workers) -> anyhow::Result<Infallible> {
    loop {
        match listener::accept(listeners).await {
            Ok(accepted) => workers.deal(accepted)?,
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
            Err(error) => {
                warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_BACK_OFF).await;
            }
        }
    }
}
