//! Listeners, connections and threads: from `bind` to the end of the drain.
//!
//! One thread accepts connections and deals them out to the workers, a thread each with a runtime
//! of its own, so that a call never changes threads.

mod connection;
mod listener;
mod worker;

pub use listener::Listener;

use std::time::Duration;

use anyhow::Context;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::config::Limits;
use crate::rpc;
use connection::Connections;
use worker::Workers;

/// How long to wait after an accept that failed for want of file descriptors or memory.
const ACCEPT_BACK_OFF: Duration = Duration::from_millis(100);

/// Serves until `stop` resolves, then drains: health turns `NOT_SERVING`, the listeners close, open
/// calls are answered, open streams get the answers to what was received and then `UNAVAILABLE`.
/// What is still open after `grace` is dropped.
///
/// Gives the number of connections that were dropped. `threads` is 1 or more. Dropping the future
/// drains too, but nobody waits for the end.
///
/// # Errors
///
/// When threads cannot be started.
pub async fn serve(
    mut listeners: Vec<Listener>,
    threads: usize,
    limits: &Limits,
    grace: Duration,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<usize> {
    let (serving, is_serving) = watch::channel(true);
    let drain = CancellationToken::new();
    let draining = drain.clone().drop_guard();
    let routes = rpc::routes(limits.boards_per_message_max, limits.message_bytes_max, is_serving)
        .context("cannot read the service descriptors")?;
    let connections = Connections::new(limits, routes, drain);
    let workers = Workers::start(threads, grace, &connections)?;

    tokio::select! {
        never = accept_all(&mut listeners, &workers) => match never {},
        () = stop => {}
    }

    serving.send_replace(false);
    drop(listeners);
    drop(draining);
    Ok(workers.drain().await)
}

#[expect(clippy::disallowed_methods, reason = "nothing tells when there are descriptors again")]
async fn accept_all(listeners: &mut [Listener], workers: &Workers) -> std::convert::Infallible {
    loop {
        match listener::accept(listeners).await {
            Ok(accepted) => workers.deal(accepted),
            Err(error) => {
                warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_BACK_OFF).await;
            }
        }
    }
}
