//! What the server counts, and how Prometheus reads it.
//!
//! A call is counted by the thread that serves it, in memory that no other thread writes to, so that
//! threads do not contend. Whoever reads adds up. What limits are kept by, like the calls that are
//! taken, is shared.

mod boards;
mod calls;
mod connections;
mod histogram;
#[cfg(target_os = "linux")]
mod process;
mod text;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

pub use boards::Tally;
pub(crate) use calls::{CallEnd, STATUSES};
pub(crate) use connections::{ConnectionEnd, OpenConnection};
#[cfg(target_os = "linux")]
pub(crate) use process::ThisProcess;

use boards::BoardCounts;
use calls::CallCounts;
use connections::ConnectionCounts;

/// A number that only grows, counted by any thread.
#[derive(Debug, Default)]
pub(crate) struct SharedCounter(AtomicU64);

impl SharedCounter {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number that only grows, counted by one thread alone and read by any: a count of two would be lost.
/// That takes no atomic addition, and a call counts ten times.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: u64) {
        self.0.store(self.get() + count, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counts of a server.
#[derive(Debug)]
pub(crate) struct Metrics {
    workers: Vec<Arc<WorkerMetrics>>,
    /// The names of the methods, in the order of their numbers.
    methods: &'static [&'static str],
    /// What the limit on calls counts: the calls that are open, large ones several times.
    pub(crate) calls_taken: AtomicUsize,
    /// Calls turned away by that limit.
    pub(crate) calls_shed: SharedCounter,
    /// Connections closed as they came, as many were open as are taken.
    pub(crate) connections_refused: SharedCounter,
    /// Connections that could not be accepted, for want of file descriptors most of all.
    pub(crate) accept_errors: SharedCounter,
}

/// The counts of the connections that one thread serves, on cache lines of its own.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct WorkerMetrics {
    /// Faults of the server itself, each of which ended a call or a connection.
    pub(crate) panics: Counter,
    pub(crate) calls: CallCounts,
    pub(crate) boards: BoardCounts,
    pub(crate) connections: ConnectionCounts,
}

impl Metrics {
    /// Those of a server that has served nothing. Methods are known by their place in `methods`.
    pub(crate) fn new(threads: usize, methods: &'static [&'static str]) -> Self {
        let worker = || WorkerMetrics {
            panics: Counter::default(),
            calls: CallCounts::new(methods.len()),
            boards: BoardCounts::default(),
            connections: ConnectionCounts::default(),
        };
        Self {
            workers: (0..threads).map(|_| worker().into()).collect(),
            methods,
            calls_taken: AtomicUsize::new(0),
            calls_shed: SharedCounter::default(),
            connections_refused: SharedCounter::default(),
            accept_errors: SharedCounter::default(),
        }
    }

    /// The counts of each thread.
    pub(crate) fn workers(&self) -> &[Arc<WorkerMetrics>] {
        &self.workers
    }

    /// Adds up what the threads have counted.
    fn sum(&self, count: impl Fn(&WorkerMetrics) -> u64) -> u64 {
        self.workers.iter().map(|worker| count(worker)).sum()
    }
}
