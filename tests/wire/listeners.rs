//! Where a server listens: several addresses at once, and the file of a Unix socket.

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;

use sudoku_validator::config::Listen;
use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::server::{Listener, Server};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tonic::transport::Endpoint;

use crate::server::{CLASSIC, SudokuServiceClient, board, limits};

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
    let server = Server::start(listeners, 1, &limits(), None).unwrap();
    let (stop, stopping) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.run(async { stopping.await.unwrap() }));

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
    let error = bind(&unix(&path)).await.unwrap_err();
    assert!(format!("{error:#}").contains("Address already in use"), "{error:#}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
}

#[tokio::test]
async fn a_socket_file_that_another_server_has_put_there_is_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("socket");
    let old = bind(&unix(&path)).await.unwrap();
    fs::remove_file(&path).unwrap();
    let _new = bind(&unix(&path)).await.unwrap();
    drop(old);
    assert!(path.exists(), "the file of the new server is gone");
}

#[tokio::test]
async fn a_server_needs_an_address_and_a_thread() {
    let listener = bind("127.0.0.1:0").await.unwrap();
    for (listeners, threads, expected) in
        [(vec![], 1, "no address to listen on"), (vec![listener], 0, "no thread to answer calls")]
    {
        let Err(error) = Server::start(listeners, threads, &limits(), None) else {
            panic!("started with {threads} threads")
        };
        assert_eq!(error.to_string(), expected);
    }
}
