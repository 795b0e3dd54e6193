//! The command line: flags, each with an environment variable as its twin, checked at the start.

#![expect(clippy::doc_markdown, reason = "--help shows these comments as they are")]

use std::fmt;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, ValueEnum};

/// The most bytes that a well-formed board takes in a message: nine lines of nine cells, a line
/// break of two bytes after each, and field and length before the text and before the board.
const BOARD_BYTES_MAX: usize = 9 * (9 + 2) + 2 + 2;

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

/// The longest grace time: whoever writes more most likely meant another unit.
const GRACE_MAX: Duration = Duration::from_secs(60 * 60);

const EXAMPLE: &str = "Ask a running server what it offers:
  grpcurl -plaintext 127.0.0.1:50051 describe sudoku.v1.SudokuService";

/// A gRPC server that says whether a Sudoku board is valid so far, and if not, why.
#[derive(Clone, Debug, Parser)]
#[command(version, max_term_width = 100, after_help = EXAMPLE)]
pub struct Config {
    /// Where to take calls: HOST:PORT (port 0 for a free one) or unix:PATH. Can be repeated, or be a
    /// list with commas.
    #[arg(long, env = "SUDOKU_LISTEN", value_name = "ADDRESS", value_delimiter = ',')]
    #[arg(default_value = "127.0.0.1:50051")]
    pub listen: Vec<Listen>,

    /// How many threads answer calls; each has connections of its own. [default: one for each core]
    #[arg(long, env = "SUDOKU_THREADS", value_name = "COUNT", allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| whole_number::<usize>(text, 1..=1024))]
    pub threads: Option<usize>,

    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would show it as the program's description")]
    pub limits: Limits,

    /// How long a shutdown waits for open calls before it drops them, like 30s or 500ms.
    #[arg(long, env = "SUDOKU_SHUTDOWN_GRACE", value_name = "DURATION", default_value = "30s")]
    #[arg(value_parser = duration)]
    pub shutdown_grace: Duration,

    /// How the log on standard error is written. RUST_LOG sets what is in it, like
    /// sudoku_validator=debug for a line for each call.
    #[arg(long, env = "SUDOKU_LOG_FORMAT", value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,
}

/// The bounds on what one client can ask of the server.
#[derive(Clone, Debug, Args)]
pub struct Limits {
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

    /// The most calls open at once on one connection; clients queue those above it.
    #[arg(long = "max-concurrent-streams", env = "SUDOKU_MAX_CONCURRENT_STREAMS")]
    #[arg(value_name = "COUNT", default_value_t = Limits::default().concurrent_streams_max)]
    #[arg(value_parser = |text: &str| whole_number::<u32>(text, 1..=CONCURRENT_STREAMS_MAX))]
    pub concurrent_streams_max: u32,

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
            boards_per_message_max: 1_000,
            message_bytes_max: 1024 * 1024,
            concurrent_streams_max: CONCURRENT_STREAMS_MAX,
            stream_window_bytes: STREAM_WINDOW_BYTES,
            connection_window_bytes: CONNECTION_WINDOW_BYTES,
        }
    }
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// A JSON object a line.
    Json,
}

/// An address to listen on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// `HOST:PORT`; a port of 0 takes a free one.
    Tcp(String),
    /// `unix:PATH`: a Unix domain socket.
    Unix(PathBuf),
}

impl FromStr for Listen {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "write HOST:PORT, like 127.0.0.1:50051, or unix:PATH";
        if let Some(path) = text.strip_prefix("unix:") {
            // `unix:///run/x.sock`, as gRPC clients write it, names /run/x.sock.
            let path = path.strip_prefix("//").unwrap_or(path);
            return if path.is_empty() { Err(EXPECTED) } else { Ok(Self::Unix(path.into())) };
        }
        let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let named = text.rsplit_once(':').is_some_and(|(host, port)| {
            !host.is_empty() && host.chars().all(name) && port.parse::<u16>().is_ok()
        });
        let listens = named || text.parse::<SocketAddr>().is_ok();
        listens.then(|| Self::Tcp(text.to_owned())).ok_or(EXPECTED)
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => f.write_str(address),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

fn whole_number<T>(text: &str, range: RangeInclusive<T>) -> Result<T, String>
where
    T: FromStr + PartialOrd + fmt::Display,
{
    let (min, max) = (range.start(), range.end());
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("write a whole number from {min} to {max}"))
}

fn duration(text: &str) -> Result<Duration, &'static str> {
    let duration = humantime::parse_duration(text).ok().filter(|duration| *duration <= GRACE_MAX);
    duration.ok_or("write a number with a unit, like 30s or 500ms, up to 1h")
}

impl Config {
    /// Reads the command line and the environment.
    ///
    /// # Errors
    ///
    /// A bad value, with one line that says what to write. `--help` and `--version` print and end
    /// the process.
    pub fn from_args() -> anyhow::Result<Self> {
        let config = Self::try_parse().map_err(|error| {
            if !error.use_stderr() {
                error.exit();
            }
            anyhow::anyhow!("{}; --help tells more", one_line(&error))
        })?;
        let Limits { boards_per_message_max, message_bytes_max, .. } = config.limits;
        let needed = boards_per_message_max * BOARD_BYTES_MAX;
        ensure!(
            message_bytes_max >= needed,
            "--max-message-bytes {message_bytes_max} cannot hold --max-boards-per-message \
             {boards_per_message_max}; write at least {needed}",
        );
        Ok(config)
    }

    /// The threads to start: as told, or one for each core.
    ///
    /// # Errors
    ///
    /// When the operating system does not tell how many cores there are.
    pub fn threads(&self) -> anyhow::Result<usize> {
        match self.threads {
            Some(threads) => Ok(threads),
            None => std::thread::available_parallelism()
                .map(NonZeroUsize::get)
                .context("cannot tell how many cores there are; set --threads"),
        }
    }
}

/// What clap says of a bad flag, on one line, and with the variable that may have set it instead.
fn one_line(error: &clap::Error) -> String {
    // Usage and tips come below the first paragraph.
    let message = error.to_string();
    let first = message.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
    let line = first.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return line };
    let Some((name, _value)) = flag.split_once(" <") else { return line };
    let variable = name.replacen("--", "SUDOKU_", 1).replace('-', "_").to_uppercase();
    line.replace(&format!("'{flag}'"), &format!("{name} or {variable}"))
}
