use std::mem;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the same thing gets a line, at the most.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Keeps what others can cause at will from filling up the log: it gets a line in ten seconds.
#[derive(Debug, Default)]
pub(crate) struct Throttle(Mutex<Unlogged>);

#[derive(Debug, Default)]
struct Unlogged {
    count: u64,
    last_line: Option<Instant>,
}

impl Throttle {
    /// Counts one more. When it is time for a line, gives the number since the last.
    pub(crate) fn count(&self) -> Option<u64> {
        let mut unlogged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        unlogged.count += 1;
        if unlogged.last_line.is_some_and(|line| line.elapsed() < LINE_EVERY) {
            return None;
        }
        unlogged.last_line = Some(Instant::now());
        Some(mem::take(&mut unlogged.count))
    }
}
