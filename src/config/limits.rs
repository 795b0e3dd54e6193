use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;

/// The most calls open at once on one connection, and the HTTP/2 flow control windows that go with
/// it.
///
/// They hang together, since h2 ends a connection on which unread DATA frames of under 256 bytes
/// have cost, at 256 bytes less its size each, half of the connection window. The smallest message
/// of a well-formed board is a frame of 90 bytes, and all stream windows may fill up with those.
const CONCURRENT_STREAMS_MAX: u32 = 64;
const STREAM_WINDOW_BYTES: u32 = 65_535;
const CONNECTION_WINDOW_BYTES: u32 = 16 * 1024 * 1024;
const _: () = {
    let frame_bytes = 5 + 2 + 2 + 81;
    let unread = CONCURRENT_STREAMS_MAX * (STREAM_WINDOW_BYTES / frame_bytes);
    assert!(unread * (256 - frame_bytes) <= CONNECTION_WINDOW_BYTES / 2);
};

/// What one call is counted for. Without large messages it holds no more: headers, a stream window
/// that has come and is not read, in the smallest frames that are taken, and messages of up to 64 KiB.
const CALL_BYTES: usize = 512 * 1024;

/// The bounds of durations: whoever writes more or less most likely meant another unit.
const SHORTEST: Duration = Duration::from_millis(1);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The bounds on what clients can ask of the server: all of them, one connection, one call.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct Limits {
    /// The most connections open at once. Those above it are closed as they come.
    #[arg(long = "max-connections", env = "SUDOKU_MAX_CONNECTIONS")]
    #[arg(value_name = "COUNT", default_value_t = Limits::default().connections_max)]
    #[arg(value_parser = |text: &str| whole_number::<usize>(text, 1..=1_000_000))]
    pub connections_max: usize,

    /// The most calls open at once on the whole server; those above it get RESOURCE_EXHAUSTED. A
    /// call of large messages counts again for each 512 KiB of them.
    #[arg(long = "max-concurrent-calls", env = "SUDOKU_MAX_CONCURRENT_CALLS")]
    #[arg(value_name = "COUNT", default_value_t = Limits::default().calls_max)]
    #[arg(value_parser = |text: &str| whole_number::<usize>(text, 1..=1_000_000))]
    pub calls_max: usize,

    /// The most calls open at once on one connection; clients queue those above it.
    #[arg(long = "max-concurrent-streams", env = "SUDOKU_MAX_CONCURRENT_STREAMS")]
    #[arg(value_name = "COUNT", default_value_t = Limits::default().concurrent_streams_max)]
    #[arg(value_parser = |text: &str| whole_number::<u32>(text, 1..=CONCURRENT_STREAMS_MAX))]
    pub concurrent_streams_max: u32,

    /// The most boards in one ValidateMany message. The answer takes up to 2.3 kB for each board,
    /// and most clients take no message over 4 MiB.
    #[arg(long = "max-boards-per-message", env = "SUDOKU_MAX_BOARDS_PER_MESSAGE")]
    #[arg(value_name = "COUNT", default_value_t = Limits::default().boards_per_message_max)]
    #[arg(value_parser = |text: &str| whole_number::<usize>(text, 1..=10_000))]
    pub boards_per_message_max: usize,

    /// The most bytes in one message, decompressed. A board takes 85 bytes, or up to 103 as lines.
    #[arg(long = "max-message-bytes", env = "SUDOKU_MAX_MESSAGE_BYTES")]
    #[arg(value_name = "BYTES", default_value_t = Limits::default().message_bytes_max)]
    #[arg(value_parser = |text: &str| whole_number::<usize>(text, 1_024..=67_108_864))]
    pub message_bytes_max: usize,

    /// How long a new connection has for the TLS handshake and the first bytes of HTTP/2.
    #[arg(long, env = "SUDOKU_HANDSHAKE_TIMEOUT", value_name = "DURATION", default_value = "10s")]
    #[arg(value_parser = |text: &str| duration(text, SHORTEST..=HOUR))]
    pub handshake_timeout: Duration,

    /// How long a connection may be silent before the server pings its client.
    #[arg(long, env = "SUDOKU_KEEPALIVE_TIME", value_name = "DURATION", default_value = "1m")]
    #[arg(value_parser = |text: &str| duration(text, SHORTEST..=DAY))]
    pub keepalive_time: Duration,

    /// How long a client has to answer that ping before its connection is closed.
    #[arg(long, env = "SUDOKU_KEEPALIVE_TIMEOUT", value_name = "DURATION", default_value = "20s")]
    #[arg(value_parser = |text: &str| duration(text, SHORTEST..=HOUR))]
    pub keepalive_timeout: Duration,

    /// How long a connection may be without a call before it is closed, or up to a tenth longer.
    #[arg(long = "max-connection-idle", env = "SUDOKU_MAX_CONNECTION_IDLE")]
    #[arg(value_name = "DURATION", default_value = "1h")]
    #[arg(value_parser = |text: &str| duration(text, SHORTEST..=DAY))]
    pub connection_idle_max: Duration,

    /// How long a connection may live before its client is told to open another, give or take a
    /// tenth. [default: for ever]
    #[arg(long = "max-connection-age", env = "SUDOKU_MAX_CONNECTION_AGE", value_name = "DURATION")]
    #[arg(value_parser = |text: &str| duration(text, SHORTEST..=DAY))]
    pub connection_age_max: Option<Duration>,

    /// How long the calls on a connection that has reached that age have to end.
    #[arg(long = "max-connection-age-grace", env = "SUDOKU_MAX_CONNECTION_AGE_GRACE")]
    #[arg(value_name = "DURATION", default_value = "30s")]
    #[arg(value_parser = |text: &str| duration(text, Duration::ZERO..=DAY))]
    pub connection_age_grace: Duration,

    /// How long a shutdown waits for open calls before it drops them, like 30s or 500ms.
    #[arg(long, env = "SUDOKU_SHUTDOWN_GRACE", value_name = "DURATION", default_value = "30s")]
    #[arg(value_parser = |text: &str| duration(text, Duration::ZERO..=HOUR))]
    pub shutdown_grace: Duration,

    /// What one call counts for, and large messages again for each of. No flag: see the constant.
    #[arg(skip = Limits::default().call_bytes)]
    pub call_bytes: usize,

    /// The HTTP/2 flow control window of each stream. No flag: see the constant.
    #[arg(skip = Limits::default().stream_window_bytes)]
    pub stream_window_bytes: u32,

    /// The HTTP/2 flow control window of each connection. No flag: see the constant.
    #[arg(skip = Limits::default().connection_window_bytes)]
    pub connection_window_bytes: u32,
}

impl Default for Limits {
    /// What the server runs with unless told otherwise.
    fn default() -> Self {
        Self {
            connections_max: 10_000,
            calls_max: 8_192,
            concurrent_streams_max: CONCURRENT_STREAMS_MAX,
            boards_per_message_max: 1_000,
            message_bytes_max: 1024 * 1024,
            handshake_timeout: Duration::from_secs(10),
            keepalive_time: Duration::from_secs(60),
            keepalive_timeout: Duration::from_secs(20),
            connection_idle_max: HOUR,
            connection_age_max: None,
            connection_age_grace: Duration::from_secs(30),
            shutdown_grace: Duration::from_secs(30),
            call_bytes: CALL_BYTES,
            stream_window_bytes: STREAM_WINDOW_BYTES,
            connection_window_bytes: CONNECTION_WINDOW_BYTES,
        }
    }
}

pub(super) fn whole_number<T>(text: &str, range: RangeInclusive<T>) -> Result<T, String>
where
    T: FromStr + PartialOrd + fmt::Display,
{
    let (min, max) = (range.start(), range.end());
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("write a whole number from {min} to {max}"))
}

fn duration(text: &str, range: RangeInclusive<Duration>) -> Result<Duration, String> {
    let duration = humantime::parse_duration(text).ok().filter(|time| range.contains(time));
    duration.ok_or_else(|| {
        let [min, max] = [range.start(), range.end()].map(|&time| humantime::format_duration(time));
        format!("write a number with a unit, like 30s or 500ms, from {min} to {max}")
    })
}
