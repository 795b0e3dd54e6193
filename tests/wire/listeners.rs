//! Where a server listens: several addresses at once, and the file of a Unix socket.

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;

use sudoku_validator::config::{Limits, Listen};
use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::server::{self, Listener};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tonic::transport::Endpoint;

use crate::server::{CLASSIC, GRACE, SudokuServiceClient, board};

async fn bind(address: &str) -> anyhow::Result<Listener> {
    Listener::bind(&address.parse::<Listen>().unwrap()).await
}

fn unix(path: &Path) -> String {
    format!("unix:{}", path.display())
}

#[tokio::test]
async fn serves_on_all_its_addresses() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("socket");
    let listeners = vec![
        bind("127.0.0.1:0").await.unwrap(),
        bind(&unix(&path)).await.unwrap(),
        bind("localhost:0").await.unwrap(),
    ];
    let addresses: Vec<_> = listeners.iter().map(|l| l.address().unwrap().to_string()).collect();
    assert_eq!(addresses[1], unix(&path));
    let (stop, stopping) = oneshot::channel::<()>();
    let stopping = async { stopping.await.unwrap() };
    let serving = tokio::spawn(async {
        server::serve(listeners, 1, &Limits::default(), GRACE, stopping).await
    });

    for address in addresses {
        let uri = if address.starts_with("unix:") { address } else { format!("http://{address}") };
        let channel = Endpoint::from_shared(uri).unwrap().connect().await.unwrap();
        let request = pb::ValidateRequest { board: Some(board(CLASSIC)) };
        let response = SudokuServiceClient::new(channel).validate(request).await.unwrap();
        assert_eq!(response.into_inner().verdict.unwrap().valid, Some(true));
    }
    stop.send(()).unwrap();
    assert_eq!(serving.await.unwrap().unwrap(), 0);
    assert!(!path.exists(), "the file of the socket is left behind");
}

#[tokio::test]
async fn an_address_in_use_is_refused() {
    let folder = TempDir::new().unwrap();
    let first = bind("127.0.0.1:0").await.unwrap();
    let tcp = first.address().unwrap().to_string();
    let path = unix(&folder.path().join("socket"));
    let _second = bind(&path).await.unwrap();
    for address in [tcp, path] {
        let error = bind(&address).await.unwrap_err();
        let expected = format!("cannot listen on {address}: Address already in use");
        assert!(format!("{error:#}").starts_with(&expected), "{error:#}");
    }
}

#[tokio::test]
async fn a_socket_file_left_behind_is_replaced() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("socket");
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists(), "the standard library leaves the file behind");
    bind(&unix(&path)).await.unwrap();
}

#[tokio::test]
async fn another_kind_of_file_is_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("notes");
    fs::write(&path, "precious").unwrap();
    bind(&unix(&path)).await.unwrap_err();
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
}
