use crate::config::{ANSWER_BYTES_MAX, Limits};
use crate::rpc::calls_max_with_health;

/// The program, its log, its metrics, what waits to go to OpenTelemetry, its descriptors, and what each
/// of the rest rounds up to.
const PROCESS_BYTES: usize = 24 * 1024 * 1024;

/// A connection without a call, which shakes hands or whose client is slow to read. One that is idle
/// takes under 32 KiB, as tests/wire/memory.rs says.
const CONNECTION_BYTES: usize = 128 * 1024;

/// How many times their size the answers of a message take while they are made, which a thread does for
/// one message at a time: in a buffer that doubles, from an allocator that does not give back at once
/// what is free.
const ANSWERING_FACTOR: usize = 4;

/// How many times its size a message takes meanwhile, besides what its call holds: one board may be all
/// of it, whose text is copied.
const READING_FACTOR: usize = 2;

/// The most memory that a server with these limits takes, in bytes, in the worst that we know but for
/// what docs/limits.md leaves out.
#[must_use]
pub fn memory_bytes_max(limits: &Limits, threads: usize) -> usize {
    let answer_bytes_max = limits.boards_per_message_max * ANSWER_BYTES_MAX;
    PROCESS_BYTES
        + threads * READING_FACTOR * limits.message_bytes_max
        + threads * ANSWERING_FACTOR * answer_bytes_max
        + limits.connections_max * CONNECTION_BYTES
        + calls_max_with_health(limits.calls_max) * limits.call_bytes
}
