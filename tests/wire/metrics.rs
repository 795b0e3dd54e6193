//! What the metrics say of calls, boards and connections.

use bytes::Bytes;
use sudoku_validator::config::Limits;
use sudoku_validator::rpc::pb::sudoku as pb;
use tonic::Code;

use crate::prometheus::{Series, scrape, scrape_until};
use crate::raw::{RawClient, call, data, framed, read};
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

/// Whose clock comes first, the client's or the server's, is chance, and all the same to who counts.
#[tokio::test]
async fn a_call_that_is_given_up_for_its_deadline_has_missed_it() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    for (timeout, status) in [("5m", "DEADLINE_EXCEEDED"), ("1H", "CANCELLED")] {
        let head = call(VALIDATE_MANY).header("grpc-timeout", timeout);
        let (_response, mut sending) = client.open_with(head).await;
        sending.send_reset(h2::Reason::CANCEL);
        scrape_until(&server.admin, &ended(VALIDATE_MANY, status), 1).await;
    }
}

/// What is answered as HTTP has no messages, whatever its text would be as one.
#[tokio::test]
async fn requests_that_are_not_grpc_are_unknown_and_have_no_bytes() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let url = format!("http://server{VALIDATE}");
    let json = http::Request::post(&url).header("content-type", "application/json");
    for (head, expected) in [(http::Request::get(&url), 405), (json, 415)] {
        let (response, mut sending) = client.open_with(head).await;
        sending.send_data(Bytes::new(), true).unwrap();
        let response = response.await.unwrap();
        assert_eq!(response.status(), expected);
        assert!(data(&mut response.into_body()).await.len() > 5);
    }
    let found = scrape(&server.admin).await;
    assert_eq!(found[&ended(VALIDATE, "UNKNOWN")], 2);
    assert_eq!(bytes(&found, VALIDATE, "UNKNOWN"), [0, 0]);
}

/// A message counts with what has come of it.
#[tokio::test]
async fn a_message_that_is_cut_off_counts_as_far_as_it_came() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (_response, mut sending) = client.open(VALIDATE).await;
    sending.send_data(Bytes::from_static(b"\0\0\0\x40\0abc"), false).unwrap();
    client.ping().await.unwrap();
    sending.send_reset(h2::Reason::CANCEL);
    let found = scrape_until(&server.admin, &ended(VALIDATE, "CANCELLED"), 1).await;
    assert_eq!(bytes(&found, VALIDATE, "CANCELLED"), [3, 0]);
    let (response, mut sending) = client.open(VALIDATE_MANY).await;
    let message = framed(&boards([CLASSIC]));
    sending.send_data([&message[..], b"\0\0\0"].concat().into(), false).unwrap();
    let answer = response.await.unwrap().into_body().data().await.unwrap().unwrap();
    sending.send_reset(h2::Reason::CANCEL);
    let found = scrape_until(&server.admin, &ended(VALIDATE_MANY, "CANCELLED"), 1).await;
    let sizes = [message.len() - 5, answer.len() - 5].map(|bytes| bytes as u64);
    assert_eq!(bytes(&found, VALIDATE_MANY, "CANCELLED"), sizes);
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

/// A call takes its own time, and not that of its connection.
#[tokio::test]
async fn a_duration_begins_with_the_headers_of_its_call() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, _sending) = client.open_with(call(VALIDATE).header("grpc-timeout", "1S")).await;
    assert_eq!(read::<pb::ValidateResponse>(response).await.1, Code::DeadlineExceeded);
    client.call::<pb::ValidateResponse>(VALIDATE, &request(CLASSIC)).await;
    let found = scrape(&server.admin).await;
    let within = |seconds: &str, status: &str| {
        let name = "grpc_server_call_duration_seconds_bucket";
        let labels = format!(r#"grpc_method="{}",grpc_status="{status}""#, &VALIDATE[1..]);
        found[&format!(r#"{name}{{le="{seconds}",{labels}}}"#)]
    };
    let missed = ["0.8", "+Inf"].map(|seconds| within(seconds, "DEADLINE_EXCEEDED"));
    assert_eq!((missed, within("0.8", "OK")), ([0, 1], 1));
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
    assert_eq!((shed["sudoku_calls_taken"], shed["sudoku_calls_max"]), (2, 2));
    assert_eq!(shed[&of("sudoku_calls_open", VALIDATE, None)], 2);
}
