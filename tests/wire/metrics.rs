//! What the metrics say of calls, boards and connections.

use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair};
use sudoku_validator::config::Limits;
use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::server::Tls;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tonic::Code;

use crate::certificates::{Authority, Files};
use crate::frames::Frames;
use crate::prometheus::{Series, scrape, scrape_until};
use crate::raw::{RawClient, framed, read};
use crate::server::{CLASSIC, CONFLICTING, Server, VALIDATE, VALIDATE_MANY, board, boards, limits};

const UNKNOWN: &str = "/sudoku.v1.SudokuService/Solve";

fn request(cells: &str) -> pb::ValidateRequest {
    pb::ValidateRequest { board: Some(board(cells)) }
}

/// A series of a method without the leading slash, and of a status where it is one of calls ended.
fn of(name: &str, path: &str, status: Option<&str>) -> String {
    let method = path.trim_start_matches('/');
    let status = status.map(|status| format!(r#",grpc_status="{status}""#)).unwrap_or_default();
    format!(r#"{name}{{grpc_method="{method}"{status}}}"#)
}

fn ended(path: &str, status: &str) -> String {
    of("grpc_server_call_duration_seconds_count", path, Some(status))
}

/// The sums of the bytes received and sent.
fn bytes(found: &Series, path: &str, status: &str) -> [u64; 2] {
    ["rcvd", "sent"].map(|way| {
        let name = format!("grpc_server_call_{way}_total_compressed_message_size_bytes_sum");
        found[&of(&name, path, Some(status))]
    })
}

#[tokio::test]
async fn unary_calls_are_counted_by_status_with_their_bytes() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let mut answers = 0;
    for cells in [CLASSIC, CONFLICTING, CLASSIC] {
        let (response, mut sending) = client.open(VALIDATE).await;
        sending.send_data(framed(&request(cells)), true).unwrap();
        let (messages, code) = read::<pb::ValidateResponse>(response).await;
        assert_eq!(code, Code::Ok);
        answers += prost::Message::encoded_len(&messages[0]) as u64;
    }
    for (path, cells) in [(VALIDATE, "12"), (VALIDATE, "x"), (UNKNOWN, "")] {
        client.call::<pb::ValidateResponse>(path, &request(cells)).await;
    }
    let found = scrape(&server.admin).await;
    assert_eq!(found[&ended(VALIDATE, "OK")], 3);
    assert_eq!(bytes(&found, VALIDATE, "OK"), [3 * 85, answers]);
    assert_eq!(found[&ended(VALIDATE, "INVALID_ARGUMENT")], 2);
    assert_eq!(bytes(&found, VALIDATE, "INVALID_ARGUMENT"), [6 + 5, 0]);
    // A name that clients make up is none of a series.
    assert_eq!(found[&ended("other", "UNIMPLEMENTED")], 1);
    assert_eq!(found[&of("grpc_server_call_started_total", VALIDATE, None)], 5);
    assert_eq!(found[&of("grpc_server_call_started_total", "other", None)], 1);
    assert_eq!(found[&of("sudoku_calls_open", VALIDATE, None)], 0);
    let counted = [
        r#"sudoku_boards_total{verdict="valid"}"#,
        r#"sudoku_boards_total{verdict="invalid"}"#,
        r#"sudoku_malformed_boards_total{reason="INVALID_CHARACTER"}"#,
        r#"sudoku_malformed_boards_total{reason="WRONG_SHAPE"}"#,
    ];
    assert_eq!(counted.map(|name| found[name]), [2, 1, 1, 1]);
}

#[tokio::test]
async fn a_stream_is_counted_when_it_ends_and_its_boards_as_they_are_answered() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut sending) = client.open(VALIDATE_MANY).await;
    let message = framed(&boards([CLASSIC, CONFLICTING, "x", "12"]));
    sending.send_data(message.clone(), false).unwrap();
    let mut body = response.await.unwrap().into_body();
    let answer = body.data().await.unwrap().unwrap();
    let found = scrape(&server.admin).await;
    assert_eq!(found[&of("sudoku_calls_open", VALIDATE_MANY, None)], 1);
    assert_eq!(found[r#"sudoku_boards_total{verdict="invalid"}"#], 1);
    assert_eq!(found.get(&ended(VALIDATE_MANY, "OK")), None);

    sending.send_data(message.clone(), true).unwrap();
    body.data().await.unwrap().unwrap();
    body.trailers().await.unwrap();
    let found = scrape(&server.admin).await;
    assert_eq!(found[&ended(VALIDATE_MANY, "OK")], 1);
    let sizes = [message.len() - 5, answer.len() - 5].map(|bytes| 2 * bytes as u64);
    assert_eq!(bytes(&found, VALIDATE_MANY, "OK"), sizes);
    assert_eq!(found[&of("sudoku_calls_open", VALIDATE_MANY, None)], 0);
    assert_eq!(found[r#"sudoku_malformed_boards_total{reason="WRONG_SHAPE"}"#], 2);
}

#[tokio::test]
async fn a_call_that_its_client_gives_up_is_counted_as_cancelled() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut sending) = client.open(VALIDATE_MANY).await;
    response.await.unwrap();
    sending.send_reset(h2::Reason::CANCEL);
    let found = scrape_until(&server.admin, &ended(VALIDATE_MANY, "CANCELLED"), 1).await;
    assert_eq!(found[&of("sudoku_calls_open", VALIDATE_MANY, None)], 0);
}

/// Buckets are those of gRFC A66, and each counts what the ones before it do.
#[tokio::test]
async fn durations_and_sizes_are_in_buckets() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let many = boards(vec![CLASSIC; 100]);
    client.call::<pb::ValidateManyResponse>(VALIDATE_MANY, &many).await;
    let found = scrape(&server.admin).await;
    let buckets = |name: &str| -> Vec<(String, u64)> {
        let start = format!(r#"{name}_bucket{{le=""#);
        let of_name = found.iter().filter(|(series, _)| series.starts_with(&start));
        let upper = |series: &str| series[start.len()..].split('"').next().unwrap().to_owned();
        let mut buckets: Vec<_> = of_name.map(|(series, &count)| (upper(series), count)).collect();
        buckets.sort_by(|a, b| a.0.parse::<f64>().unwrap().total_cmp(&b.0.parse().unwrap()));
        buckets
    };
    let durations = buckets("grpc_server_call_duration_seconds");
    assert_eq!(durations.len(), 42);
    let first: Vec<_> = durations[..4].iter().map(|(upper, _)| upper.as_str()).collect();
    assert_eq!(first, ["0.0", "0.00001", "0.00005", "0.0001"]);
    let last: Vec<_> = durations[38..].iter().map(|(upper, _)| upper.as_str()).collect();
    assert_eq!(last, ["20.0", "50.0", "100.0", "+Inf"]);
    assert!(durations.iter().map(|(_, count)| count).is_sorted());
    assert_eq!((durations[0].1, durations[41].1), (0, 1));
    // 8,700 bytes came.
    let sizes = buckets("grpc_server_call_rcvd_total_compressed_message_size_bytes");
    let counts: Vec<_> = sizes[..6].iter().map(|(upper, count)| (upper.as_str(), *count)).collect();
    let expected = [("0.0", 0), ("1024.0", 0), ("2048.0", 0), ("4096.0", 0)];
    assert_eq!(counts[..4], expected);
    assert_eq!(counts[4..], [("16384.0", 1), ("65536.0", 1)]);
}

#[tokio::test]
async fn calls_turned_away_are_counted() {
    let server = Server::with(Limits { calls_max: 2, ..limits() }).await;
    let mut client = RawClient::connect(&server.address).await;
    let mut open = Vec::new();
    for _ in 0..5 {
        open.push(client.open(VALIDATE).await);
    }
    let shed = scrape_until(&server.admin, "sudoku_calls_shed_total", 3).await;
    assert_eq!(shed[&ended(VALIDATE, "RESOURCE_EXHAUSTED")], 3);
    assert_eq!(shed["sudoku_calls_max"], 2);
    assert_eq!(shed[&of("sudoku_calls_open", VALIDATE, None)], 2);
}

#[tokio::test]
async fn the_certificate_in_use_tells_when_it_expires() {
    let authority = Authority::new("authority");
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.not_after = rcgen::date_time_ymd(2031, 2, 3);
    let identity = authority.certify_with(&params, KeyPair::generate().unwrap());
    let tls = Tls::load(Files::new(&identity).tls.clone()).unwrap();
    let server = Server::with_tls(limits(), Some(Arc::new(tls))).await;
    let found = scrape(&server.admin).await;
    assert_eq!(found["sudoku_certificate_expiration_timestamp_seconds"], 1_927_843_200);
}

fn connections_ended(reason: &str) -> String {
    format!(r#"sudoku_connections_ended_total{{reason="{reason}"}}"#)
}

#[tokio::test]
async fn connections_are_counted_by_why_they_end() {
    let short = Duration::from_millis(100);
    let limits = Limits { handshake_timeout: short, connections_max: 1, ..limits() };
    let server = Server::with(limits).await;
    let client = RawClient::connect(&server.address).await;
    let found = scrape_until(&server.admin, "sudoku_connections_open", 1).await;
    assert_eq!(found["sudoku_connections_max"], 1);
    let refused = TcpStream::connect(&server.address).await.unwrap();
    scrape_until(&server.admin, "sudoku_connections_refused_total", 1).await;
    drop(refused);
    client.closed().await.unwrap();
    scrape_until(&server.admin, &connections_ended("closed"), 1).await;
    let silent = TcpStream::connect(&server.address).await.unwrap();
    scrape_until(&server.admin, &connections_ended("handshake"), 1).await;
    drop(silent);
    let mut broken = TcpStream::connect(&server.address).await.unwrap();
    // A frame of a kind that may not come first.
    broken.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\0\0\0\0\0\x01").await.unwrap();
    let found = scrape_until(&server.admin, &connections_ended("failed"), 1).await;
    assert_eq!(found["sudoku_connections_accepted_total"], 3);
    assert_eq!(found["sudoku_connections_open"], 0);
}

#[tokio::test]
async fn connections_that_are_idle_old_or_do_not_answer_are_counted() {
    let short = Duration::from_millis(100);
    let idle = Limits { connection_idle_max: short, ..limits() };
    let old = Limits { connection_age_max: Some(short), ..limits() };
    let silent = Limits { keepalive_time: short, keepalive_timeout: short, ..limits() };
    for (reason, limits) in [("idle", idle), ("age", old), ("keepalive", silent)] {
        let server = Server::with(limits).await;
        let client = Frames::connect(&server.address).await;
        let found = scrape_until(&server.admin, &connections_ended(reason), 1).await;
        assert_eq!(found["sudoku_connections_open"], 0);
        drop(client);
    }
}

#[tokio::test]
async fn connections_that_drain_are_counted() {
    let server = Server::start().await;
    let admin = server.admin.clone();
    let client = RawClient::connect(&server.address).await;
    scrape_until(&admin, "sudoku_connections_open", 1).await;
    assert_eq!(server.stop().await.unwrap().unwrap(), 0);
    assert_eq!(scrape(&admin).await[&connections_ended("drain")], 1);
    drop(client);

    let server = Server::with(Limits { shutdown_grace: Duration::ZERO, ..limits() }).await;
    let admin = server.admin.clone();
    let mut client = RawClient::connect(&server.address).await;
    let _open = client.open(VALIDATE).await;
    client.begun().await;
    assert_eq!(server.stop().await.unwrap().unwrap(), 1);
    assert_eq!(scrape(&admin).await[&connections_ended("dropped")], 1);
}
