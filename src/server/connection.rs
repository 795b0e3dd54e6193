use std::future::pending;
use std::hash::{BuildHasher, RandomState};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context;
use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;
use tokio_util::either::Either;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::debug;

use super::handshake::{Http2Stream, Stream, accept_tls, read_preface};
use super::listener::Accepted;
use super::tls::Tls;
use crate::config::Limits;
use crate::last_read::LastRead;
use crate::metrics::{ConnectionEnd, OpenConnection};
use crate::rpc::{Calls, Drain, Services};

/// How long a client has to close a connection that the server is done with. Until then the server
/// reads on, for nothing: closed with something unread, the operating system would reset it, and
/// the client would lose the answers that are on their way.
const CLOSE_MAX: Duration = Duration::from_secs(2);

/// How much is buffered of the answers of one stream that its client is slow to read.
const SEND_BUFFER_BYTES: usize = 64 * 1024;

/// The most bytes of headers in a request, as HTTP/2 counts them; above it, the answer is 431.
const HEADER_BYTES_MAX: u32 = 16 * 1024;

/// What a connection ends with that fails.
type Failure = (ConnectionEnd, anyhow::Error);

/// How the connections of a thread are served.
#[derive(Clone)]
pub(super) struct Connections {
    http2: http2::Builder<TokioExecutor>,
    limits: Arc<Limits>,
    tls: Option<Arc<Tls>>,
    services: Services,
    /// Cancelled when the drain begins.
    drain: CancellationToken,
}

impl Connections {
    pub(super) fn new(
        limits: &Limits,
        tls: Option<Arc<Tls>>,
        services: Services,
        drain: CancellationToken,
    ) -> Self {
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            .keep_alive_interval(limits.keepalive_time)
            .keep_alive_timeout(limits.keepalive_timeout)
            .initial_stream_window_size(limits.stream_window_bytes)
            .initial_connection_window_size(limits.connection_window_bytes)
            .max_concurrent_streams(limits.concurrent_streams_max)
            .max_header_list_size(HEADER_BYTES_MAX)
            .max_send_buf_size(SEND_BUFFER_BYTES)
            .auto_date_header(false);
        Self { http2, limits: Arc::new(limits.clone()), tls, services, drain }
    }

    /// Serves a connection to its end.
    pub(super) async fn serve(&self, accepted: Accepted) {
        let mut open = OpenConnection::new(self.services.metrics());
        let peer: Arc<str> = accepted.peer().into();
        open.end = self.try_serve(accepted, peer.clone()).await.unwrap_or_else(|(end, error)| {
            debug!(peer = &*peer, error = format!("{error:#}"), "connection failed");
            end
        });
    }

    async fn try_serve(
        &self,
        accepted: Accepted,
        peer: Arc<str>,
    ) -> Result<ConnectionEnd, Failure> {
        let failed = |error| (ConnectionEnd::Handshake, error);
        let mut stream = tokio::select! {
            // In a box, since the connection needs none of it afterwards.
            shaken = timeout(self.limits.handshake_timeout, Box::pin(self.shake_hands(accepted))) => {
                let shaken = shaken.context("the client did not begin in time");
                shaken.flatten().map_err(failed)?
            }
            () = async { self.drain.cancelled().await; passed(Some(CLOSE_MAX)).await } => {
                return Ok(ConnectionEnd::Drain);
            }
        };
        let served = self.serve_http2(&mut stream, peer).await;
        close(&mut stream).await;
        served.map_err(|error| {
            let unanswered = error.is_timeout();
            let end = if unanswered { ConnectionEnd::Keepalive } else { ConnectionEnd::Failed };
            (end, error.into())
        })
    }

    async fn shake_hands(&self, accepted: Accepted) -> anyhow::Result<Stream> {
        let socket = accepted.into_socket()?;
        let mut stream = match (&self.tls, &socket) {
            (Some(tls), Either::Left(_)) => accept_tls(socket, &tls.acceptor()).await?,
            _ => Either::Left(socket),
        };
        read_preface(&mut stream).await?;
        Ok(stream)
    }

    async fn serve_http2(
        &self,
        stream: &mut Stream,
        peer: Arc<str>,
    ) -> Result<ConnectionEnd, hyper::Error> {
        let Self { http2, limits, services, drain, .. } = self;
        // Ends the streams of this connection, with those of all or alone.
        let ends = drain.child_token();
        let unread_bytes_max = limits.stream_window_bytes as usize;
        let calls = Calls {
            services: services.clone(),
            peer,
            drain: Drain { begun: ends.clone(), unread_bytes_max },
            begun: Arc::default(),
            open: TaskTracker::new(),
            last_read: LastRead::new(),
        };
        let (begun, open) = (calls.begun.clone(), calls.open.clone());
        let io = TokioIo::new(Http2Stream::new(stream, calls.last_read.clone()));
        let mut connection = pin!(http2.serve_connection(io, calls));
        let (end, grace) = tokio::select! {
            ended = &mut connection => return ended.map(|()| ConnectionEnd::Closed),
            () = drain.cancelled() => (ConnectionEnd::Drain, None),
            () = unused_for(limits.connection_idle_max, &begun, &open) => {
                (ConnectionEnd::Idle, Some(limits.connection_age_grace))
            }
            () = aged(limits.connection_age_max) => {
                (ConnectionEnd::Age, Some(limits.connection_age_grace))
            }
        };
        connection.as_mut().graceful_shutdown();
        tokio::select! {
            ended = &mut connection => return ended.map(|()| end),
            // With no call open it ends at once, unless its client does not answer.
            () = unused_for(CLOSE_MAX, &begun, &open) => return Ok(end),
            () = passed(grace) => ends.cancel(),
        }
        let _ = timeout(CLOSE_MAX, connection).await;
        Ok(end)
    }
}

/// Waits until no call has been open for a time, or up to a tenth longer.
async fn unused_for(time: Duration, begun: &AtomicUsize, open: &TaskTracker) {
    const PARTS: u32 = 10;
    let mut unused = 0;
    while unused < PARTS {
        let (was_open, before) = (!open.is_empty(), begun.load(Ordering::Relaxed));
        passed(Some(time / PARTS)).await;
        let used = was_open || before != begun.load(Ordering::Relaxed);
        unused = if used { 0 } else { unused + 1 };
    }
}

/// Waits until a connection has the age, give or take a tenth: connections that were opened at once
/// are not all to come again at once.
async fn aged(age_max: Option<Duration>) {
    let thousandths = 900 + u32::try_from(RandomState::new().hash_one(()) % 201).unwrap_or(100);
    passed(age_max.map(|age| age * thousandths / 1000)).await;
}

/// Waits, for ever when no time is given.
#[expect(clippy::disallowed_methods, reason = "limits of time are what is waited for")]
async fn passed(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => pending().await,
    }
}

/// Closes a stream. Whatever comes of that, the connection is over.
pub(super) async fn close(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
    let reads = async {
        let _ = stream.shutdown().await;
        let _ = tokio::io::copy(stream, &mut tokio::io::sink()).await;
    };
    let _ = timeout(CLOSE_MAX, reads).await;
}
