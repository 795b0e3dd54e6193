//! The command line: flags, each with an environment variable as its twin, checked at the start.

#![expect(clippy::doc_markdown, reason = "--help shows these comments as they are")]

mod limits;
mod listen;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, ValueEnum};

pub use limits::Limits;
use limits::whole_number;
pub use listen::Listen;

/// The most bytes that a well-formed board takes in a message: nine lines of nine cells, a line
/// break of two bytes after each, and field and length before the text and before the board.
const BOARD_BYTES_MAX: usize = 9 * (9 + 2) + 2 + 2;

/// The most bytes that the answer to a board takes.
pub(crate) const ANSWER_BYTES_MAX: usize = 2_333;

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

    /// Where to tell of health and metrics over HTTP: HOST:PORT or unix:PATH. There are /livez,
    /// /readyz and /metrics, for whoever gets there. [default: nowhere]
    #[arg(long, env = "SUDOKU_ADMIN_LISTEN", value_name = "ADDRESS")]
    pub admin_listen: Option<Listen>,

    /// How many threads answer calls; each has connections of its own. [default: one for each core]
    #[arg(long, env = "SUDOKU_THREADS", value_name = "COUNT", allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| whole_number::<usize>(text, 1..=1024))]
    pub threads: Option<usize>,

    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would show it as the program's description")]
    pub limits: Limits,

    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would show it as the program's description")]
    pub tls: Option<TlsFiles>,

    /// How the log on standard error is written. RUST_LOG sets what is in it, like
    /// sudoku_validator=debug for a line for each call.
    #[arg(long, env = "SUDOKU_LOG_FORMAT", value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,
}

/// The files of TLS, all PEM, which are read again when they change and at SIGHUP.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct TlsFiles {
    /// The certificate chain for TLS, in PEM, the server's own first. Given, every TCP address takes
    /// TLS alone; Unix sockets stay plain.
    #[arg(long = "tls-cert", env = "SUDOKU_TLS_CERT", value_name = "FILE", requires = "key")]
    #[arg(required = false)]
    pub cert: PathBuf,

    /// The private key of that certificate, in PEM.
    #[arg(long = "tls-key", env = "SUDOKU_TLS_KEY", value_name = "FILE", requires = "cert")]
    #[arg(required = false)]
    pub key: PathBuf,

    /// The authorities, in PEM, of which one must have signed a client's certificate. Given, no
    /// client is taken without one.
    #[arg(long = "tls-client-ca", env = "SUDOKU_TLS_CLIENT_CA", value_name = "FILE")]
    #[arg(requires = "cert")]
    pub client_ca: Option<PathBuf>,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// A JSON object a line.
    Json,
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
        let Limits { boards_per_message_max, message_bytes_max, calls_max, call_bytes, .. } =
            config.limits;
        let needed = boards_per_message_max * BOARD_BYTES_MAX;
        ensure!(
            message_bytes_max >= needed,
            "--max-message-bytes {message_bytes_max} cannot hold --max-boards-per-message \
             {boards_per_message_max}; write at least {needed}",
        );
        // Of a compressed message, both forms are held; of answers, two.
        let needed = 1
            + (2 * message_bytes_max).div_ceil(call_bytes)
            + (2 * boards_per_message_max * ANSWER_BYTES_MAX).div_ceil(call_bytes);
        ensure!(
            calls_max >= needed,
            "--max-concurrent-calls {calls_max} has no room for one call of the largest messages, \
             which counts for {needed}; write at least that",
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
