//! The limit on calls of the whole server.

use std::time::Duration;

use bytes::Bytes;
use h2::SendStream;
use h2::client::ResponseFuture;
use sudoku_validator::config::Limits;
use sudoku_validator::rpc::pb::health::HealthCheckResponse;
use sudoku_validator::rpc::pb::sudoku as pb;
use tonic::Code;
use tonic_types::StatusExt;

use crate::raw::{RawClient, framed, read};
use crate::server::{CLASSIC, Server, VALIDATE, VALIDATE_MANY, board, boards, limits, worst};

const HEALTH: &str = "/grpc.health.v1.Health/Check";

async fn server(calls_max: usize) -> Server {
    Server::with(Limits { calls_max, ..limits() }).await
}

/// Calls that are open, with their first message not complete.
async fn open(client: &mut RawClient, count: usize) -> Vec<(ResponseFuture, SendStream<Bytes>)> {
    let mut open = Vec::new();
    for _ in 0..count {
        open.push(client.open(VALIDATE).await);
    }
    client.ping().await.unwrap();
    open
}

#[tokio::test]
async fn a_call_over_the_limit_may_come_again_later() {
    let server = server(3).await;
    let mut client = RawClient::connect(&server.address).await;
    let mut held = open(&mut client, 3).await;
    // The limit is the server's, not the connection's.
    let mut other = RawClient::connect(&server.address).await;
    for client in [&mut client, &mut other] {
        let status = client.validate().await;
        assert_eq!(status.code(), Code::ResourceExhausted);
        assert_eq!(status.message(), "the server takes 3 calls at once; try again later");
        let retry = status.get_error_details().retry_info().cloned().unwrap();
        assert_eq!(retry.retry_delay, Some(Duration::from_secs(1)));
    }

    let (response, mut request) = held.pop().unwrap();
    let message = framed(&pb::ValidateRequest { board: Some(board(CLASSIC)) });
    request.send_data(message, true).unwrap();
    assert_eq!(read::<pb::ValidateResponse>(response).await.1, Code::Ok);
    assert_eq!(other.validate().await.code(), Code::Ok);
}

#[tokio::test]
async fn a_call_that_is_reset_gives_its_place_back() {
    let server = server(1).await;
    let mut client = RawClient::connect(&server.address).await;
    for (_, mut request) in open(&mut client, 1).await {
        request.send_reset(h2::Reason::CANCEL);
    }
    client.ping().await.unwrap();
    assert_eq!(client.validate().await.code(), Code::Ok);
}

#[tokio::test]
async fn a_call_holds_its_place_until_its_answers_are_written() {
    let server = server(1).await;
    for a_byte_goes_out in [false, true] {
        let mut client = RawClient::without_window(&server.address).await;
        client.ping().await.unwrap();
        if a_byte_goes_out {
            client.set_window(1);
            client.ping().await.unwrap();
        }
        let (response, mut request) = client.open(VALIDATE_MANY).await;
        request.send_data(framed(&boards([CLASSIC])), true).unwrap();
        client.ping().await.unwrap();
        client.ping().await.unwrap();
        let mut other = RawClient::connect(&server.address).await;
        assert_eq!(other.validate().await.code(), Code::ResourceExhausted);

        client.set_window(1 << 20);
        assert_eq!(read::<pb::ValidateManyResponse>(response).await.1, Code::Ok);
        assert_eq!(other.validate().await.code(), Code::Ok);
    }
}

#[tokio::test]
async fn health_is_told_when_no_call_is_taken() {
    let server = server(8).await;
    let mut client = RawClient::connect(&server.address).await;
    let _held = open(&mut client, 8).await;
    assert_eq!(client.validate().await.code(), Code::ResourceExhausted);
    let (response, mut request) = client.open(HEALTH).await;
    request.send_data(Bytes::from_static(b"\0\0\0\0\0"), true).unwrap();
    assert_eq!(read::<HealthCheckResponse>(response).await.1, Code::Ok);

    // There is an eighth more for it.
    let _hanging = client.open(HEALTH).await;
    let (response, _request) = client.open(HEALTH).await;
    assert_eq!(read::<HealthCheckResponse>(response).await.1, Code::ResourceExhausted);
}

#[tokio::test]
async fn a_large_message_counts_again_for_each_half_mebibyte() {
    let server = server(3).await;
    let mut client = RawClient::connect(&server.address).await;
    let mebibyte = 1 << 20;
    for (bytes, room) in [(mebibyte, 0), (mebibyte / 2 + 1, 0), (mebibyte / 2, 1), (1 << 16, 2)] {
        let (_response, mut request) = client.open(VALIDATE_MANY).await;
        let prefix = [&[0][..], &u32::to_be_bytes(bytes)].concat();
        request.send_data(prefix.into(), false).unwrap();
        let held = open(&mut client, room).await;
        assert_eq!(client.validate().await.code(), Code::ResourceExhausted, "{bytes}");
        for mut request in held.into_iter().map(|(_, request)| request).chain([request]) {
            request.send_reset(h2::Reason::CANCEL);
        }
        client.ping().await.unwrap();
        assert_eq!(client.validate().await.code(), Code::Ok, "{bytes}");
    }
}

#[tokio::test]
async fn a_large_message_that_finds_no_room_ends_its_own_call_only() {
    let server = server(2).await;
    let mut client = RawClient::connect(&server.address).await;
    let _held = open(&mut client, 1).await;
    let (response, mut request) = client.open(VALIDATE_MANY).await;
    request.send_data(framed(&boards([CLASSIC])), false).unwrap();
    request.send_data(Bytes::from_static(b"\0\0\x10\0\0"), false).unwrap();
    let (answers, code) = read::<pb::ValidateManyResponse>(response).await;
    assert_eq!((answers.len(), code), (1, Code::ResourceExhausted));
    assert_eq!(client.validate().await.code(), Code::Ok);
}

#[tokio::test]
async fn a_large_answer_that_finds_no_room_ends_its_own_call_only() {
    let server = server(4).await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut request) = client.open(VALIDATE_MANY).await;
    request.send_data(framed(&boards([CLASSIC])), false).unwrap();
    // Two such answers are 4.7 MB, where there is room for 2 MiB.
    let worst = worst();
    request.send_data(framed(&boards(vec![worst.as_str(); 1_000])), false).unwrap();
    let (answers, code) = read::<pb::ValidateManyResponse>(response).await;
    assert_eq!((answers.len(), code), (1, Code::ResourceExhausted));
    assert_eq!(client.validate().await.code(), Code::Ok);
}
