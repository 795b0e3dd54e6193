use std::future::poll_fn;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net as unix;
use std::path::{Path, PathBuf};
use std::task::{Context, Poll};
use std::{fs, io, net};

use anyhow::Context as _;
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_util::either::Either;

use crate::config::Listen;

/// A socket that takes connections. Dropping it closes it, and removes the file of a Unix socket.
#[derive(Debug)]
pub struct Listener(Kind);

#[derive(Debug)]
enum Kind {
    Tcp(TcpListener),
    Unix(UnixListener, SocketFile),
}

/// A connection on a runtime.
pub(super) type Socket = Either<TcpStream, UnixStream>;

/// A connection that was accepted, on no runtime yet.
pub(super) enum Accepted {
    Tcp(net::TcpStream, net::SocketAddr),
    Unix(unix::UnixStream),
}

impl Accepted {
    /// Who is at the other end.
    pub(super) fn peer(&self) -> String {
        match self {
            Self::Tcp(_, peer) => peer.to_string(),
            Self::Unix(_) => "unix".to_owned(),
        }
    }

    /// Puts it on this runtime.
    pub(super) fn into_socket(self) -> io::Result<Socket> {
        match self {
            Self::Tcp(stream, _) => {
                // An answer is one write, which nothing else is going to fill up.
                stream.set_nodelay(true)?;
                TcpStream::from_std(stream).map(Either::Left)
            }
            Self::Unix(stream) => UnixStream::from_std(stream).map(Either::Right),
        }
    }
}

impl Listener {
    /// Starts to listen. The file that a Unix socket has left behind is replaced; one that is in
    /// use, or another kind of file, is not. Needs a tokio runtime, and stays on it.
    ///
    /// # Errors
    ///
    /// When the address cannot be resolved or is in use.
    pub async fn bind(address: &Listen) -> anyhow::Result<Self> {
        let kind = match address {
            Listen::Tcp(address) => TcpListener::bind(address).await.map(Kind::Tcp),
            Listen::Unix(path) => bind_unix(path),
        };
        Ok(Self(kind.with_context(|| format!("cannot listen on {address}"))?))
    }

    /// The address in the form of the flag, with the port that was taken.
    ///
    /// # Errors
    ///
    /// When the operating system does not tell it.
    pub fn address(&self) -> io::Result<Listen> {
        match &self.0 {
            Kind::Tcp(listener) => Ok(Listen::Tcp(listener.local_addr()?.to_string())),
            Kind::Unix(_, file) => Ok(Listen::Unix(file.path.clone())),
        }
    }

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<Accepted>> {
        match &self.0 {
            Kind::Tcp(listener) => listener.poll_accept(cx).map(|accepted| {
                let (stream, peer) = accepted?;
                Ok(Accepted::Tcp(stream.into_std()?, peer))
            }),
            Kind::Unix(listener, _) => {
                listener.poll_accept(cx).map(|accepted| Ok(Accepted::Unix(accepted?.0.into_std()?)))
            }
        }
    }
}

/// Takes the next connection from any of the listeners, in turn when several have one.
pub(super) async fn accept(listeners: &mut [Listener]) -> io::Result<Accepted> {
    listeners.rotate_left(1);
    poll_fn(|cx| {
        let mut polls = listeners.iter().map(|listener| listener.poll_accept(cx));
        polls.find(Poll::is_ready).unwrap_or(Poll::Pending)
    })
    .await
}

fn bind_unix(path: &Path) -> io::Result<Kind> {
    let left_behind = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket())
        && unix::UnixStream::connect(path)
            .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
    if left_behind {
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    let inode = fs::symlink_metadata(path)?.ino();
    Ok(Kind::Unix(listener, SocketFile { path: path.to_owned(), inode }))
}

/// The file of a Unix socket, removed when dropped, unless another has taken its place.
#[derive(Debug)]
struct SocketFile {
    path: PathBuf,
    inode: u64,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|file| file.ino() == self.inode) {
            // Nobody can be told, and a file left behind is replaced at the next start.
            let _ = fs::remove_file(&self.path);
        }
    }
}
