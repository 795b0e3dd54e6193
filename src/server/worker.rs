use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::error;

use super::connection::Connections;
use super::listener::Accepted;

/// The threads that serve connections, one or more.
pub(super) struct Workers(Vec<Worker>);

struct Worker {
    accepted: mpsc::UnboundedSender<(Accepted, Held)>,
    /// As many clones as the worker has connections, and this one.
    held: Held,
    /// How many connections were dropped, once the worker has ended.
    dropped: oneshot::Receiver<usize>,
}

/// Held by each connection as long as it is open.
type Held = Arc<()>;

impl Workers {
    pub(super) fn start(
        threads: usize,
        grace: Duration,
        connections: &Connections,
    ) -> anyhow::Result<Self> {
        let start = |number| {
            let (accepted, receiver) = mpsc::unbounded_channel();
            let (done, dropped) = oneshot::channel();
            let connections = connections.for_worker();
            let runtime = Builder::new_current_thread().enable_all().build()?;
            thread::Builder::new().name(format!("worker-{number}")).spawn(move || {
                // The receiver is gone only when the whole server was dropped in the middle.
                let _ = done.send(run(&runtime, receiver, grace, &connections));
            })?;
            Ok(Worker { accepted, held: Held::default(), dropped })
        };
        let workers = (0..threads).map(start).collect::<std::io::Result<_>>();
        workers.map(Self).context("cannot start the threads")
    }

    /// Gives a connection to the worker that has the fewest.
    pub(super) fn deal(&self, accepted: Accepted) {
        let Some(worker) = self.0.iter().min_by_key(|worker| Arc::strong_count(&worker.held))
        else {
            return;
        };
        if worker.accepted.send((accepted, worker.held.clone())).is_err() {
            error!("a worker has ended; its connections are lost");
        }
    }

    /// Waits until every connection is closed, or dropped after the grace time. Gives the number of
    /// those dropped.
    pub(super) async fn drain(self) -> usize {
        let mut total = 0;
        let dropped: Vec<_> = self.0.into_iter().map(|worker| worker.dropped).collect();
        for dropped in dropped {
            total += dropped.await.unwrap_or(0);
        }
        total
    }
}

/// Serves connections until no more can come, then waits for them to end.
fn run(
    runtime: &Runtime,
    mut accepted: mpsc::UnboundedReceiver<(Accepted, Held)>,
    grace: Duration,
    connections: &Connections,
) -> usize {
    runtime.block_on(async {
        let mut open = JoinSet::new();
        loop {
            tokio::select! {
                Some(_) = open.join_next() => {}
                next = accepted.recv() => {
                    let Some((accepted, held)) = next else { break };
                    let connection = connections.clone().serve(accepted);
                    open.spawn(async move {
                        connection.await;
                        drop(held);
                    });
                }
            }
        }
        let _ = timeout(grace, async { while open.join_next().await.is_some() {} }).await;
        open.len()
    })
}
