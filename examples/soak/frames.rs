//! HTTP/2 byte by byte, for what no library sends.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const GOAWAY: u8 = 7;

pub const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// What begins a connection: the preface and no settings of its own.
pub fn hello() -> Vec<u8> {
    [PREFACE, &frame(SETTINGS, 0, 0, b"")].concat()
}

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = u32::try_from(payload.len()).unwrap_or(u32::MAX).to_be_bytes();
    [&length[..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// The path of the calls on most streams here.
pub const VALIDATE_MANY: &str = "/sudoku.v1.SudokuService/ValidateMany";

/// The headers of a call, each a literal without Huffman coding.
pub fn call(stream: u32, path: &str) -> Vec<u8> {
    let headers = [
        (":method", "POST"),
        (":scheme", "http"),
        (":authority", "localhost"),
        (":path", path),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    let mut block = Vec::new();
    for (name, value) in headers {
        block.push(0);
        for text in [name, value] {
            // The length of each fits the seven bits of its first byte.
            block.extend(u8::try_from(text.len()));
            block.extend_from_slice(text.as_bytes());
        }
    }
    frame(HEADERS, END_HEADERS, stream, &block)
}

/// Reads up to the next frame of a kind, and gives its payload.
pub async fn until<S: AsyncRead + Unpin>(stream: &mut S, wanted: u8) -> io::Result<Vec<u8>> {
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let [a, b, c, kind, ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        stream.read_exact(&mut payload).await?;
        if kind == wanted {
            return Ok(payload);
        }
    }
}
