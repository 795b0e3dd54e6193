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
        let end = if thread::panicking() { ConnectionEnd::Failed } else { self.end };
        self.metrics.connections.ended[end as usize].add(1);
    }
}
