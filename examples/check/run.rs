//! From lines to a summary: by the library, or through a server with both directions at work.

use std::io::{BufWriter, Stdout, Write, stdout};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, ensure};
use indicatif::ProgressBar;
use pb::outcome::Outcome;
use pb::sudoku_service_client::SudokuServiceClient;
use sudoku_validator::Cell;
use sudoku_validator::config::{Limits, Listen};
use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::server::{Listener, Server};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;
use tonic::transport::{Channel, Endpoint};

use crate::Args;
use crate::input::{self, Line};
use crate::progress;
use crate::report::{self, Conflict, Counts, Found};

const BOARDS_PER_MESSAGE: usize = 1_000;

/// Why the reader stops: what failed is told by the side that reads the answers.
const GONE: &str = "the stream has ended";

/// How long a server may keep silent.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// How many messages may wait on either side, which bounds the memory.
const MESSAGES_WAITING_MAX: usize = 16;

/// Checks all files. Gives the number of boards that are not valid.
pub fn run(args: &Args) -> anyhow::Result<u64> {
    let start = Instant::now();
    let mut session = Session {
        counts: Counts::default(),
        show: args.show,
        bar: progress::bar(input::size(&args.files)),
        out: BufWriter::new(stdout()),
    };
    if args.library {
        input::read(&args.files, |line| session.judge(&line, &report::by_library(&line.text)))?;
    } else {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let ended = runtime.block_on(through_server(args, &mut session));
        // After a failure, the reader may be waiting for a line of standard input.
        runtime.shutdown_background();
        ended?;
    }
    session.bar.finish_and_clear();
    writeln!(session.out, "{}", session.counts.summary(start.elapsed()))?;
    session.out.flush()?;
    Ok(session.counts.bad())
}

/// What is known and printed so far.
struct Session {
    counts: Counts,
    show: bool,
    bar: ProgressBar,
    out: BufWriter<Stdout>,
}

impl Session {
    /// What to say of a stream that the server did not bring to its end.
    fn broken(&self, status: &Status) -> anyhow::Error {
        let boards = self.counts.valid + self.counts.bad();
        let (code, message) = (status.code(), status.message());
        anyhow!("the server ended with {code:?} after {boards} boards: {message}")
    }

    fn judge(&mut self, line: &Line, found: &Found) -> anyhow::Result<()> {
        self.bar.inc(line.bytes);
        if let Some(text) = report::judge(&mut self.counts, line, found, self.show) {
            let Self { bar, out, .. } = self;
            bar.suspend(|| out.write_all(text.as_bytes()))?;
        }
        if line.pauses {
            self.out.flush()?;
        }
        Ok(())
    }
}

async fn through_server(args: &Args, session: &mut Session) -> anyhow::Result<()> {
    let address = match &args.server {
        Some(address) => address.clone(),
        None => start_server().await?,
    };
    let channel = connect(&address).await?;

    let (send, requests) = mpsc::channel(MESSAGES_WAITING_MAX);
    let (remember, mut asked) = mpsc::channel(MESSAGES_WAITING_MAX);
    let files = args.files.clone();
    let reading = spawn_blocking(move || read_messages(&files, &send, &remember));

    let requests = ReceiverStream::new(requests);
    let mut client = SudokuServiceClient::new(channel);
    let mut answers = client.validate_many(requests).await?.into_inner();
    while let Some(answer) = answers.next().await {
        let outcomes = answer.map_err(|status| session.broken(&status))?.outcomes;
        let lines = asked.recv().await.context("an answer to nothing that was asked")?;
        ensure!(outcomes.len() == lines.len(), "{} answers to {}", outcomes.len(), lines.len());
        for (line, outcome) in lines.iter().zip(outcomes) {
            session.judge(line, &found(outcome)?)?;
        }
    }
    ensure!(asked.try_recv().is_err(), "the server has ended with messages unanswered");
    // A reader that still waits for room learns that nobody asks any more.
    drop(asked);
    reading.await?
}

async fn connect(address: &Listen) -> anyhow::Result<Channel> {
    let uri = match address {
        Listen::Tcp(address) => format!("http://{address}"),
        Listen::Unix(_) => address.to_string(),
    };
    let endpoint = Endpoint::from_shared(uri)?
        .connect_timeout(ANSWER_MAX)
        // A server that hangs is found out by its silence.
        .http2_keep_alive_interval(ANSWER_MAX)
        .keep_alive_timeout(ANSWER_MAX)
        // So that small answers cannot overrun the connection: see the example `client`.
        .initial_stream_window_size(65_535)
        .initial_connection_window_size(16 * 1024 * 1024);
    endpoint.connect().await.with_context(|| format!("cannot reach {address}"))
}

/// A server in this process, on a free port, as long as the process lives.
async fn start_server() -> anyhow::Result<Listen> {
    let listener = Listener::bind(&"127.0.0.1:0".parse().map_err(anyhow::Error::msg)?).await?;
    let address = listener.address()?;
    let limits = Limits { shutdown_grace: Duration::ZERO, ..Limits::default() };
    let server = Server::start(vec![listener], 1, &limits, None)?;
    tokio::spawn(server.run(std::future::pending()));
    Ok(address)
}

/// Reads lines and sends them by the thousand. The lines of a message are remembered before it is
/// sent, so that they are there when its answer is.
fn read_messages(
    files: &[PathBuf],
    send: &mpsc::Sender<pb::ValidateManyRequest>,
    remember: &mpsc::Sender<Vec<Line>>,
) -> anyhow::Result<()> {
    let mut lines = Vec::with_capacity(BOARDS_PER_MESSAGE);
    let pass_on = |lines: Vec<Line>| -> anyhow::Result<()> {
        let board = |line: &Line| pb::Board { cells: line.text.clone() };
        let request = pb::ValidateManyRequest { boards: lines.iter().map(board).collect() };
        remember.blocking_send(lines).ok().context(GONE)?;
        send.blocking_send(request).ok().context(GONE)
    };
    let read = input::read(files, |line| {
        let pauses = line.pauses;
        lines.push(line);
        if lines.len() < BOARDS_PER_MESSAGE && !pauses {
            return Ok(());
        }
        pass_on(std::mem::replace(&mut lines, Vec::with_capacity(BOARDS_PER_MESSAGE)))
    });
    // What was read before a failure is still told.
    if !lines.is_empty() {
        pass_on(lines)?;
    }
    read
}

/// What the server found of a board, in the words of the library.
fn found(outcome: pb::Outcome) -> anyhow::Result<Found> {
    match outcome.outcome.context("an outcome that is not set")? {
        Outcome::Verdict(verdict) if verdict.valid() => Ok(Found::Valid),
        Outcome::Verdict(verdict) => {
            let conflicts = verdict.conflicts.iter().map(conflict).collect::<Result<_, _>>()?;
            Ok(Found::Conflicts(conflicts))
        }
        Outcome::Malformed(fault) => Ok(Found::Malformed(fault.description)),
    }
}

fn conflict(conflict: &pb::Conflict) -> anyhow::Result<Conflict> {
    let unit = conflict.unit().as_str_name().trim_start_matches("UNIT_").to_lowercase();
    let cell = |cell: &pb::Cell| -> anyhow::Result<Cell> {
        Ok(Cell { row: cell.row().try_into()?, column: cell.column().try_into()? })
    };
    let cells = conflict.cells.iter().map(cell).collect::<anyhow::Result<Vec<_>>>()?;
    let places = cells.iter().map(Cell::to_string).collect::<Vec<_>>().join(", ");
    let text = format!("{unit} {} has digit {} at {places}", conflict.index(), conflict.digit);
    Ok(Conflict { text, cells })
}
