//! A server in this process, and the ways to call it.

use std::sync::Arc;
use std::time::Duration;

use sudoku_validator::config::{Limits, Listen};
use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::server::{self, Admin, Listener, Tls};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint};

pub use pb::sudoku_service_client::SudokuServiceClient;

pub const CLASSIC: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
pub const CONFLICTING: &str =
    "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

pub const VALIDATE: &str = "/sudoku.v1.SudokuService/Validate";
pub const VALIDATE_MANY: &str = "/sudoku.v1.SudokuService/ValidateMany";

/// Long enough that a test which reaches it has failed.
pub const GRACE: Duration = Duration::from_secs(20);

/// Those of the server, but for the grace time.
pub fn limits() -> Limits {
    Limits { shutdown_grace: GRACE, ..Limits::default() }
}

const ANY: &str = "127.0.0.1:0";

pub struct Server {
    pub address: String,
    /// Lives on for as long as a test holds it.
    pub admin: Arc<Admin>,
    stop: oneshot::Sender<()>,
    stopped: JoinHandle<anyhow::Result<usize>>,
}

impl Server {
    pub async fn start() -> Self {
        Self::with(limits()).await
    }

    pub async fn with(limits: Limits) -> Self {
        Self::with_tls(limits, None).await
    }

    pub async fn with_tls(limits: Limits, tls: Option<Arc<Tls>>) -> Self {
        let any: Listen = ANY.parse().unwrap();
        let listener = Listener::bind(&any).await.unwrap();
        let address = listener.address().unwrap().to_string();
        let server = server::Server::start(vec![listener], 2, &limits, tls).unwrap();
        let admin = Arc::new(Admin::start(&any, &server).unwrap());
        let (stop, stopping) = oneshot::channel::<()>();
        let stopped = tokio::spawn(server.run(async { stopping.await.unwrap_or(()) }));
        Self { address, admin, stop, stopped }
    }

    pub async fn channel(&self) -> Channel {
        let endpoint = Endpoint::from_shared(format!("http://{}", self.address)).unwrap();
        endpoint.connect().await.unwrap()
    }

    pub async fn client(&self) -> SudokuServiceClient<Channel> {
        SudokuServiceClient::new(self.channel().await)
    }

    /// Begins the drain; what is given resolves at its end to the number of connections dropped.
    pub fn stop(self) -> JoinHandle<anyhow::Result<usize>> {
        self.stop.send(()).unwrap();
        self.stopped
    }
}

pub fn board(cells: &str) -> pb::Board {
    pb::Board { cells: cells.to_owned() }
}

pub fn boards<'a>(cells: impl IntoIterator<Item = &'a str>) -> pb::ValidateManyRequest {
    pb::ValidateManyRequest { boards: cells.into_iter().map(board).collect() }
}

/// The board with the longest answer: four digits everywhere, and so all 108 conflicts.
pub fn worst() -> String {
    (0..81).map(|i| (b'1' + (i / 9 + i % 9) % 4) as char).collect()
}

/// A verdict of "valid", as an outcome.
pub fn valid() -> pb::Outcome {
    let verdict = pb::Verdict { valid: Some(true), conflicts: Vec::new() };
    pb::Outcome { outcome: Some(pb::outcome::Outcome::Verdict(verdict)) }
}
