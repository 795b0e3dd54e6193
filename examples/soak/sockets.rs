//! Clients that break the protocol, or come and never speak, or vanish.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;
use tokio_util::either::Either;

use crate::frames::{self, DATA, END_STREAM, GOAWAY, HEADERS, PREFACE, RST_STREAM, VALIDATE_MANY};
use crate::kinds::HANDSHAKE_TIMEOUT;
use crate::target::Target;

/// How soon the server closes a connection that it is done with.
const CLOSE_MAX: Duration = Duration::from_secs(5);

/// The HTTP/2 error code with which a client is told to do less.
const ENHANCE_YOUR_CALM: &[u8] = &[0, 0, 0, 11];

/// Reads until the server closes: what it sent, or that it did not close.
async fn closes(
    stream: &mut (impl AsyncRead + Unpin),
    within: Duration,
) -> anyhow::Result<Vec<u8>> {
    let mut sent = Vec::new();
    // A reset ends a connection as well as a close.
    let _ = timeout(within, stream.read_to_end(&mut sent)).await.context("not closed")?;
    Ok(sent)
}

/// Sends what the server may stop to take at any byte.
async fn send(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) {
    let _ = stream.write_all(bytes).await;
    let _ = stream.flush().await;
}

/// Opens streams and resets them at once, far more than HTTP/2 servers stand.
pub async fn reset_flood(target: Target, _: u64) -> anyhow::Result<u64> {
    let mut stream = target.connect().await?;
    let mut bytes = frames::hello();
    for id in (1..2_000).step_by(2) {
        bytes.extend(frames::call(id, VALIDATE_MANY));
        bytes.extend(frames::frame(RST_STREAM, 0, id, &[0, 0, 0, 8]));
    }
    send(&mut stream, &bytes).await;
    let goaway = frames::until(&mut stream, GOAWAY).await.context("no GOAWAY")?;
    ensure!(goaway.get(4..8) == Some(ENHANCE_YOUR_CALM), "GOAWAY {goaway:?}");
    closes(&mut stream, CLOSE_MAX).await?;
    Ok(1)
}

/// The streams that there are besides `ValidateMany`.
const OTHER_STREAMS: [&str; 3] = [
    "/grpc.health.v1.Health/Watch",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];

/// Is gone in the middle of a message, once the calls have begun: by a reset every other time, where
/// there are any.
pub async fn vanish(target: Target, seed: u64) -> anyhow::Result<u64> {
    let mut stream = target.connect().await?;
    let mut bytes = frames::hello();
    for (id, path) in (1..).step_by(2).zip(OTHER_STREAMS) {
        bytes.extend(frames::call(id, path));
    }
    bytes.extend(frames::call(7, VALIDATE_MANY));
    bytes.extend(frames::frame(DATA, 0, 7, b"\0\0\0\0\x55\x0a\x53\x0a\x5153..7.."));
    stream.write_all(&bytes).await?;
    stream.flush().await?;
    // Those of both reflections and of the last; the watch waits for its message.
    for _ in 0..3 {
        frames::until(&mut stream, HEADERS).await.context("no response")?;
    }
    if let Either::Right(tls) = &stream
        && seed.is_multiple_of(2)
    {
        tls.get_ref().0.set_zero_linger()?;
    }
    Ok(1)
}

/// Closes its half after a whole request. The server closes the other, with an answer or without.
pub async fn half_closed(target: Target, _: u64) -> anyhow::Result<u64> {
    let mut stream = target.connect().await?;
    let empty_message = frames::frame(DATA, END_STREAM, 1, &[0; 5]);
    stream
        .write_all(&[frames::hello(), frames::call(1, VALIDATE_MANY), empty_message].concat())
        .await?;
    stream.shutdown().await?;
    closes(&mut stream, CLOSE_MAX).await?;
    Ok(1)
}

/// Bytes that are no HTTP/2, from the start or later, and over TLS also bytes that are no TLS.
pub async fn bad_bytes(target: Target, seed: u64) -> anyhow::Result<u64> {
    let noise: Vec<u8> = (0..64).map(|i| seed.wrapping_mul(i | 1).to_be_bytes()[3]).collect();
    let no_frame = frames::frame(9, 0, 0, &noise);
    let unknown_stream = frames::frame(DATA, 0, 1, &noise);
    let no_header_block = frames::frame(HEADERS, 4, 1, &[0xff; 40]);
    let mut too_large = frames::frame(DATA, 0, 1, &[]);
    too_large[0] = 0xff;
    for bytes in [no_frame, unknown_stream, no_header_block, too_large] {
        let mut stream = target.connect().await?;
        send(&mut stream, &[frames::hello(), bytes].concat()).await;
        let sent = closes(&mut stream, CLOSE_MAX).await?;
        ensure!(!sent.is_empty(), "closed without a word");
    }
    let mut socket = target.socket().await?;
    send(&mut socket, &[&b"\xfe"[..], &noise].concat()).await;
    closes(&mut socket, CLOSE_MAX).await?;
    Ok(5)
}

/// Asks in HTTP/1.1, which is refused in one way or another.
pub async fn http1(target: Target, _: u64) -> anyhow::Result<u64> {
    let mut stream = target.connect().await?;
    send(&mut stream, b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    let sent = closes(&mut stream, CLOSE_MAX).await?;
    ensure!(!sent.starts_with(b"HTTP/1.1 2"), "served: {:?}", String::from_utf8_lossy(&sent));
    Ok(1)
}

/// Connects and never gets as far as a call: sends nothing, or half of what a connection begins
/// with; over TLS, before the handshake or after it. It is closed in time, and not at once.
pub async fn half_open(target: Target, seed: u64) -> anyhow::Result<u64> {
    let beginning: &[u8] = match target {
        Target::Unix(..) => &PREFACE[..3],
        Target::Tls(..) => &[0x16, 3, 1, 2, 0, 1],
    };
    match seed % 4 {
        0 => silent(target.socket().await?, b"").await,
        1 => silent(target.socket().await?, beginning).await,
        2 => silent(target.connect().await?, b"").await,
        _ => silent(target.connect().await?, &PREFACE[..12]).await,
    }
}

async fn silent(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    bytes: &[u8],
) -> anyhow::Result<u64> {
    let begun = Instant::now();
    stream.write_all(bytes).await?;
    stream.flush().await?;
    closes(&mut stream, HANDSHAKE_TIMEOUT + CLOSE_MAX).await?;
    let after = begun.elapsed();
    ensure!(after > HANDSHAKE_TIMEOUT / 2, "closed after {after:?}");
    Ok(1)
}

/// Comes without a certificate, and is not served.
pub async fn stranger(target: Target, _: u64) -> anyhow::Result<u64> {
    // In TLS 1.3, it is refused when its own part of the handshake is over.
    if let Ok(mut stream) = target.connect().await {
        send(&mut stream, &frames::hello()).await;
        let sent = closes(&mut stream, CLOSE_MAX).await?;
        ensure!(sent.is_empty(), "served: {sent:?}");
    }
    Ok(1)
}
