//! `ValidateMany`: order, and answers as the messages come.

use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::Code;
use tonic::codec::CompressionEncoding;

use crate::raw::{RawClient, framed, read};
use crate::server::{CLASSIC, CONFLICTING, Server, VALIDATE_MANY, boards, valid};

#[tokio::test]
async fn answers_a_message_before_the_next_is_sent() {
    let server = Server::start().await;
    let (requests, stream) = mpsc::unbounded_channel();
    let stream = UnboundedReceiverStream::new(stream);
    // The stream is accepted before its first message.
    let mut responses = server.client().await.validate_many(stream).await.unwrap().into_inner();
    for count in [1, 3, 2] {
        requests.send(boards(vec![CLASSIC; count])).unwrap();
        let response = responses.message().await.unwrap().unwrap();
        assert_eq!(response.outcomes, vec![valid(); count]);
    }
    drop(requests);
    assert_eq!(responses.message().await.unwrap(), None);
}

#[tokio::test]
async fn answers_in_the_order_of_messages_and_boards() {
    let server = Server::start().await;
    // Message k has k % 5 boards, and the board i of them conflicts when (k + i) % 3 is 0.
    let cells = |k: usize, i: usize| if (k + i).is_multiple_of(3) { CONFLICTING } else { CLASSIC };
    let requests = (0..2_000).map(move |k| boards((0..k % 5).map(|i| cells(k, i))));
    let stream = server.client().await.validate_many(tokio_stream::iter(requests)).await.unwrap();
    let mut responses = stream.into_inner();
    for k in 0..2_000 {
        let outcomes = responses.message().await.unwrap().unwrap().outcomes;
        assert_eq!(outcomes.len(), k % 5);
        for (i, outcome) in outcomes.iter().enumerate() {
            assert_eq!(*outcome == valid(), cells(k, i) == CLASSIC, "message {k}, board {i}");
        }
    }
    assert_eq!(responses.message().await.unwrap(), None);
}

#[tokio::test]
async fn a_message_with_no_boards_has_a_response_with_no_outcomes() {
    let server = Server::start().await;
    let stream = tokio_stream::once(boards([]));
    let mut responses = server.client().await.validate_many(stream).await.unwrap().into_inner();
    assert_eq!(responses.message().await.unwrap().unwrap().outcomes, []);
    assert_eq!(responses.message().await.unwrap(), None);
}

#[tokio::test]
async fn a_malformed_board_does_not_end_the_stream() {
    let server = Server::start().await;
    let stream = tokio_stream::iter([boards(["x", CLASSIC]), boards([CLASSIC])]);
    let mut responses = server.client().await.validate_many(stream).await.unwrap().into_inner();
    let outcomes = responses.message().await.unwrap().unwrap().outcomes;
    assert!(matches!(outcomes[0].outcome, Some(pb::outcome::Outcome::Malformed(_))));
    assert_eq!(outcomes[1..], [valid()]);
    assert_eq!(responses.message().await.unwrap().unwrap().outcomes, [valid()]);
}

#[tokio::test]
async fn a_half_closed_stream_is_answered_to_its_end() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut request) = client.open(VALIDATE_MANY).await;
    request.send_data(framed(&boards([CLASSIC])), false).unwrap();
    request.send_data(framed(&boards([CONFLICTING, CLASSIC])), true).unwrap();
    let (responses, code) = read::<pb::ValidateManyResponse>(response).await;
    assert_eq!(code, Code::Ok);
    assert_eq!(responses.iter().map(|r| r.outcomes.len()).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test]
async fn a_message_may_come_in_pieces() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut request) = client.open(VALIDATE_MANY).await;
    for byte in framed(&boards([CLASSIC])) {
        request.send_data(vec![byte].into(), false).unwrap();
    }
    request.send_data(bytes::Bytes::new(), true).unwrap();
    let (responses, code) = read::<pb::ValidateManyResponse>(response).await;
    assert_eq!((responses.len(), code), (1, Code::Ok));
    assert_eq!(responses[0].outcomes, [valid()]);
}

#[tokio::test]
async fn takes_compressed_messages_and_answers_plainly() {
    let server = Server::start().await;
    let client = server.client().await.send_compressed(CompressionEncoding::Gzip);
    let mut client = client.accept_compressed(CompressionEncoding::Gzip);
    let stream = tokio_stream::once(boards(vec![CLASSIC; 1_000]));
    let response = client.validate_many(stream).await.unwrap();
    assert_eq!(response.metadata().get("grpc-encoding"), None);
    let mut responses = response.into_inner();
    assert_eq!(responses.message().await.unwrap().unwrap().outcomes, vec![valid(); 1_000]);
}
