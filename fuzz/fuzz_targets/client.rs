//! The other end of connections.

use std::path::Path;
use std::sync::LazyLock;

use prost::Message;
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use crate::frames::{self, ACK, DATA, END_STREAM, Frame, HEADERS, PING, frame, split};
use crate::{oracle, script};

const CONFLICTING: &str =
    "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// Sends the parts, with a pause between them, and waits until the server closes the connection.
pub async fn converse(socket: &Path, parts: &[Vec<u8>]) {
    let mut connection = Connection::open(socket).await;
    let (last, first) = parts.split_last().unwrap();
    for part in first {
        connection.send(part).await;
        connection.pause().await;
    }
    connection.send(last).await;
    connection.close().await;
}

/// Calls `Validate` and fails when the answer is not the right one.
pub async fn check(socket: &Path) {
    let mut connection = Connection::open(socket).await;
    connection.send(&CHECK.call).await;
    let is_last = |frame: &Frame| frame.stream == 1 && frame.flags & END_STREAM != 0;
    connection.until(|frame| frame.kind == HEADERS && is_last(frame)).await;
    let data = split(&connection.received).filter(|frame| frame.kind == DATA);
    let answer = data.map(|frame| frame.payload).collect::<Vec<_>>().concat();
    assert_eq!(answer, CHECK.answer, "the server answers another call right");
    connection.close().await;
}

/// What [`check`] sends, and the message that answers it.
struct Check {
    call: Vec<u8>,
    answer: Vec<u8>,
}

static CHECK: LazyLock<Check> = LazyLock::new(|| {
    let board = pb::Board { cells: CONFLICTING.to_owned() };
    let request = pb::ValidateRequest { board: Some(board) }.encode_to_vec();
    let call = [
        frames::preface(),
        frame(HEADERS, frames::END_HEADERS, 1, &script::call(0, &[])),
        frame(DATA, END_STREAM, 1, &frames::message(0, &request)),
    ];
    let verdict = Some(oracle::verdict(&oracle::read(CONFLICTING).unwrap()));
    let answer = pb::ValidateResponse { verdict }.encode_to_vec();
    Check { call: call.concat(), answer: frames::message(0, &answer) }
});

struct Connection {
    reader: OwnedReadHalf,
    writer: OwnedWriteHalf,
    received: Vec<u8>,
    pings: u64,
}

impl Connection {
    async fn open(socket: &Path) -> Self {
        let (reader, writer) = UnixStream::connect(socket).await.unwrap().into_split();
        Self { reader, writer, received: Vec::new(), pings: 0 }
    }

    /// Sends, and reads meanwhile: a server that cannot send need not read.
    async fn send(&mut self, bytes: &[u8]) {
        let Self { reader, writer, received, .. } = self;
        tokio::select! {
            // It fails when the server has closed, as it may.
            _ = writer.write_all(bytes) => {}
            () = async { while read(reader, received).await {} } => {}
        }
    }

    /// Waits until the server has read all that was sent, and once more, so that it has sent what
    /// that made it send.
    async fn pause(&mut self) {
        for _ in 0..2 {
            self.pings += 1;
            let payload = self.pings.to_be_bytes();
            self.send(&frame(PING, 0, 0, &payload)).await;
            let pong = |frame: &Frame| frame.kind == PING && frame.flags == ACK;
            self.until(|frame| pong(frame) && frame.payload == payload).await;
        }
    }

    /// Reads until a frame has come, or the server has closed.
    async fn until(&mut self, awaited: impl Fn(&Frame) -> bool) {
        while !split(&self.received).any(|frame| awaited(&frame)) {
            if !read(&mut self.reader, &mut self.received).await {
                return;
            }
        }
    }

    /// Ends what is sent, and reads until the server closes.
    async fn close(mut self) {
        // It fails when the server has closed already.
        let _ = self.writer.shutdown().await;
        while read(&mut self.reader, &mut self.received).await {}
    }
}

/// Reads what has come; false when no more can.
async fn read(reader: &mut OwnedReadHalf, received: &mut Vec<u8>) -> bool {
    reader.read_buf(received).await.is_ok_and(|count| count > 0)
}
