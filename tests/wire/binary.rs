//! The real binary: how it starts, answers and stops.

use std::fs::File;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use sudoku_validator::rpc::pb::health as health_pb;
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio_stream::StreamExt;
use tonic::Code;
use tonic::transport::{Channel, Endpoint};

use crate::frames::{Frames, PING, frame};
use crate::process::{Process, command};
use crate::raw::{RawClient, framed, read};
use crate::server::{CLASSIC, SudokuServiceClient, VALIDATE, VALIDATE_MANY, board, boards, worst};

async fn channel(process: &Process) -> Channel {
    let uri = format!("http://{}", process.address());
    Endpoint::from_shared(uri).unwrap().connect().await.unwrap()
}

// The clients go on while a test waits for the process.
#[tokio::test(flavor = "multi_thread")]
async fn starts_answers_and_stops() {
    for signal in ["TERM", "INT"] {
        let process = Process::start(&[]);
        let request = pb::ValidateRequest { board: Some(board(CLASSIC)) };
        let mut client = SudokuServiceClient::new(channel(&process).await);
        let verdict = client.validate(request).await.unwrap().into_inner().verdict.unwrap();
        assert_eq!(verdict, pb::Verdict { valid: Some(true), conflicts: Vec::new() });

        process.signal(signal);
        let (log, status) = process.wait();
        assert_eq!(status.code(), Some(0), "after SIG{signal}");
        let message = "stopping; a second signal ends at once";
        assert_eq!(
            log,
            [
                json!({ "message": message, "signal": format!("SIG{signal}") }),
                json!({ "message": "stopped", "connections_dropped": 0 }),
            ],
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stops_inside_the_grace_time_and_answers_the_call_in_flight() {
    let process = Process::start(&[]);
    let mut health = health_pb::health_client::HealthClient::new(channel(&process).await);
    let watch = health.watch(health_pb::HealthCheckRequest::default()).await.unwrap();
    let mut client = RawClient::connect(&process.address()).await;
    let (call, mut call_request) = client.open(VALIDATE).await;
    let (stream, mut stream_request) = client.open(VALIDATE_MANY).await;
    stream_request.send_data(framed(&boards([CLASSIC])), false).unwrap();
    client.begun().await;

    process.signal("TERM");
    let watched: Vec<_> = watch.into_inner().collect().await;
    let watched: Vec<_> =
        watched.into_iter().map(|state| state.map(|s| s.status).map_err(|s| s.code())).collect();
    let serving = health_pb::health_check_response::ServingStatus::Serving as i32;
    let not_serving = health_pb::health_check_response::ServingStatus::NotServing as i32;
    assert_eq!(watched, [Ok(serving), Ok(not_serving), Err(Code::Unavailable)]);
    let (answers, code) = read::<pb::ValidateManyResponse>(stream).await;
    assert_eq!((answers.len(), code), (1, Code::Unavailable));
    let message = framed(&pb::ValidateRequest { board: Some(board(CLASSIC)) });
    call_request.send_data(message, true).unwrap();
    let (answers, code) = read::<pb::ValidateResponse>(call).await;
    assert_eq!((answers.len(), code), (1, Code::Ok));

    let (log, status) = process.wait();
    assert_eq!(status.code(), Some(0));
    assert_eq!(log.last().unwrap()["connections_dropped"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn stops_at_the_grace_time_for_a_client_that_never_closes() {
    let process = Process::start(&["--shutdown-grace", "500ms"]);
    let mut client = RawClient::connect(&process.address()).await;
    let (_response, _request) = client.open(VALIDATE).await;
    client.begun().await;

    let start = Instant::now();
    process.signal("TERM");
    let (log, status) = process.wait();
    let took = start.elapsed();
    assert_eq!(status.code(), Some(0));
    assert_eq!(log.last().unwrap()["connections_dropped"], 1);
    assert!(took >= Duration::from_millis(500), "{took:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_at_once() {
    let mut process = Process::start(&[]);
    let mut client = RawClient::connect(&process.address()).await;
    let (_response, _request) = client.open(VALIDATE).await;
    client.begun().await;

    process.signal("TERM");
    assert_eq!(process.log()["signal"], "SIGTERM");
    process.signal("INT");
    let (log, status) = process.wait();
    assert_eq!(log, [json!({ "message": "ended at once", "signal": "SIGINT" })]);
    assert_eq!(status.code(), Some(130));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_that_comes_twice_at_once_is_one() {
    let process = Process::start(&[]);
    let mut client = RawClient::connect(&process.address()).await;
    let (response, mut request) = client.open(VALIDATE).await;
    client.begun().await;

    // Like `timeout`, which signals the process and then its group.
    process.signals(&["TERM", "TERM"]);
    let message = framed(&pb::ValidateRequest { board: Some(board(CLASSIC)) });
    request.send_data(message, true).unwrap();
    assert_eq!(read::<pb::ValidateResponse>(response).await.1, Code::Ok);
    assert_eq!(process.wait().1.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_cannot_be_written_holds_up_nothing() {
    for closed in [true, false] {
        let mut process = Process::spawn(
            command(&["--listen", "127.0.0.1:0", "--log-format", "json"])
                .env("RUST_LOG", "sudoku_validator=debug,info"),
        );
        if closed {
            process.close_log();
        }
        // Enough calls that their lines fill up the pipe, which is 64 KiB long.
        let mut client = SudokuServiceClient::new(channel(&process).await);
        for _ in 0..1_000 {
            let request = pb::ValidateRequest { board: Some(board(CLASSIC)) };
            client.validate(request).await.unwrap();
        }
        process.signal("TERM");
        assert_eq!(process.wait_unread().code(), Some(0), "log closed: {closed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_under_the_log_holds_up_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let mut process = command(&["--listen", &format!("unix:{}", path.display())])
        .env("RUST_LOG", "debug")
        .stderr(File::options().write(true).open("/dev/full").unwrap())
        .spawn()
        .unwrap();
    let mut stream = loop {
        match UnixStream::connect(&path).await {
            Ok(stream) => break stream,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 505 "), "{answer}");
    let pid = process.id();
    assert!(Command::new("kill").arg(pid.to_string()).status().unwrap().success());
    assert_eq!(process.wait().unwrap().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn stops_inside_the_grace_time_whatever_clients_do() {
    let process = Process::start(&["--shutdown-grace", "6s"]);
    let address = process.address();
    let message = framed(&boards(vec![worst().as_str(); 100]));
    let _silent = TcpStream::connect(&address).await.unwrap();
    let mut half_a_preface = TcpStream::connect(&address).await.unwrap();
    half_a_preface.write_all(b"PRI * HTTP").await.unwrap();
    let _idle = Frames::connect(&address).await;
    let mut half_sent = RawClient::connect(&address).await;
    let (_response, mut request) = half_sent.open(VALIDATE_MANY).await;
    request.send_data(message.slice(..100), false).unwrap();
    let mut no_window = RawClient::without_window(&address).await;
    let mut unread = Vec::new();
    for _ in 0..64 {
        let (response, mut request) = no_window.open(VALIDATE_MANY).await;
        request.send_data(message.clone(), false).unwrap();
        unread.push((response, request));
    }
    no_window.ping().await.unwrap();
    let (_answers, mut flood) = Frames::connect(&address).await.split();
    let pings = frame(PING, 0, 0, b"a flood.").repeat(1_000);
    let flood = tokio::spawn(async move { while flood.write_all(&pings).await.is_ok() {} });

    let start = Instant::now();
    process.signal("TERM");
    let (log, status) = process.wait();
    assert_eq!(status.code(), Some(0));
    // Far longer than the grace time, for a machine that is busy.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    // That with answers which nobody reads, and perhaps others that were slow to close.
    let dropped = log.last().unwrap()["connections_dropped"].as_u64().unwrap();
    assert!((1..=5).contains(&dropped), "{dropped}");
    flood.await.unwrap();
}

#[test]
fn a_hang_up_without_tls_ends_nothing() {
    let mut process = Process::start(&[]);
    process.signal("HUP");
    assert_eq!(process.log()["message"], "SIGHUP: there are no files to read again");
    process.signal("TERM");
    assert_eq!(process.wait().1.code(), Some(0));
}
