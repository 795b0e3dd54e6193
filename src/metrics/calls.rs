//! Calls, with the instruments and buckets of gRFC A66.

use std::sync::OnceLock;
use std::time::Duration;

use super::Counter;
use super::histogram::Histogram;

/// The names of the status codes, each in the place of its number.
pub(crate) const STATUSES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// The bounds of durations, in ns.
const DURATIONS: [u64; 41] = {
    const US: u64 = 1_000;
    const MS: u64 = 1_000 * US;
    const S: u64 = 1_000 * MS;
    [
        0,
        10 * US,
        50 * US,
        100 * US,
        300 * US,
        600 * US,
        800 * US,
        MS,
        2 * MS,
        3 * MS,
        4 * MS,
        5 * MS,
        6 * MS,
        8 * MS,
        10 * MS,
        13 * MS,
        16 * MS,
        20 * MS,
        25 * MS,
        30 * MS,
        40 * MS,
        50 * MS,
        65 * MS,
        80 * MS,
        100 * MS,
        130 * MS,
        160 * MS,
        200 * MS,
        250 * MS,
        300 * MS,
        400 * MS,
        500 * MS,
        650 * MS,
        800 * MS,
        S,
        2 * S,
        5 * S,
        10 * S,
        20 * S,
        50 * S,
        100 * S,
    ]
};

/// The bounds of sizes, in bytes: 0, 1 KiB, 2 KiB, 4 KiB, then four times each.
const SIZES: [u64; 14] = [
    0,
    1 << 10,
    1 << 11,
    1 << 12,
    1 << 14,
    1 << 16,
    1 << 18,
    1 << 20,
    1 << 22,
    1 << 24,
    1 << 26,
    1 << 28,
    1 << 30,
    1 << 32,
];

/// A call that has ended.
pub(crate) struct CallEnd {
    /// The number of its status.
    pub(crate) status: usize,
    pub(crate) duration: Duration,
    /// The bytes of its messages as they came, without what gRPC puts around each.
    pub(crate) received: u64,
    pub(crate) sent: u64,
}

/// The calls of one thread, by method.
#[derive(Debug)]
pub(crate) struct CallCounts(Box<[MethodCounts]>);

/// On cache lines of its own, as those of all threads are allocated in a row.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct MethodCounts {
    pub(super) started: Counter,
    /// By status. Most never occur.
    ended: [OnceLock<Box<EndedCounts>>; STATUSES.len()],
}

/// The calls of one method that have ended with one status.
#[derive(Debug)]
pub(super) struct EndedCounts {
    pub(super) duration: Histogram,
    pub(super) received: Histogram,
    pub(super) sent: Histogram,
}

impl CallCounts {
    pub(super) fn new(methods: usize) -> Self {
        Self((0..methods).map(|_| MethodCounts::default()).collect())
    }

    pub(crate) fn count_start(&self, method: usize) {
        self.0[method].started.add(1);
    }

    pub(crate) fn count_end(&self, method: usize, end: &CallEnd) {
        let counts = self.0[method].ended[end.status].get_or_init(|| {
            let [received, sent] = [&SIZES; 2].map(|bounds| Histogram::new(bounds));
            EndedCounts { duration: Histogram::new(&DURATIONS), received, sent }.into()
        });
        let ns = u64::try_from(end.duration.as_nanos()).unwrap_or(u64::MAX);
        counts.duration.observe(ns);
        counts.received.observe(end.received);
        counts.sent.observe(end.sent);
    }

    pub(super) fn of(&self, method: usize) -> &MethodCounts {
        &self.0[method]
    }
}

impl EndedCounts {
    /// How many calls these are.
    fn count(&self) -> u64 {
        self.duration.count()
    }
}

impl MethodCounts {
    pub(super) fn ended(&self, status: usize) -> Option<&EndedCounts> {
        self.ended[status].get().map(|counts| &**counts)
    }

    pub(super) fn all_ended(&self) -> u64 {
        (0..STATUSES.len()).filter_map(|status| self.ended(status)).map(EndedCounts::count).sum()
    }
}
