//! A server that is restarted now and then: no call fails and no answer is lost.

use std::time::{Duration, Instant};

use sudoku_validator::rpc::pb::sudoku as pb;
use tonic::{Code, Request, Status};

use crate::{CLASSIC, CONFLICTING, Tally, is_valid, request};

const PAUSE: Duration = Duration::from_millis(50);

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
                Err(status) if is_lost(&status) => tokio::time::sleep(PAUSE).await,
                answer => break answer?.into_inner().verdict,
            }
        };
        tally.count(answer.and_then(|verdict| verdict.valid) == Some(cells == CLASSIC));
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
    loop {
        let first = tally.passed + tally.failed;
        let messages =
            (first..).take_while(move |_| Instant::now() < end).map(|k| request(boards(k)));
        let ended = match client.validate_many(tokio_stream::iter(messages)).await {
            Ok(responses) => read(responses.into_inner(), &mut tally).await,
            Err(status) => Err(status),
        };
        match ended {
            Ok(()) => return Ok((tally, resumes)),
            Err(status) if is_lost(&status) => tokio::time::sleep(PAUSE).await,
            Err(status) => return Err(status.into()),
        }
        resumes += 1;
    }
}

async fn read(
    mut responses: tonic::Streaming<pb::ValidateManyResponse>,
    tally: &mut Tally,
) -> Result<(), Status> {
    while let Some(response) = responses.message().await? {
        let expected = boards(tally.passed + tally.failed).map(|cells| Some(cells == CLASSIC));
        tally.count(response.outcomes.iter().map(is_valid).eq(expected));
    }
    Ok(())
}
