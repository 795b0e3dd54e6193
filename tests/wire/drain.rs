//! A server that was told to stop, with calls in each state.

use std::time::{Duration, Instant};

use sudoku_validator::config::Limits;
use sudoku_validator::rpc::pb::health as health_pb;
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::{ReceiverStream, UnboundedReceiverStream};
use tonic::Code;

use crate::raw::{RawClient, framed, read};
use crate::server::{
    CLASSIC, CONFLICTING, GRACE, Server, VALIDATE, VALIDATE_MANY, board, boards, valid,
};
use health_pb::health_check_response::ServingStatus;
use health_pb::health_client::HealthClient;

#[tokio::test]
async fn an_idle_server_stops() {
    let server = Server::start().await;
    let _idle = server.channel().await;
    assert_eq!(server.stop().await.unwrap().unwrap(), 0);
}

#[tokio::test]
async fn new_connections_are_refused() {
    let server = Server::start().await;
    let address = server.address.clone();
    server.stop().await.unwrap().unwrap();
    let refused = TcpStream::connect(address).await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn an_idle_stream_ends_with_unavailable() {
    let server = Server::start().await;
    let (requests, stream) = mpsc::unbounded_channel();
    let stream = UnboundedReceiverStream::new(stream);
    let mut responses = server.client().await.validate_many(stream).await.unwrap().into_inner();
    requests.send(boards([CLASSIC])).unwrap();
    assert_eq!(responses.message().await.unwrap().unwrap().outcomes, [valid()]);

    let stopped = server.stop();
    let status = responses.message().await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(status.message(), "the server is draining the connection");
    assert_eq!(stopped.await.unwrap().unwrap(), 0);
}

#[tokio::test]
async fn a_stream_gets_the_answers_to_what_was_received() {
    let server = Server::start().await;
    let mut client = RawClient::without_window(&server.address).await;
    let (response, mut request) = client.open(VALIDATE_MANY).await;
    let message = framed(&boards([CONFLICTING]));
    let sent = client.fill(&mut request, &message).await.unwrap();
    client.begun().await;

    let stopped = drain_has_begun(server).await;
    client.set_window(1 << 20);
    let (responses, code) = read::<pb::ValidateManyResponse>(response).await;
    assert_eq!((responses.len(), code), (sent, Code::Unavailable));
    assert_eq!(stopped.await.unwrap().unwrap(), 0);
}

/// Stops the server, and waits until a stream on a connection of its own has learnt of it.
async fn drain_has_begun(server: Server) -> JoinHandle<anyhow::Result<usize>> {
    let mut other = RawClient::connect(&server.address).await;
    let (idle, _request) = other.open(VALIDATE_MANY).await;
    other.begun().await;
    let stopped = server.stop();
    assert_eq!(read::<pb::ValidateManyResponse>(idle).await.1, Code::Unavailable);
    stopped
}

#[tokio::test]
async fn a_stream_that_never_pauses_is_cut_off() {
    let server = Server::start().await;
    let (requests, stream) = mpsc::channel(8);
    let mut client = server.client().await;
    let stream = client.validate_many(ReceiverStream::new(stream)).await.unwrap();
    let mut responses = stream.into_inner();
    let endless =
        tokio::spawn(async move { while requests.send(boards([CLASSIC; 100])).await.is_ok() {} });
    responses.message().await.unwrap().unwrap();

    let stopped = server.stop();
    let status = loop {
        match responses.message().await {
            Ok(response) => assert_eq!(response.unwrap().outcomes.len(), 100),
            Err(status) => break status,
        }
    };
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
    assert_eq!(status.message(), "the server is draining the connection");
    assert_eq!(stopped.await.unwrap().unwrap(), 0);
    endless.await.unwrap();
}

#[tokio::test]
async fn a_health_watch_turns_not_serving_and_ends() {
    let server = Server::start().await;
    let mut health = HealthClient::new(server.channel().await);
    let mut states = Vec::new();
    for service in ["", "sudoku.v1.SudokuService", "chess.v1"] {
        let request = health_pb::HealthCheckRequest { service: service.to_owned() };
        let mut watch = health.watch(request).await.unwrap().into_inner();
        let first = watch.message().await.unwrap().unwrap().status();
        states.push((first, watch));
    }

    let stopped = server.stop();
    for (first, mut watch) in states {
        if first == ServingStatus::Serving {
            let next = watch.message().await.unwrap().unwrap();
            assert_eq!(next.status(), ServingStatus::NotServing);
        }
        assert_eq!(watch.message().await.unwrap_err().code(), Code::Unavailable);
    }
    assert_eq!(stopped.await.unwrap().unwrap(), 0);
}

#[tokio::test]
async fn a_reflection_stream_ends() {
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    let server = Server::start().await;
    let mut reflection = ServerReflectionClient::new(server.channel().await);
    let idle = tokio_stream::pending();
    let mut answers = reflection.server_reflection_info(idle).await.unwrap().into_inner();

    let stopped = server.stop();
    // That it ends with OK is tonic-reflection's doing.
    assert_eq!(answers.message().await.unwrap(), None);
    assert_eq!(stopped.await.unwrap().unwrap(), 0);
}

#[tokio::test]
async fn a_call_in_flight_is_answered() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut request) = client.open(VALIDATE).await;
    client.begun().await;

    let stopped = drain_has_begun(server).await;
    let message = framed(&pb::ValidateRequest { board: Some(board(CLASSIC)) });
    request.send_data(message, true).unwrap();
    let (responses, code) = read::<pb::ValidateResponse>(response).await;
    assert_eq!((responses.len(), code), (1, Code::Ok));
    assert_eq!(stopped.await.unwrap().unwrap(), 0);
    client.closed().await.unwrap();
}

#[tokio::test]
async fn what_is_left_after_the_grace_time_is_dropped() {
    let grace = Duration::from_millis(300);
    let server = Server::with(Limits { shutdown_grace: grace, ..Limits::default() }).await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, _request) = client.open(VALIDATE).await;
    client.begun().await;

    let start = Instant::now();
    assert_eq!(server.stop().await.unwrap().unwrap(), 1);
    assert!(start.elapsed() >= grace);
    assert!(response.await.unwrap_err().is_io());
}

#[tokio::test]
async fn a_connection_with_no_call_is_not_waited_for() {
    let server = Server::start().await;
    let _silent = TcpStream::connect(&server.address).await.unwrap();
    let mut half_a_preface = TcpStream::connect(&server.address).await.unwrap();
    half_a_preface.write_all(b"PRI * HTTP/2.0").await.unwrap();
    // It has opened a connection, and does not answer when the server says good-bye.
    let mut frozen = TcpStream::connect(&server.address).await.unwrap();
    frozen.write_all(&[PREFACE, &EMPTY_SETTINGS].concat()).await.unwrap();
    assert_eq!(read_frame(&mut frozen).await.0, SETTINGS);

    let start = Instant::now();
    assert_eq!(server.stop().await.unwrap().unwrap(), 0);
    assert!(start.elapsed() < GRACE, "{:?}", start.elapsed());
}

#[tokio::test]
async fn an_answer_that_is_read_slowly_is_waited_for() {
    let server = Server::start().await;
    let mut client = RawClient::without_window(&server.address).await;
    client.ping().await.unwrap();
    client.set_window(1);
    client.ping().await.unwrap();
    let (response, mut request) = client.open(VALIDATE_MANY).await;
    request.send_data(framed(&boards([CONFLICTING])), true).unwrap();
    client.begun().await;
    client.ping().await.unwrap();

    let mut stopped = drain_has_begun(server).await;
    // Longer than a connection with no call open is waited for.
    tokio::time::timeout(Duration::from_secs(3), &mut stopped).await.unwrap_err();
    client.set_window(1 << 20);
    let (responses, code) = read::<pb::ValidateManyResponse>(response).await;
    assert_eq!((responses.len(), code), (1, Code::Ok));
    assert_eq!(stopped.await.unwrap().unwrap(), 0);
}

#[tokio::test]
async fn a_client_that_still_sends_is_not_reset() {
    let server = Server::start().await;
    let mut client = TcpStream::connect(&server.address).await.unwrap();
    client.write_all(&[PREFACE, &EMPTY_SETTINGS].concat()).await.unwrap();
    assert_eq!(read_frame(&mut client).await.0, SETTINGS);

    let stopped = server.stop();
    let good_bye = loop {
        let (kind, payload) = read_frame(&mut client).await;
        if kind == PING {
            break payload;
        }
    };
    let ack = [&[0, 0, 8, PING, 1, 0, 0, 0, 0][..], &good_bye].concat();
    client.write_all(&ack).await.unwrap();
    client.read_to_end(&mut Vec::new()).await.unwrap();
    // The first of these would be answered by a reset, which the second would meet.
    for _ in 0..2 {
        client.write_all(&EMPTY_SETTINGS).await.unwrap();
    }
    drop(client);
    assert_eq!(stopped.await.unwrap().unwrap(), 0);
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const EMPTY_SETTINGS: [u8; 9] = [0, 0, 0, SETTINGS, 0, 0, 0, 0, 0];
const SETTINGS: u8 = 4;
const PING: u8 = 6;

/// The type and the payload of the next HTTP/2 frame.
async fn read_frame(stream: &mut TcpStream) -> (u8, Vec<u8>) {
    let mut head = [0; 9];
    stream.read_exact(&mut head).await.unwrap();
    let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
    stream.read_exact(&mut payload).await.unwrap();
    (head[3], payload)
}
