use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bytes::{Buf, BufMut, Bytes};
use h2::client::{Builder, SendRequest};
use http::Request;
use prost::Message;
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::answers::{expected, request, verdict};

const CONNECTIONS: usize = 4;
/// Who make one call after the other, each on one of the connections.
const CALLERS: usize = 16 * CONNECTIONS;

/// The messages of a call, as they stand in DATA frames, and what must come back.
pub struct Call {
    rpc: &'static str,
    messages: Vec<Bytes>,
    /// None is for the status of a malformed board.
    answers: Bytes,
}

/// Makes so many calls, these over and over, and fails at an answer that is not as expected.
pub async fn run(calls: &Arc<[Call]>, count: usize, on: &[SendRequest<Bytes>]) -> Result<()> {
    let mut callers = JoinSet::new();
    for (first, connection) in on.iter().cycle().take(CALLERS).enumerate() {
        let (calls, mut connection) = (calls.clone(), connection.clone());
        callers.spawn(async move {
            for number in (first..count).step_by(CALLERS) {
                connection = connection.ready().await?;
                calls[number % calls.len()].make(&mut connection).await?;
            }
            anyhow::Ok(())
        });
    }
    let ended = timeout(Duration::from_secs(60), callers.join_all()).await;
    ended.context("a call is never answered")?.into_iter().collect()
}

impl Call {
    pub fn validate(cells: &str) -> Self {
        let message = pb::ValidateRequest { board: request([cells]).boards.pop() };
        let verdict = cells.parse().ok().map(|board| verdict(&board));
        let answers = verdict.map(|v| framed(&pb::ValidateResponse { verdict: Some(v) }));
        let messages = vec![framed(&message).into()];
        Self { rpc: "Validate", messages, answers: answers.unwrap_or_default().into() }
    }

    /// A call with all these boards, so many in a message.
    pub fn validate_many(boards: &[String], by: usize) -> Self {
        let parts = boards.chunks(by).map(|boards| boards.iter().map(String::as_str));
        let messages = parts.clone().map(|boards| framed(&request(boards)).into()).collect();
        let answers = parts.flat_map(|boards| framed(&expected(boards))).collect();
        Self { rpc: "ValidateMany", messages, answers }
    }

    async fn make(&self, connection: &mut SendRequest<Bytes>) -> Result<()> {
        let head = Request::post(format!("http://localhost/sudoku.v1.SudokuService/{}", self.rpc))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(())?;
        let (response, mut request) = connection.send_request(head, false)?;
        for (left, message) in (0..self.messages.len()).rev().zip(&self.messages) {
            request.send_data(message.clone(), left == 0)?;
        }
        let (head, mut body) = response.await?.into_parts();
        let mut expected = self.answers.clone();
        while let Some(data) = body.data().await.transpose()? {
            ensure!(expected.starts_with(&data), "{}: a wrong answer", self.rpc);
            expected.advance(data.len());
            body.flow_control().release_capacity(data.len())?;
        }
        let trailers = body.trailers().await?.unwrap_or(head.headers);
        let status = trailers.get("grpc-status").context("no status")?;
        let right = if self.answers.is_empty() { "3" } else { "0" };
        ensure!(status == right, "status {status:?}, not {right}");
        ensure!(expected.is_empty(), "an answer is missing");
        Ok(())
    }
}

fn framed(message: &impl Message) -> Vec<u8> {
    let mut frame = vec![0];
    frame.put_u32(u32::try_from(message.encoded_len()).unwrap_or(u32::MAX));
    frame.extend(message.encode_to_vec());
    frame
}

/// Connections that last until they are dropped.
pub async fn connect(address: &str) -> Result<Vec<SendRequest<Bytes>>> {
    let mut http2 = Builder::new();
    // h2 ends a connection whose window is small while many small answers are unread.
    http2.initial_window_size(65_535).initial_connection_window_size(16 * 1024 * 1024);
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (requests, connection) = http2.handshake(stream).await?;
        tokio::spawn(connection);
        connections.push(requests);
    }
    Ok(connections)
}
