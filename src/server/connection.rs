use std::net;
use std::os::unix::net as unix;
use std::pin::pin;
use std::time::Duration;

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tracing::debug;

use super::listener::{Accepted, Peer};
use crate::config::Limits;
use crate::rpc::Calls;

/// How long a connection that the server has closed is still read from, for nothing. Closed with
/// something unread, the operating system would reset it, and the client would lose the answers
/// that are on their way.
const LINGER_MAX: Duration = Duration::from_secs(2);

/// What all connections have in common.
#[derive(Clone)]
pub(super) struct Connections {
    http2: http2::Builder<TokioExecutor>,
    routes: Routes,
    drain: CancellationToken,
}

impl Connections {
    pub(super) fn new(limits: &Limits, routes: Routes, drain: CancellationToken) -> Self {
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .initial_stream_window_size(limits.stream_window_bytes)
            .initial_connection_window_size(limits.connection_window_bytes)
            .max_concurrent_streams(limits.concurrent_streams_max)
            .auto_date_header(false);
        Self { http2, routes, drain }
    }

    /// The same for one worker, whose streams then wait for the drain on a token of its own:
    /// waiting takes a lock, and workers would contend for it.
    pub(super) fn for_worker(&self) -> Self {
        Self { drain: self.drain.child_token(), ..self.clone() }
    }

    /// Serves a connection to its end.
    pub(super) async fn serve(self, accepted: Accepted) {
        let served = match accepted {
            Accepted::Tcp(stream, peer) => self.serve_tcp(stream, peer).await,
            Accepted::Unix(stream) => self.serve_unix(stream).await,
        };
        if let Err(error) = served {
            debug!(error = format!("{error:#}"), "connection failed");
        }
    }

    async fn serve_tcp(self, stream: net::TcpStream, peer: net::SocketAddr) -> anyhow::Result<()> {
        // An answer is one write, which nothing else is going to fill up.
        stream.set_nodelay(true)?;
        self.drive(TcpStream::from_std(stream)?, Peer::Tcp(peer)).await
    }

    async fn serve_unix(self, stream: unix::UnixStream) -> anyhow::Result<()> {
        self.drive(UnixStream::from_std(stream)?, Peer::Unix).await
    }

    async fn drive(
        self,
        mut stream: impl AsyncRead + AsyncWrite + Unpin,
        peer: Peer,
    ) -> anyhow::Result<()> {
        let Self { http2, routes, drain } = self;
        let calls = Calls { routes, peer, drain: drain.clone() };
        let served = {
            let mut connection = pin!(http2.serve_connection(TokioIo::new(&mut stream), calls));
            tokio::select! {
                ended = &mut connection => ended,
                () = drain.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            }
        };
        // Whatever comes of it, the connection is over.
        let _ = timeout(LINGER_MAX, tokio::io::copy(&mut stream, &mut tokio::io::sink())).await;
        Ok(served?)
    }
}
