//! An HTTP/2 client that sends frames as it is told, right or wrong.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

/// The flags of a frame.
pub const END_STREAM: u8 = 1;
pub const ACK: u8 = 1;
pub const END_HEADERS: u8 = 4;

pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

impl Frame {
    /// The reason that a `GOAWAY` gives.
    pub fn reason(&self) -> h2::Reason {
        u32::from_be_bytes(self.payload[4..8].try_into().unwrap()).into()
    }
}

pub struct Frames<S = TcpStream>(pub S);

impl Frames {
    /// Begins a connection, and reads the settings of the server.
    pub async fn connect(address: &str) -> Self {
        Self::try_connect(address).await.unwrap()
    }

    /// The same; none when the server closes it.
    pub async fn try_connect(address: &str) -> Option<Self> {
        let mut client = Self(TcpStream::connect(address).await.ok()?);
        client.0.set_nodelay(true).ok()?;
        client.0.write_all(PREFACE).await.ok()?;
        client.send(SETTINGS, 0, 0, &[]).await.ok()?;
        assert_eq!(client.next(SETTINGS).await?.flags, 0);
        client.send(SETTINGS, ACK, 0, &[]).await.ok()?;
        Some(client)
    }

    pub async fn send(&mut self, kind: u8, flags: u8, stream: u32, data: &[u8]) -> io::Result<()> {
        self.0.write_all(&frame(kind, flags, stream, data)).await
    }

    /// The same, to read frames and to write bytes at once.
    pub fn split(self) -> (Frames<OwnedReadHalf>, OwnedWriteHalf) {
        let (reader, writer) = self.0.into_split();
        (Frames(reader), writer)
    }

    /// Opens a gRPC call.
    pub async fn call(&mut self, stream: u32, path: &str) {
        self.send(HEADERS, END_HEADERS, stream, &call(path)).await.unwrap();
    }
}

impl<S: AsyncRead + Unpin> Frames<S> {
    /// The next frame; none when the connection is closed or reset.
    pub async fn read(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).await.ok()?;
        let [a, b, c, kind, flags, stream @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        self.0.read_exact(&mut payload).await.ok()?;
        Some(Frame { kind, flags, stream: u32::from_be_bytes(stream), payload })
    }

    /// The next frame of a kind, past those of others.
    pub async fn next(&mut self, kind: u8) -> Option<Frame> {
        loop {
            let frame = self.read().await?;
            if frame.kind == kind {
                return Some(frame);
            }
        }
    }
}

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// The header block of a gRPC call, in HPACK without compression.
pub fn call(path: &str) -> Vec<u8> {
    const POST: u8 = 0x83;
    const HTTP: u8 = 0x86;
    let mut block = vec![POST, HTTP];
    for (name, value) in [
        (":path", path),
        (":authority", "server"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ] {
        block.extend(field(name, value));
    }
    block
}

/// A header field in HPACK, without compression.
pub fn field(name: &str, value: &str) -> Vec<u8> {
    let length = |text: &str| u8::try_from(text.len()).ok().filter(|&length| length < 127).unwrap();
    [&[0, length(name)], name.as_bytes(), &[length(value)], value.as_bytes()].concat()
}
