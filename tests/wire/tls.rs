//! TLS on the wire: who is answered, and what those who are not are told.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::AlertDescription;
use rustls::version::{TLS12, TLS13};
use sudoku_validator::config::Limits;
use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::server::Tls;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Code;
use tonic::transport::Endpoint;

use crate::certificates::{Authority, Files, alert, connect};
use crate::process::Process;
use crate::raw::RawClient;
use crate::server::{
    CLASSIC, Server, SudokuServiceClient, VALIDATE, VALIDATE_MANY, board, boards, limits, worst,
};

/// How a client of HTTP/1.1 begins, and one of HTTP/2.
const HTTP1: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A server that speaks TLS, and the authority that its certificate is of.
async fn secured(limits: Limits) -> (Server, Authority) {
    let authority = Authority::new("authority");
    let files = Files::new(&authority.certify());
    let tls = Tls::load(files.tls.clone()).unwrap();
    (Server::with_tls(limits, Some(Arc::new(tls))).await, authority)
}

/// Makes a call on a new connection.
async fn is_answered(server: &Server, authority: &Authority) {
    let stream = connect(&server.address, &authority.client(&TLS13)).await.unwrap();
    let request = pb::ValidateRequest { board: Some(board(CLASSIC)) };
    let mut client = RawClient::secured(stream).await;
    let (answers, code) = client.call::<pb::ValidateResponse>(VALIDATE, &request).await;
    assert_eq!((answers.len(), code), (1, Code::Ok));
}

#[tokio::test]
async fn large_messages_go_through_each_version() {
    let (server, authority) = secured(limits()).await;
    let worst = worst();
    for version in [&TLS13, &TLS12] {
        let stream = connect(&server.address, &authority.client(version)).await.unwrap();
        assert_eq!(stream.get_ref().1.protocol_version(), Some(version.version));
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        let mut client = RawClient::secured(stream).await;
        let request = boards([worst.as_str(); 1_000]);
        let (answers, code) =
            client.call::<pb::ValidateManyResponse>(VALIDATE_MANY, &request).await;
        assert_eq!(code, Code::Ok);
        assert_eq!(answers[0].outcomes.len(), 1_000);
    }
}

#[tokio::test]
async fn an_older_version_is_refused() {
    let (server, authority) = secured(limits()).await;
    for (version, expected) in [
        (TLS_1_1, [ALERT, FATAL, AlertDescription::ProtocolVersion.into()]),
        (TLS_1_2, [HANDSHAKE, SERVER_HELLO, 0]),
    ] {
        let mut client = TcpStream::connect(&server.address).await.unwrap();
        client.write_all(&hello(version)).await.unwrap();
        let mut record = [0; 7];
        client.read_exact(&mut record).await.unwrap();
        assert_eq!([record[0], record[5], record[6]], expected);
    }
    is_answered(&server, &authority).await;
}

const TLS_1_1: [u8; 2] = [3, 2];
const TLS_1_2: [u8; 2] = [3, 3];
const ALERT: u8 = 21;
const FATAL: u8 = 2;
const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;

/// The first message of a client that speaks no later version than this one.
fn hello(version: [u8; 2]) -> Vec<u8> {
    let (random, no_session, no_compression) = ([7; 32], 0, [1, 0]);
    // ECDHE with ECDSA and AES: one for 1.2 alone, and one that 1.1 has too.
    let cipher_suites = [0, 4, 0xc0, 0x2b, 0xc0, 0x09];
    let groups = [0, 10, 0, 4, 0, 2, 0, 23];
    let signatures = [0, 13, 0, 4, 0, 2, 4, 3];
    let extensions = [&[0, 16][..], &groups, &signatures].concat();
    let start = [&version[..], &random, &[no_session], &cipher_suites, &no_compression].concat();
    let length = u8::try_from(start.len() + extensions.len()).unwrap();
    let head = [HANDSHAKE, 3, 1, 0, length + 4, CLIENT_HELLO, 0, 0, length];
    [&head[..], &start, &extensions].concat()
}

#[tokio::test]
async fn a_client_that_asks_for_another_protocol_is_refused() {
    let (server, authority) = secured(limits()).await;
    for version in [&TLS13, &TLS12] {
        let mut config = authority.client(version);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let error = connect(&server.address, &config).await.unwrap_err();
        assert_eq!(alert(&error), Some(AlertDescription::NoApplicationProtocol), "{error:?}");
    }
    is_answered(&server, &authority).await;
}

#[tokio::test]
async fn a_client_that_asks_for_no_protocol_is_told_what_is_spoken() {
    let (server, authority) = secured(limits()).await;
    for (version, sent) in [(&TLS13, HTTP1), (&TLS13, HTTP2), (&TLS12, HTTP1), (&TLS12, HTTP2)] {
        let mut config = authority.client(version);
        config.alpn_protocols.clear();
        let mut client = connect(&server.address, &config).await.unwrap();
        client.write_all(sent).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 505 HTTP Version Not Supported\r\n"), "{answer}");
        assert!(answer.contains("speaks HTTP/2 alone"), "{answer}");
    }
    is_answered(&server, &authority).await;
}

#[tokio::test]
async fn a_client_without_tls_is_told_what_is_spoken() {
    let (server, authority) = secured(limits()).await;
    for sent in [HTTP1, HTTP2] {
        let mut client = TcpStream::connect(&server.address).await.unwrap();
        client.write_all(sent).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        let expected = "HTTP/1.1 400 Bad Request\r\n\
            content-type: text/plain\r\nconnection: close\r\n\r\n\
            This is a gRPC server, which speaks TLS alone on this port.\n";
        assert_eq!(answer, expected);
    }
    is_answered(&server, &authority).await;
}

#[tokio::test]
async fn a_client_with_tls_is_refused_at_once_where_none_is_spoken() {
    let server = Server::start().await;
    let start = Instant::now();
    let config = Authority::new("authority").client(&TLS13);
    let error = connect(&server.address, &config).await.unwrap_err();
    let closed = [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset];
    assert!(closed.contains(&error.kind()), "{error:?}");
    assert!(start.elapsed() < limits().handshake_timeout / 2, "{:?}", start.elapsed());

    let request = pb::ValidateRequest { board: Some(board(CLASSIC)) };
    let response = server.client().await.validate(request).await.unwrap().into_inner();
    assert_eq!(response.verdict.unwrap().valid, Some(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unix_socket_stays_without_tls() {
    let authority = Authority::new("authority");
    let files = Files::new(&authority.certify());
    let socket = format!("unix:{}", files.path("socket").display());
    let process = Process::start(&[&files.flags()[..], &["--listen", &socket]].concat());
    assert_eq!(process.ready["tls"], "on");
    let channel = Endpoint::from_shared(socket).unwrap().connect().await.unwrap();
    let request = pb::ValidateRequest { board: Some(board(CLASSIC)) };
    let response = SudokuServiceClient::new(channel).validate(request).await.unwrap();
    assert_eq!(response.into_inner().verdict.unwrap().valid, Some(true));
}

#[tokio::test]
async fn who_does_not_go_on_is_closed_at_the_deadline() {
    let timeout = Duration::from_millis(200);
    let (server, authority) = secured(Limits { handshake_timeout: timeout, ..limits() }).await;
    let half_a_hello = &hello(TLS_1_1)[..20];
    for sent in [&[][..], half_a_hello] {
        let start = Instant::now();
        let mut client = TcpStream::connect(&server.address).await.unwrap();
        client.write_all(sent).await.unwrap();
        assert!(closed(&mut client, start).await >= timeout);
    }
    let start = Instant::now();
    let mut silent = connect(&server.address, &authority.client(&TLS13)).await.unwrap();
    assert!(closed(&mut silent, start).await >= timeout);
    is_answered(&server, &authority).await;
}

/// How long it took the server to close a connection, or to reset it, as it does with something
/// unread.
async fn closed(stream: &mut (impl AsyncRead + Unpin), since: Instant) -> Duration {
    let mut nothing = tokio::io::sink();
    let closes = tokio::io::copy(stream, &mut nothing);
    let _ = tokio::time::timeout(limits().handshake_timeout / 2, closes).await.expect("no end");
    since.elapsed()
}
