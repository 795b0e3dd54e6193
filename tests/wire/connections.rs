//! The limits on connections: how many, how they begin, and how long they live.

use std::time::{Duration, Instant};

use sudoku_validator::config::Limits;
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Code;

use crate::frames::{Frames, GOAWAY, HEADERS, PING, PREFACE};
use crate::process::Process;
use crate::raw::{RawClient, framed, read};
use crate::server::{CLASSIC, Server, VALIDATE, VALIDATE_MANY, board, boards, limits};

/// Short, and long enough that the work of a test fits in.
const SHORT: Duration = Duration::from_millis(300);

/// Resolves when the server closes the connection, to all that it sent before.
async fn closed(mut stream: TcpStream) -> Vec<u8> {
    let mut sent = Vec::new();
    // A reset is a close too.
    let _ = stream.read_to_end(&mut sent).await;
    sent
}

#[tokio::test(flavor = "multi_thread")]
async fn those_over_the_limit_are_closed_and_logged_once() {
    let mut process = Process::start(&["--max-connections", "2"]);
    let mut first = RawClient::connect(&process.address()).await;
    let second = RawClient::connect(&process.address()).await;
    for _ in 0..100 {
        assert_eq!(closed(TcpStream::connect(&process.address()).await.unwrap()).await, b"");
    }
    let log = process.log();
    assert_eq!(log["message"], "connections closed, as many are open as are taken");
    assert_eq!((log["connections"].as_u64(), log["max"].as_u64()), (Some(1), Some(2)));
    // Those that are open are served, and the place of one that closes is free again.
    assert_eq!(first.validate().await.code(), Code::Ok);
    second.closed().await.unwrap();
    while Frames::try_connect(&process.address()).await.is_none() {}

    process.signal("TERM");
    let (log, _) = process.wait();
    let messages: Vec<_> = log.iter().map(|line| &line["message"]).collect();
    assert_eq!(messages, ["stopping; a second signal ends at once", "stopped"]);
}

#[tokio::test]
async fn one_that_does_not_begin_is_closed() {
    let server = Server::with(Limits { handshake_timeout: SHORT, ..limits() }).await;
    for begun in [&b""[..], b"PRI * HTTP/2.0\r\n"] {
        let start = Instant::now();
        let mut stream = TcpStream::connect(&server.address).await.unwrap();
        stream.write_all(begun).await.unwrap();
        assert_eq!(closed(stream).await, b"", "after {begun:?}");
        assert!(start.elapsed() >= SHORT);
    }
    // One that begins in pieces is in time.
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    for byte in PREFACE {
        stream.write_all(&[*byte]).await.unwrap();
    }
    let mut settings = [0; 9];
    stream.read_exact(&mut settings).await.unwrap();
    assert_eq!(settings[3], 4);
}

#[tokio::test]
async fn http_1_is_answered_for_people() {
    let server = Server::start().await;
    for request in ["GET / HTTP/1.1\r\nhost: server\r\n\r\n", "POST /a HTTP/1.0\r\n\r\n", "G"] {
        let mut stream = TcpStream::connect(&server.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = String::from_utf8(closed(stream).await).unwrap();
        assert!(answer.starts_with("HTTP/1.1 505 HTTP Version Not Supported\r\n"), "{answer}");
        assert!(answer.contains("\r\n\r\nThis is a gRPC server, which speaks HTTP/2 alone."));
    }
}

#[tokio::test]
async fn other_protocols_are_closed_without_a_word() {
    let server = Server::start().await;
    for bytes in [&b"\x16\x03\x01\x02\0\x01\0"[..], b"\0", b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"] {
        let mut stream = TcpStream::connect(&server.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        assert_eq!(closed(stream).await, b"", "to {bytes:?}");
    }
}

#[tokio::test]
async fn one_whose_client_is_gone_is_closed() {
    let limits = Limits { keepalive_time: SHORT, keepalive_timeout: SHORT, ..limits() };
    let server = Server::with(limits).await;
    let start = Instant::now();
    // It does not answer the ping, but leaves the connection open.
    let mut gone = Frames::connect(&server.address).await;
    assert_eq!(gone.next(PING).await.unwrap().flags, 0);
    while gone.read().await.is_some() {}
    assert!(start.elapsed() >= 2 * SHORT);
}

#[tokio::test]
async fn a_ping_that_is_answered_keeps_it_open() {
    let limits = Limits { keepalive_time: SHORT, keepalive_timeout: SHORT, ..limits() };
    let server = Server::with(limits).await;
    let mut client = Frames::connect(&server.address).await;
    for _ in 0..3 {
        let ping = client.next(PING).await.unwrap();
        client.send(PING, 1, 0, &ping.payload).await.unwrap();
    }
}

#[tokio::test]
async fn one_that_is_not_used_is_closed() {
    let server = Server::with(Limits { connection_idle_max: SHORT, ..limits() }).await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut request) = client.open(VALIDATE_MANY).await;
    // A call that is open is use, even when nothing comes.
    let start = Instant::now();
    while start.elapsed() < 3 * SHORT {
        client.ping().await.unwrap();
        tokio::task::yield_now().await;
    }
    request.send_data(framed(&boards([CLASSIC])), true).unwrap();
    assert_eq!(read::<pb::ValidateManyResponse>(response).await.1, Code::Ok);

    let start = Instant::now();
    client.until_closed().await.unwrap();
    assert!(start.elapsed() >= SHORT, "{:?}", start.elapsed());
}

/// A server whose connections live for some 300 ms, and then have 300 ms for their calls.
async fn server_of_short_lives() -> Server {
    let limits =
        Limits { connection_age_max: Some(SHORT), connection_age_grace: SHORT, ..limits() };
    Server::with(limits).await
}

#[tokio::test]
async fn one_that_is_old_finishes_its_calls() {
    let server = server_of_short_lives().await;
    let mut client = Frames::connect(&server.address).await;
    client.call(1, VALIDATE).await;
    let start = Instant::now();
    let good_bye = client.next(GOAWAY).await.unwrap();
    assert!(start.elapsed() < 2 * SHORT);
    assert_eq!(good_bye.payload[4..8], [0; 4], "NO_ERROR");
    let message = framed(&pb::ValidateRequest { board: Some(board(CLASSIC)) });
    client.send(0, 1, 1, &message).await.unwrap();
    let ping = client.next(PING).await.unwrap();
    client.send(PING, 1, 0, &ping.payload).await.unwrap();
    let mut answered = false;
    while let Some(frame) = client.read().await {
        answered |= frame.stream == 1 && frame.kind == 0;
    }
    assert!(answered);
}

#[tokio::test]
async fn one_that_is_too_old_ends_its_streams() {
    let server = server_of_short_lives().await;
    let mut client = RawClient::connect(&server.address).await;
    let start = Instant::now();
    let (response, mut request) = client.open(VALIDATE_MANY).await;
    request.send_data(framed(&boards([CLASSIC])), false).unwrap();
    let (answers, code) = read::<pb::ValidateManyResponse>(response).await;
    assert_eq!((answers.len(), code), (1, Code::Unavailable));
    assert!(start.elapsed() >= SHORT.mul_f64(1.9), "{:?}", start.elapsed());
    client.closed().await.unwrap();
}

#[tokio::test]
async fn one_that_is_too_old_ends_a_unary_call_that_never_comes() {
    let server = server_of_short_lives().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, _request) = client.open(VALIDATE).await;
    assert!(response.await.unwrap_err().is_io());
}

#[tokio::test]
async fn a_client_that_pings_all_the_time_is_left_alone() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    for _ in 0..5_000 {
        client.ping().await.unwrap();
    }
    assert_eq!(client.validate().await.code(), Code::Ok);
}

#[tokio::test]
async fn a_connection_that_its_client_half_closes_is_closed() {
    let server = Server::start().await;
    let mut client = Frames::connect(&server.address).await;
    client.call(1, VALIDATE_MANY).await;
    client.next(HEADERS).await.unwrap();
    client.0.shutdown().await.unwrap();
    while client.read().await.is_some() {}
    assert_eq!(server.stop().await.unwrap().unwrap(), 0);
}
