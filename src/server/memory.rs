use crate::config::Limits;
use crate::rpc::calls_max_with_health;

/// The program, its log, its descriptors and what each of the rest rounds up to.
const PROCESS_BYTES: usize = 16 * 1024 * 1024;

/// A connection without a call, which shakes hands or whose client is slow to read. One that is idle
/// takes under 32 KiB, as tests/wire/memory.rs says.
const CONNECTION_BYTES: usize = 128 * 1024;

/// How many times its size a message takes while it is read, which a thread does for one at a time.
/// The worst are boards without a cell, whose answers take up to 29 bytes for each that came, and full
/// ones, whose conflicts take 28: in a buffer that is copied when it grows.
const READING_FACTOR: usize = 58;

/// The most memory that a server with these limits takes, in bytes, in the worst that we know but for
/// what docs/limits.md leaves out.
#[must_use]
pub fn memory_bytes_max(limits: &Limits, threads: usize) -> usize {
    PROCESS_BYTES
        + threads * READING_FACTOR * limits.message_bytes_max
        + limits.connections_max * CONNECTION_BYTES
        + calls_max_with_health(limits.calls_max) * limits.call_bytes
}
