//! Where the load goes: a Unix socket in plaintext, or TCP with TLS.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;
use tonic::codegen::Service;
use tonic::transport::{Channel, Endpoint, Uri};

/// A listener of the server.
#[derive(Clone)]
pub enum Target {
    Unix(Arc<Path>),
    Tls(Arc<str>, TlsConnector),
}

/// A connection as the operating system gives it.
pub type Socket = Either<UnixStream, TcpStream>;

/// A connection that HTTP/2 goes over.
pub type Stream = Either<UnixStream, TlsStream<TcpStream>>;

impl Target {
    /// What the kinds of load on it are called by.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unix(..) => "unix",
            Self::Tls(..) => "tls",
        }
    }

    /// Connects, and leaves out TLS.
    pub async fn socket(&self) -> io::Result<Socket> {
        match self {
            Self::Unix(path) => UnixStream::connect(path).await.map(Either::Left),
            Self::Tls(address, _) => TcpStream::connect(&**address).await.map(Either::Right),
        }
    }

    pub async fn connect(&self) -> io::Result<Stream> {
        match self {
            Self::Unix(path) => UnixStream::connect(path).await.map(Either::Left),
            Self::Tls(address, tls) => {
                let stream = TcpStream::connect(&**address).await?;
                stream.set_nodelay(true)?;
                let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
                tls.connect(name, stream).await.map(Either::Right)
            }
        }
    }

    /// A connection of a well-behaved client, which connects at its first call.
    pub fn channel(&self) -> Channel {
        Endpoint::from_static("http://localhost")
            .initial_stream_window_size(65_535)
            .initial_connection_window_size(16 * 1024 * 1024)
            .connect_with_connector_lazy(self.clone())
    }
}

impl Service<Uri> for Target {
    type Response = TokioIo<Stream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let target = self.clone();
        Box::pin(async move { target.connect().await.map(TokioIo::new) })
    }
}
