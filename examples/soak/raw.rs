//! HTTP/2 clients that do what a well-behaved gRPC client never does.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use h2::client::{Builder, ResponseFuture, SendRequest};
use h2::{Reason, RecvStream, SendStream};
use prost::Message;
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::task::JoinSet;
use tokio::time::{Interval, interval, sleep, timeout};
use tonic::Code;

use crate::boards::{request, response};
use crate::target::Target;

/// A deadline that is no matter, as a header.
const NEVER: &str = "60S";

/// How soon a deadline of less is noticed, on a machine that has much to do.
const DEADLINE_MAX: Duration = Duration::from_secs(5);

/// A connection on which streams of `ValidateMany` are opened.
struct Client(SendRequest<Bytes>);

impl Client {
    async fn connect(target: &Target, builder: &Builder) -> anyhow::Result<Self> {
        let (requests, connection) = builder.handshake(target.connect().await?).await?;
        // Its end is seen by its streams.
        tokio::spawn(connection);
        Ok(Self(requests))
    }

    /// Opens a stream and leaves its request open.
    async fn open(
        &mut self,
        deadline: &str,
    ) -> anyhow::Result<(ResponseFuture, SendStream<Bytes>)> {
        let request = http::Request::post("http://localhost/sudoku.v1.SudokuService/ValidateMany")
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header("grpc-timeout", deadline)
            .body(())?;
        self.0 = self.0.clone().ready().await?;
        Ok(self.0.send_request(request, false)?)
    }
}

/// The answers of a stream, read little by little.
struct Answers {
    body: RecvStream,
    unread: BytesMut,
    pause: Interval,
}

impl Answers {
    async fn of(response: ResponseFuture) -> anyhow::Result<Self> {
        let body = response.await?.into_body();
        Ok(Self { body, unread: BytesMut::new(), pause: interval(Duration::from_millis(1)) })
    }

    async fn next(&mut self) -> anyhow::Result<Option<pb::ValidateManyResponse>> {
        loop {
            if let [0, a, b, c, d, rest @ ..] = &self.unread[..] {
                let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
                if let Some(message) = rest.get(..length) {
                    let message = pb::ValidateManyResponse::decode(message)?;
                    self.unread.advance(5 + length);
                    return Ok(Some(message));
                }
            }
            let Some(data) = self.body.data().await else {
                ensure!(self.unread.is_empty(), "the last answer is cut off");
                return Ok(None);
            };
            let data = data?;
            self.unread.extend_from_slice(&data);
            self.pause.tick().await;
            self.body.flow_control().release_capacity(data.len())?;
        }
    }

    async fn status(mut self) -> anyhow::Result<Code> {
        let trailers = self.body.trailers().await?.context("no trailers")?;
        Ok(Code::from_bytes(trailers.get("grpc-status").context("no status")?.as_bytes()))
    }
}

/// Messages of one board each, as they stand in DATA frames.
fn framed(seeds: impl IntoIterator<Item = u64>) -> anyhow::Result<Bytes> {
    let mut data = BytesMut::new();
    for seed in seeds {
        let message = request([seed]);
        data.put_u8(0);
        data.put_u32(message.encoded_len().try_into()?);
        message.encode(&mut data)?;
    }
    Ok(data.freeze())
}

/// Sends everything and gives the answers a window of 512 bytes, anew every millisecond or so.
pub async fn slow_reader(target: Target, seed: u64) -> anyhow::Result<u64> {
    let mut client = Client::connect(&target, Builder::new().initial_window_size(512)).await?;
    let seeds = seed..seed + 300;
    let (response, mut requests) = client.open(NEVER).await?;
    requests.send_data(framed(seeds.clone())?, true)?;
    all_right(response, seeds).await
}

/// Fills as many streams as a connection takes, and reads nothing at all for some time.
#[expect(clippy::disallowed_methods, reason = "what is to happen for so long is nothing")]
pub async fn stopped_reader(target: Target, seed: u64, stop: Duration) -> anyhow::Result<u64> {
    let mut client = Client::connect(&target, &Builder::new()).await?;
    let mut streams = Vec::new();
    for seeds in (0..64).map(|k| seed + 100 * k..seed + 100 * k + 600) {
        let (response, mut requests) = client.open("120S").await?;
        requests.send_data(framed(seeds.clone())?, true)?;
        streams.push((response, seeds));
    }
    sleep(stop).await;
    // All at once, since they share the window of the connection.
    let mut readers: JoinSet<_> =
        streams.into_iter().map(|(response, seeds)| all_right(response, seeds)).collect();
    let mut right = 0;
    while let Some(read) = readers.join_next().await {
        right += read??;
    }
    Ok(right)
}

async fn all_right(
    answers: ResponseFuture,
    seeds: impl IntoIterator<Item = u64>,
) -> anyhow::Result<u64> {
    let mut answers = Answers::of(answers).await?;
    let mut right = 0;
    for seed in seeds {
        let answer = answers.next().await?.with_context(|| format!("no answer {right}"))?;
        ensure!(answer == response([seed]), "board {seed}: {answer:?}");
        right += 1;
    }
    ensure!(answers.next().await?.is_none(), "more answers than messages");
    let status = answers.status().await?;
    ensure!(status == Code::Ok, "{status:?}");
    Ok(right)
}

/// A stream that is left open until its deadline, which the server may reach before it has answered
/// the only message.
pub async fn deadline(target: Target, seed: u64) -> anyhow::Result<u64> {
    const DEADLINE: Duration = Duration::from_millis(200);
    let mut client = Client::connect(&target, &Builder::new()).await?;
    let begun = Instant::now();
    let (answers, mut requests) = client.open("200m").await?;
    requests.send_data(framed([seed])?, false)?;
    let mut answers = Answers::of(answers).await?;
    if let Some(answer) = answers.next().await? {
        ensure!(answer == response([seed]), "{answer:?}");
        let more = timeout(DEADLINE_MAX, answers.next()).await;
        let more = more.context("the deadline has passed and nothing came")??;
        ensure!(more.is_none(), "after the only answer: {more:?}");
    }
    let status = answers.status().await?;
    ensure!(status == Code::DeadlineExceeded, "{status:?}");
    ensure!(begun.elapsed() >= DEADLINE, "exceeded after {:?}", begun.elapsed());
    Ok(1)
}

/// Resets streams that the server has begun to answer, with messages and answers on their way. It
/// may end the connection for it; if it does not, the connection serves on.
pub async fn resets(target: Target, seed: u64) -> anyhow::Result<u64> {
    let mut client = Client::connect(&target, &Builder::new()).await?;
    for _ in 0..2 {
        if let Err(error) = reset_many(&mut client, seed).await {
            return error.downcast().map_or_else(Err, calmed);
        }
    }
    let (response, mut requests) = client.open(NEVER).await?;
    requests.send_data(framed([seed])?, true)?;
    all_right(response, [seed]).await
}

async fn reset_many(client: &mut Client, seed: u64) -> anyhow::Result<()> {
    let messages = framed(seed..seed + 1_000)?;
    let mut streams = Vec::new();
    for _ in 0..32 {
        let (response, mut requests) = client.open(NEVER).await?;
        requests.send_data(messages.clone(), false)?;
        streams.push((response, requests));
    }
    for (response, mut requests) in streams {
        let _answers = response.await?;
        requests.send_reset(Reason::CANCEL);
    }
    Ok(())
}

fn calmed(error: h2::Error) -> anyhow::Result<u64> {
    let calm = error.is_go_away() && error.reason() == Some(Reason::ENHANCE_YOUR_CALM);
    if calm { Ok(1) } else { Err(error.into()) }
}
