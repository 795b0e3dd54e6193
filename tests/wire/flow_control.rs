//! Clients that send and do not read.

use sudoku_validator::config::Limits;
use sudoku_validator::rpc::pb::sudoku as pb;
use tonic::Code;

use crate::raw::{RawClient, framed, read};
use crate::server::{CLASSIC, CONFLICTING, Server, VALIDATE_MANY, boards, limits, valid};

/// As many as are taken on one connection.
const STREAMS: usize = 64;

/// How much a client can send on a stream that the server does not read from.
const WINDOW: usize = 65_535;

/// Fills the windows of 64 streams with messages of one board, while the server cannot send, and so
/// does not read. Then lets it send. Fails when the connection does not live through it.
async fn flood(client: &mut RawClient) -> Result<(), h2::Error> {
    let message = framed(&boards([CLASSIC]));
    let mut open = Vec::new();
    for _ in 0..STREAMS {
        let (response, mut request) = client.open(VALIDATE_MANY).await;
        let sent = client.fill(&mut request, &message).await?;
        assert!(sent >= WINDOW / message.len(), "{sent} messages fit the window");
        open.push((response, request, sent));
    }

    client.set_window(1 << 20);
    for (response, mut request, sent) in open {
        request.send_data(bytes::Bytes::new(), true)?;
        let (answers, code) = read::<pb::ValidateManyResponse>(response).await;
        assert_eq!((answers.len(), code), (sent, Code::Ok));
        assert!(answers.iter().all(|answer| answer.outcomes == [valid()]));
    }
    Ok(())
}

#[tokio::test]
async fn a_flood_of_small_messages_is_answered_whole() {
    let server = Server::start().await;
    let mut client = RawClient::without_window(&server.address).await;
    flood(&mut client).await.unwrap();
}

#[tokio::test]
async fn the_same_flood_ends_a_connection_with_the_default_windows_of_tonic() {
    let mebibyte = 1024 * 1024;
    let limits =
        Limits { stream_window_bytes: mebibyte, connection_window_bytes: mebibyte, ..limits() };
    let server = Server::with(limits).await;
    let mut client = RawClient::without_window(&server.address).await;
    flood(&mut client).await.unwrap_err();
    let error = client.closed().await.unwrap_err();
    assert_eq!(error.reason(), Some(h2::Reason::ENHANCE_YOUR_CALM));
}

#[tokio::test]
async fn a_client_that_does_not_read_can_send_little_more_than_its_window() {
    let server = Server::start().await;
    let message = framed(&boards(vec![CONFLICTING; 100]));
    let mut client = RawClient::without_window(&server.address).await;
    let (response, mut request) = client.open(VALIDATE_MANY).await;
    let sent = client.fill(&mut request, &message).await.unwrap();
    // Answers are made until 32 KiB of them wait: here those to the first eight messages.
    assert!(sent.saturating_sub(8) * message.len() <= WINDOW, "{sent} messages were taken");

    // Others are served meanwhile, and it too as soon as it reads.
    let other = server.client().await.validate(pb::ValidateRequest { board: None }).await;
    assert_eq!(other.unwrap_err().code(), Code::InvalidArgument);
    client.set_window(1 << 20);
    request.send_data(bytes::Bytes::new(), true).unwrap();
    let (answers, code) = read::<pb::ValidateManyResponse>(response).await;
    assert_eq!((answers.len(), code), (sent, Code::Ok));
}
