use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// When a connection was read last, which is about when the calls came that are begun now. To read the
/// clock for each of them would take 1 % of its CPU time.
#[derive(Clone, Debug)]
pub(crate) struct LastRead {
    opened: Instant,
    /// The time from then on, in ns.
    after: Arc<AtomicU64>,
}

impl LastRead {
    /// That of a connection which is opened now.
    pub(crate) fn new() -> Self {
        Self { opened: Instant::now(), after: Arc::default() }
    }

    /// Makes it now.
    pub(crate) fn touch(&self) {
        let after = u64::try_from(self.opened.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.after.store(after, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> Instant {
        self.opened + Duration::from_nanos(self.after.load(Ordering::Relaxed))
    }
}
