use std::io;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, anyhow};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::timeout;

use super::connection::Connections;
use super::listener::Accepted;

/// The threads that serve connections.
pub(super) struct Workers(Vec<Worker>);

struct Worker {
    accepted: mpsc::UnboundedSender<(Accepted, Held)>,
    /// As many clones as the worker has connections, and this one.
    held: Held,
    /// Gives the number of connections that were dropped.
    thread: JoinHandle<usize>,
}

/// Held by each connection as long as it is open.
type Held = Arc<()>;

impl Workers {
    /// Starts a thread for each of what they serve.
    pub(super) fn start(
        grace: Duration,
        connections: impl IntoIterator<Item = Connections>,
    ) -> anyhow::Result<Self> {
        let start = |(number, connections)| {
            let (accepted, receiver) = mpsc::unbounded_channel();
            let (built, is_built) = sync_channel(1);
            let work = move || {
                let runtime = Builder::new_current_thread().enable_all().build();
                let (runtime, result) =
                    runtime.map_or_else(|e| (None, Err(e)), |r| (Some(r), Ok(())));
                // Whoever started the thread waits for this.
                let _ = built.send(result);
                runtime.map_or(0, |runtime| run(&runtime, receiver, grace, &connections))
            };
            let thread = thread::Builder::new().name(format!("worker-{number}")).spawn(work)?;
            is_built.recv().map_err(io::Error::other)??;
            Ok(Worker { accepted, held: Held::default(), thread })
        };
        let workers = (0..).zip(connections).map(start).collect::<io::Result<_>>();
        workers.map(Self).context("cannot start the threads")
    }

    /// How many connections are open.
    pub(super) fn connections(&self) -> usize {
        self.0.iter().map(|worker| Arc::strong_count(&worker.held) - 1).sum()
    }

    /// Gives a connection to the worker that has the fewest.
    pub(super) fn deal(&self, accepted: Accepted) -> anyhow::Result<()> {
        let fewest = self.0.iter().min_by_key(|worker| Arc::strong_count(&worker.held));
        let sent = fewest.map(|worker| worker.accepted.send((accepted, worker.held.clone())));
        sent.and_then(Result::ok).context("a thread that answers calls has died")
    }

    /// Waits until every connection is closed, or dropped after the grace time. Gives the number of
    /// those dropped.
    pub(super) async fn drain(self) -> anyhow::Result<usize> {
        // All of them must have lost their senders before the first is waited for.
        let threads: Vec<_> = self.0.into_iter().map(|worker| worker.thread).collect();
        let join = || threads.into_iter().map(JoinHandle::join).sum::<thread::Result<usize>>();
        spawn_blocking(join).await?.map_err(|_| anyhow!("a thread that answers calls has died"))
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
                    let connections = connections.clone();
                    open.spawn(async move {
                        connections.serve(accepted).await;
                        drop(held);
                    });
                }
            }
        }
        let _ = timeout(grace, async { while open.join_next().await.is_some() {} }).await;
        open.len()
    })
}
