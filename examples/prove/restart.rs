//! A server that is restarted now and then: no call fails and no answer is lost.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use anyhow::bail;

use sudoku_validator::rpc::pb::sudoku as pb;
use tonic::{Code, Request, Status};

use crate::{CLASSIC, CONFLICTING, Tally, expected, request};

const PAUSE: Duration = Duration::from_millis(50);

/// How long after the end the last answers may take.
const GRACE: Duration = Duration::from_secs(30);

pub async fn run(address: &str, seconds: u64) -> anyhow::Result<Tally> {
    let end = Instant::now() + Duration::from_secs(seconds);
    let (calls, stream) = tokio::join!(unary(address, end), resumed_stream(address, end));
    let (calls, (stream, resumes)) = (calls?, stream?);
    println!(
        "calls: {}, stream messages: {}, resumes: {resumes}",
        calls.passed + calls.failed,
        stream.passed + stream.failed,
    );
    Ok(Tally { passed: calls.passed + stream.passed, failed: calls.failed + stream.failed })
}

/// Whether a call can be made again: the server is away, or went away while it was under way. hyper
/// tells the latter as UNKNOWN or CANCELLED.
fn is_lost(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled)
}

async fn unary(address: &str, end: Instant) -> anyhow::Result<Tally> {
    let mut client = crate::client(address)?;
    let mut tally = Tally::default();
    while Instant::now() < end {
        let cells = if tally.passed.is_multiple_of(2) { CLASSIC } else { CONFLICTING };
        let answer = loop {
            let board = Some(pb::Board { cells: cells.to_owned() });
            let mut request = Request::new(pb::ValidateRequest { board });
            request.set_timeout(Duration::from_secs(10));
            match client.validate(request).await {
                Err(status) if is_lost(&status) && Instant::now() < end + GRACE => {
                    tokio::time::sleep(PAUSE).await;
                }
                answer => break answer?.into_inner().verdict,
            }
        };
        let expected = expected([cells]).outcomes.pop().and_then(|outcome| outcome.outcome);
        tally.count(answer.map(pb::outcome::Outcome::Verdict) == expected);
    }
    Ok(tally)
}

/// The boards of message k of the stream.
fn boards(k: u64) -> impl Iterator<Item = &'static str> {
    (0..=k % 3).map(move |i| if (k + i).is_multiple_of(2) { CONFLICTING } else { CLASSIC })
}

/// One stream of numbered messages, which goes on from the first without an answer when it breaks.
async fn resumed_stream(address: &str, end: Instant) -> anyhow::Result<(Tally, u64)> {
    let mut client = crate::client(address)?;
    let (mut tally, mut resumes) = (Tally::default(), 0);
    // One more than the last message that was ever sent.
    let sent = Arc::new(AtomicU64::new(0));
    loop {
        let messages = unanswered(tally.passed + tally.failed, &sent, end);
        let ended = match client.validate_many(tokio_stream::iter(messages)).await {
            Ok(responses) => read(responses.into_inner(), &mut tally).await,
            Err(status) => Err(status.into()),
        };
        match ended.map_err(anyhow::Error::downcast::<Status>) {
            Ok(()) if tally.passed + tally.failed == sent.load(Relaxed) => {
                return Ok((tally, resumes));
            }
            Ok(()) => bail!("the stream ended with messages unanswered"),
            Err(Ok(status)) if is_lost(&status) && Instant::now() < end + GRACE => {
                tokio::time::sleep(PAUSE).await;
            }
            Err(Ok(status)) => return Err(status.into()),
            Err(Err(error)) => return Err(error),
        }
        resumes += 1;
    }
}

/// The messages from one on: until the end, and all that were sent before.
fn unanswered(
    first: u64,
    sent: &Arc<AtomicU64>,
    end: Instant,
) -> impl Iterator<Item = pb::ValidateManyRequest> + use<> {
    let sent = Arc::clone(sent);
    let due = move |k: &u64| {
        let is_due = Instant::now() < end || *k < sent.load(Relaxed);
        if is_due {
            sent.fetch_max(k + 1, Relaxed);
        }
        is_due
    };
    (first..).take_while(due).map(|k| request(boards(k)))
}

async fn read(
    mut responses: tonic::Streaming<pb::ValidateManyResponse>,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    while let Some(response) = responses.message().await? {
        let expected = expected(boards(tally.passed + tally.failed));
        tally.count(response == expected);
    }
    Ok(())
}
