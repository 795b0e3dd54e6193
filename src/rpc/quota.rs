//! How many calls are open on the whole server, and how much memory they may hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};
use tracing::warn;

use crate::metrics::{Metrics, WorkerMetrics};
use crate::telemetry::Throttle;

/// Messages up to this size are in what every call is counted for.
const SMALL_BYTES: usize = 64 * 1024;

/// Health calls may take this part more, so that a server which sheds calls is not taken for dead.
const HEALTH_RESERVE: usize = 8;

/// The most calls that are open at once, those of health included.
pub(crate) fn calls_max_with_health(calls_max: usize) -> usize {
    calls_max + calls_max.div_ceil(HEALTH_RESERVE)
}

/// When a client that was turned away may try again.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The calls that a server takes at once. One of large messages counts as several.
#[derive(Debug)]
pub(super) struct Quota {
    calls_max: usize,
    /// What each is counted for.
    call_bytes: usize,
    shed: Throttle,
    /// Where those that are open are counted, and those turned away.
    metrics: Arc<Metrics>,
}

impl Quota {
    pub(super) fn new(calls_max: usize, call_bytes: usize, metrics: Arc<Metrics>) -> Self {
        Self { calls_max, call_bytes, shed: Throttle::default(), metrics }
    }

    fn take(&self, count: usize, max: usize) -> Result<(), Status> {
        let order = Ordering::Relaxed;
        let taken = |taken: usize| Some(taken + count).filter(|&taken| taken <= max);
        if self.metrics.calls_taken.fetch_update(order, order, taken).is_ok() {
            return Ok(());
        }
        let Self { calls_max, shed, metrics, .. } = self;
        metrics.calls_shed.add(1);
        if let Some(calls) = shed.count() {
            warn!(calls, max = calls_max, "calls turned away, as many are open as are taken");
        }
        let description = format!("the server takes {calls_max} calls at once; try again later");
        let details = ErrorDetails::with_retry_info(Some(RETRY_DELAY));
        Err(Status::with_error_details(Code::ResourceExhausted, description, details))
    }
}

/// Where the calls of one thread are counted: those of all threads that are open, and its own. Each call
/// counts its users up and down, on a cache line that no other thread writes to.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Counts {
    pub(super) quota: Arc<Quota>,
    pub(super) metrics: Arc<WorkerMetrics>,
}

/// What a call has taken of the quota, until it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    counts: Arc<Counts>,
    calls: AtomicUsize,
}

impl Share {
    /// Takes nothing for now.
    pub(super) fn empty(counts: Arc<Counts>) -> Self {
        Self { counts, calls: AtomicUsize::new(0) }
    }

    /// The counts of the thread.
    pub(super) fn metrics(&self) -> &WorkerMetrics {
        &self.counts.metrics
    }

    /// Takes one call, of health or of another service.
    pub(super) fn take_call(&self, is_health: bool) -> Result<(), Status> {
        let max = self.counts.quota.calls_max;
        self.grow_to(1, if is_health { calls_max_with_health(max) } else { max })
    }

    /// Takes what a call counts for that holds so many bytes of messages. It never gives any of it
    /// back: buffers do not shrink as long as their call is open.
    pub(super) fn take_bytes(&self, bytes: usize) -> Result<(), Status> {
        if bytes <= SMALL_BYTES {
            return Ok(());
        }
        let Quota { calls_max, call_bytes, .. } = *self.counts.quota;
        self.grow_to(bytes.div_ceil(call_bytes), calls_max)
    }

    fn grow_to(&self, calls: usize, max: usize) -> Result<(), Status> {
        let before = self.calls.load(Ordering::Relaxed);
        if calls > before {
            self.counts.quota.take(calls - before, max)?;
            self.calls.store(calls, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let calls = *self.calls.get_mut();
        if calls > 0 {
            self.counts.quota.metrics.calls_taken.fetch_sub(calls, Ordering::Relaxed);
        }
    }
}
