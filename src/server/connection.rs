use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_util::either::Either;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::service::Routes;
use tracing::debug;

use super::listener::Accepted;
use crate::config::Limits;
use crate::rpc::{Calls, Drain};

/// How long a client has to close a connection that the server is done with. Until then the server
/// reads on, for nothing: closed with something unread, the operating system would reset it, and
/// the client would lose the answers that are on their way.
const CLOSE_MAX: Duration = Duration::from_secs(2);

/// How connections are served.
#[derive(Clone)]
pub(super) struct Connections {
    http2: http2::Builder<TokioExecutor>,
    routes: Routes,
    drain: Drain,
}

impl Connections {
    pub(super) fn new(limits: &Limits, routes: Routes, drain: CancellationToken) -> Self {
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .initial_stream_window_size(limits.stream_window_bytes)
            .initial_connection_window_size(limits.connection_window_bytes)
            .max_concurrent_streams(limits.concurrent_streams_max)
            .auto_date_header(false);
        let unread_bytes_max = limits.stream_window_bytes as usize;
        Self { http2, routes, drain: Drain { begun: drain, unread_bytes_max } }
    }

    /// The same for one worker, whose streams then wait for the drain on a token of its own:
    /// waiting takes a lock, and workers would contend for it.
    pub(super) fn for_worker(&self) -> Self {
        let begun = self.drain.begun.child_token();
        Self { drain: Drain { begun, ..self.drain }, ..self.clone() }
    }

    /// Serves a connection to its end.
    pub(super) async fn serve(self, accepted: Accepted) {
        let peer: Arc<str> = accepted.peer().into();
        if let Err(error) = self.try_serve(accepted, peer.clone()).await {
            debug!(peer = &*peer, error = format!("{error:#}"), "connection failed");
        }
    }

    async fn try_serve(self, accepted: Accepted, peer: Arc<str>) -> anyhow::Result<()> {
        let Self { http2, routes, drain } = self;
        let mut stream = match accepted {
            Accepted::Tcp(stream, _) => {
                // An answer is one write, which nothing else is going to fill up.
                stream.set_nodelay(true)?;
                Either::Left(TcpStream::from_std(stream)?)
            }
            Accepted::Unix(stream) => Either::Right(UnixStream::from_std(stream)?),
        };
        let begun = drain.begun.clone();
        let open = TaskTracker::new();
        let calls = Calls { routes, peer, drain, open: open.clone() };
        let served = {
            let mut connection = pin!(http2.serve_connection(TokioIo::new(&mut stream), calls));
            tokio::select! {
                ended = &mut connection => ended,
                () = begun.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    // With no call open it ends at once, unless its client does not answer.
                    tokio::select! {
                        ended = connection => ended,
                        () = closed_for(CLOSE_MAX, &open) => Ok(()),
                    }
                }
            }
        };
        // Whatever comes of these, the connection is over.
        let _ = stream.shutdown().await;
        let _ = timeout(CLOSE_MAX, tokio::io::copy(&mut stream, &mut tokio::io::sink())).await;
        Ok(served?)
    }
}

/// Waits until no call is open, and then as long again as a client has to close.
#[expect(clippy::disallowed_methods, reason = "nothing tells that a client does not answer")]
async fn closed_for(duration: Duration, calls: &TaskTracker) {
    calls.close();
    calls.wait().await;
    tokio::time::sleep(duration).await;
}
