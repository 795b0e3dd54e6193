use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// An address to listen on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// `HOST:PORT`; a port of 0 takes a free one.
    Tcp(String),
    /// `unix:PATH`: a Unix domain socket.
    Unix(PathBuf),
}

impl FromStr for Listen {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "write HOST:PORT, like 127.0.0.1:50051, or unix:PATH";
        if let Some(path) = text.strip_prefix("unix:") {
            // `unix:///run/x.sock`, as gRPC clients write it, names /run/x.sock.
            let path = path.strip_prefix("//").unwrap_or(path);
            return if path.is_empty() { Err(EXPECTED) } else { Ok(Self::Unix(path.into())) };
        }
        let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let named = text.rsplit_once(':').is_some_and(|(host, port)| {
            !host.is_empty() && host.chars().all(name) && port.parse::<u16>().is_ok()
        });
        let listens = named || text.parse::<SocketAddr>().is_ok();
        listens.then(|| Self::Tcp(text.to_owned())).ok_or(EXPECTED)
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => f.write_str(address),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}
