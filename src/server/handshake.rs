//! The first bytes of a connection: TLS, and the preface of HTTP/2.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use anyhow::{bail, ensure};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;

use super::connection::close;
use super::listener::Socket;
use super::small_frames::SmallFrames;
use super::tls::HTTP2;
use crate::last_read::LastRead;

pub(super) type Stream = Either<Socket, Box<TlsStream<Socket>>>;

/// What a client of HTTP/2 begins with.
const PREFACE: [u8; 24] = *b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What a client of TLS begins with: the type of a record.
const TLS_HANDSHAKE: u8 = 22;

const NOT_HTTP2: &str = "HTTP/1.1 505 HTTP Version Not Supported\r\n\
    content-type: text/plain\r\nconnection: close\r\n\r\n\
    This is a gRPC server, which speaks HTTP/2 alone. grpcurl calls it from a terminal: \
    https://github.com/fullstorydev/grpcurl\n";

const NOT_TLS: &str = "HTTP/1.1 400 Bad Request\r\n\
    content-type: text/plain\r\nconnection: close\r\n\r\n\
    This is a gRPC server, which speaks TLS alone on this port.\n";

/// Makes TLS of a socket.
///
/// # Errors
///
/// When the client does not speak TLS, has no certificate where one is asked for, or does not speak
/// HTTP/2 within.
pub(super) async fn accept_tls(mut socket: Socket, tls: &TlsAcceptor) -> anyhow::Result<Stream> {
    if let Either::Left(tcp) = &mut socket {
        let mut first = [TLS_HANDSHAKE];
        tcp.peek(&mut first).await?;
        if first != [TLS_HANDSHAKE] {
            refuse(&mut socket, NOT_TLS).await;
            bail!("the client does not speak TLS");
        }
    }
    let mut stream = match tls.accept(socket).into_fallible().await {
        Ok(stream) => stream,
        Err((error, mut socket)) => {
            // The alert that was sent must not be lost to a reset.
            close(&mut socket).await;
            return Err(error.into());
        }
    };
    if stream.get_ref().1.alpn_protocol() != Some(HTTP2) {
        refuse(&mut stream, NOT_HTTP2).await;
        bail!("the client did not ask for HTTP/2 by ALPN");
    }
    Ok(Either::Right(Box::new(stream)))
}

/// Tells a client in HTTP/1.1 why it is not served, and closes.
async fn refuse(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), why: &str) {
    let _ = stream.write_all(why.as_bytes()).await;
    close(stream).await;
}

/// Reads the preface of HTTP/2.
///
/// # Errors
///
/// When something else comes, or nothing.
pub(super) async fn read_preface(stream: &mut Stream) -> anyhow::Result<()> {
    let mut first = [0; PREFACE.len()];
    let mut read = 0;
    while read < PREFACE.len() {
        let more = stream.read(&mut first[read..]).await?;
        ensure!(more > 0, "the client closed before it had begun");
        read += more;
        let found = &first[..read];
        if !PREFACE.starts_with(found) {
            // A method, and a path if that has come, as in HTTP/1.1.
            let path = found.split(|&byte| byte == b' ').nth(1);
            let is_http1 = path.is_none_or(|path| path.is_empty() || path[0] == b'/');
            if found[0].is_ascii_uppercase() && is_http1 {
                refuse(stream, NOT_HTTP2).await;
            }
            bail!("the client does not speak HTTP/2, but sent {}", found.escape_ascii());
        }
    }
    Ok(())
}

/// A stream of HTTP/2 whose preface has been read, for a reader who wants to read it too.
pub(super) struct Http2Stream<'a> {
    preface: &'static [u8],
    small_frames: SmallFrames,
    last_read: LastRead,
    stream: &'a mut Stream,
}

impl<'a> Http2Stream<'a> {
    pub(super) fn new(stream: &'a mut Stream, last_read: LastRead) -> Self {
        Self { preface: &PREFACE, small_frames: SmallFrames::new(), last_read, stream }
    }
}

impl AsyncRead for Http2Stream<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { preface, small_frames, last_read, stream } = &mut *self;
        if preface.is_empty() {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut **stream).poll_read(cx, buffer))?;
            last_read.touch();
            return Poll::Ready(small_frames.read(&buffer.filled()[before..]));
        }
        let (now, later) = preface.split_at(preface.len().min(buffer.remaining()));
        buffer.put_slice(now);
        *preface = later;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Http2Stream<'_> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
