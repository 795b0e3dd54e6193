use std::sync::Arc;
use std::thread;

use super::{Counter, WorkerMetrics};

/// Why a connection has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionEnd {
    /// Its client closed it.
    Closed,
    /// It broke the protocol, or broke.
    Failed,
    /// It did not begin as it should, or not in time.
    Handshake,
    /// Its client did not answer a ping.
    Keepalive,
    /// It was without a call for the longest time.
    Idle,
    /// It had the greatest age.
    Age,
    /// The server drained.
    Drain,
    /// It was still open at the end of the grace time.
    Dropped,
}

impl ConnectionEnd {
    /// All of them, each in the place of its number, with its name.
    pub(super) const NAMES: [&'static str; 8] =
        ["closed", "failed", "handshake", "keepalive", "idle", "age", "drain", "dropped"];
}

/// The connections of one thread.
#[derive(Debug, Default)]
pub(crate) struct ConnectionCounts {
    pub(super) accepted: Counter,
    pub(super) ended: [Counter; ConnectionEnd::NAMES.len()],
}

/// A connection that is open, and counted when dropped.
pub(crate) struct OpenConnection {
    metrics: Arc<WorkerMetrics>,
    /// What it counts as when it is dropped.
    pub(crate) end: ConnectionEnd,
}

impl OpenConnection {
    pub(crate) fn new(metrics: Arc<WorkerMetrics>) -> Self {
        metrics.connections.accepted.add(1);
        Self { metrics, end: ConnectionEnd::Dropped }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let mut end = self.end;
        if thread::panicking() {
            self.metrics.panics.add(1);
            end = ConnectionEnd::Failed;
        }
        self.metrics.connections.ended[end as usize].add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Metrics;
    use super::*;

    #[test]
    fn a_panic_ends_a_connection_as_failed() {
        let metrics = Metrics::new(1, &[]).workers()[0].clone();
        let open = OpenConnection::new(metrics.clone());
        let panicked = thread::spawn(move || {
            let _open = open;
            panic!("a connection's own");
        });
        panicked.join().unwrap_err();
        let ended = metrics.connections.ended.each_ref().map(Counter::get);
        assert_eq!((metrics.panics.get(), ended), (1, [0, 1, 0, 0, 0, 0, 0, 0]));
    }
}
