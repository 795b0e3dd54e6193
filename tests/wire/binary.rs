//! The real binary: how it starts, answers and stops.

use std::time::{Duration, Instant};

use serde_json::json;
use sudoku_validator::rpc::pb::health as health_pb;
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio_stream::StreamExt;
use tonic::Code;
use tonic::transport::{Channel, Endpoint};

use crate::process::{Process, command};
use crate::raw::{RawClient, framed, read};
use crate::server::{
    CLASSIC, SudokuServiceClient, VALIDATE, VALIDATE_MANY, board, boards, valid, worst,
};

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
async fn a_client_that_never_reads_costs_an_answer_for_each_stream() {
    let process = Process::start(&[]);
    let worst = worst();
    let message = framed(&boards(vec![worst.as_str(); 1_000]));
    let mut client = RawClient::without_window(&process.address()).await;
    let mut open = Vec::new();
    for _ in 0..60 {
        let (response, mut request) = client.open(VALIDATE_MANY).await;
        for _ in 0..20 {
            request.send_data(message.clone(), false).unwrap();
        }
        open.push((response, request));
    }
    client.begun().await;
    client.ping().await.unwrap();

    let request = pb::ValidateManyRequest { boards: vec![board(CLASSIC)] };
    let mut other = SudokuServiceClient::new(channel(&process).await);
    let answers = other.validate_many(tokio_stream::once(request)).await.unwrap();
    let answers: Vec<_> = answers.into_inner().collect().await;
    assert_eq!(answers[0].as_ref().unwrap().outcomes, [valid()]);

    // The answers to all would be 2.8 GB; those to the first message of each stream are 140 MB.
    let peak = process.peak_memory() / 1024;
    assert!(peak < 500, "{peak} MiB");
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
