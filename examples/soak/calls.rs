//! Well-behaved clients: their calls, the limits that they meet, and calls that they give up.

use std::time::Duration;

use anyhow::{Context, bail, ensure};
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tonic::codec::CompressionEncoding;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::answers::outcome;
use crate::boards::{board, request, response, text};
use crate::target::Target;
use crate::unary::as_outcome;
use pb::sudoku_service_client::SudokuServiceClient as Client;

fn client(target: &Target) -> Client<Channel> {
    Client::new(target.channel())
}

/// More calls at once than the connection takes: the client queues the rest.
pub async fn unary(target: Target, seed: u64) -> anyhow::Result<u64> {
    let client = client(&target);
    // Until the server has told its limit, hyper opens 100 calls, and tonic makes none again that is
    // refused.
    validate(client.clone(), seed).await?;
    let mut calls: JoinSet<_> =
        (seed + 1..seed + 200).map(|seed| validate(client.clone(), seed)).collect();
    let mut right = 1;
    while let Some(answer) = calls.join_next().await {
        answer??;
        right += 1;
    }
    Ok(right)
}

/// One call, every other one with a deadline that is no matter.
async fn validate(mut client: Client<Channel>, seed: u64) -> anyhow::Result<()> {
    let text = text(seed);
    let mut request = Request::new(pb::ValidateRequest { board: Some(board(text.clone())) });
    if seed.is_multiple_of(2) {
        request.set_timeout(Duration::from_secs(60));
    }
    let answer = client.validate(request).await.map(tonic::Response::into_inner);
    let answer = as_outcome(answer).with_context(|| format!("{text:?}"))?;
    ensure!(answer == outcome(&text), "{text:?}: {answer:?}");
    Ok(())
}

/// Many messages of one board each.
pub async fn small_messages(target: Target, seed: u64) -> anyhow::Result<u64> {
    stream(client(&target), seed, 3_000, 1).await
}

/// Messages of as many boards as the server takes, every other time compressed.
pub async fn large_messages(target: Target, seed: u64) -> anyhow::Result<u64> {
    let mut client = client(&target);
    if seed.is_multiple_of(2) {
        client = client.send_compressed(CompressionEncoding::Gzip);
    }
    stream(client, seed, 4, 1_000).await
}

async fn stream(
    mut client: Client<Channel>,
    seed: u64,
    messages: u64,
    boards: u64,
) -> anyhow::Result<u64> {
    let seeds = move |k| (seed + k * boards..).take(usize::try_from(boards).unwrap_or(usize::MAX));
    let requests = tokio_stream::iter((0..messages).map(move |k| request(seeds(k))));
    let mut responses = client.validate_many(requests).await?.into_inner();
    for k in 0..messages {
        let answer = responses.message().await?.with_context(|| format!("no answer {k}"))?;
        ensure!(answer == response(seeds(k)), "wrong answer {k} to {boards} boards");
    }
    ensure!(responses.message().await?.is_none(), "more answers than messages");
    Ok(messages)
}

/// Messages that the server refuses, alone and after others.
pub async fn over_limits(target: Target, seed: u64) -> anyhow::Result<u64> {
    let huge = || board("1".repeat(1024 * 1024));
    let request_of_one = pb::ValidateRequest { board: Some(huge()) };
    let Err(status) = client(&target).validate(request_of_one).await else { bail!("taken") };
    is(&status, Code::ResourceExhausted, "the limit is 1048576")?;

    let too_large = pb::ValidateManyRequest { boards: vec![huge()] };
    let status = refused(&target, seed, too_large).await?;
    is(&status, Code::ResourceExhausted, "the limit is 1048576")?;

    let status = refused(&target, seed, request(seed..seed + 1_001)).await?;
    is(&status, Code::InvalidArgument, "found 1001 boards in one message, the limit is 1000")?;
    Ok(3)
}

fn is(status: &Status, code: Code, message: &str) -> anyhow::Result<()> {
    ensure!(status.code() == code && status.message().contains(message), "{status:?}");
    Ok(())
}

/// The status of a message that comes after a good one, which is answered.
async fn refused(
    target: &Target,
    seed: u64,
    bad: pb::ValidateManyRequest,
) -> anyhow::Result<Status> {
    let requests = tokio_stream::iter([request([seed]), bad]);
    let mut responses = client(target).validate_many(requests).await?.into_inner();
    let answer = responses.message().await.context("before the first answer")?;
    let answer = answer.context("no answer")?;
    ensure!(answer == response([seed]), "{answer:?}");
    match responses.message().await {
        Err(status) => Ok(status),
        Ok(answer) => bail!("refused nothing: {} boards", answer.map_or(0, |a| a.outcomes.len())),
    }
}

/// Calls that are given up at some point, and that do no harm to others on their connection.
pub async fn cancels(target: Target, seed: u64) -> anyhow::Result<u64> {
    let client = client(&target);
    validate(client.clone(), seed).await?;
    for k in seed..seed + 20 {
        let after = Duration::from_micros(100 * (k % 20));
        if let Ok(answer) = timeout(after, validate(client.clone(), k)).await {
            answer?;
        }
        if let Ok(answer) = timeout(after, give_up(client.clone(), k)).await {
            answer?;
        }
        validate(client.clone(), k).await?;
    }
    Ok(21)
}

/// Gives up a stream when a part of its answers is read. There are more than the client's window
/// takes, while the messages all fit the server's: hyper's client never resets a stream whose
/// messages still wait for window.
async fn give_up(mut client: Client<Channel>, seed: u64) -> anyhow::Result<()> {
    let boards = seed..seed + 100;
    let again = boards.clone();
    let requests = tokio_stream::iter((0..6).map(move |_| request(again.clone())));
    let mut responses = client.validate_many(requests).await?.into_inner();
    for _ in 0..seed % 4 {
        let answer = responses.message().await?.context("no answer")?;
        ensure!(answer == response(boards.clone()), "wrong answer");
    }
    Ok(())
}
