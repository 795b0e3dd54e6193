//! The admin port: alive, ready, and never in the way of calls.

use std::time::{Duration, Instant};

use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonic::Code;

use crate::process::{BINARY, Process, command_of};
use crate::prometheus::{ask, scrape};
use crate::raw::{RawClient, framed, read};
use crate::server::{CLASSIC, GRACE, Server, VALIDATE, board};

fn status(head: &str) -> &str {
    head.split(' ').nth(1).unwrap()
}

#[tokio::test]
async fn is_not_ready_from_the_drain_on_and_alive_all_the_time() {
    let server = Server::start().await;
    let admin = server.admin.clone();
    for path in ["livez", "readyz"] {
        let (head, body) = ask(&admin, &format!("GET /{path}")).await;
        assert_eq!((status(&head), body.as_str()), ("200", "ok\n"), "{path}");
    }
    // A call that is half sent holds up the end of the drain.
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut request) = client.open(VALIDATE).await;
    client.begun().await;
    let stopped = server.stop();
    let draining = async {
        loop {
            let (head, body) = ask(&admin, "GET /readyz").await;
            if status(&head) != "200" {
                break (head, body);
            }
        }
    };
    let (head, body) = timeout(GRACE, draining).await.unwrap();
    assert_eq!((status(&head), body.as_str()), ("503", "draining\n"));
    assert_eq!(status(&ask(&admin, "GET /livez").await.0), "200");
    let message = framed(&pb::ValidateRequest { board: Some(board(CLASSIC)) });
    request.send_data(message, true).unwrap();
    assert_eq!(read::<pb::ValidateResponse>(response).await.1, Code::Ok);
    assert_eq!(stopped.await.unwrap().unwrap(), 0);
}

#[tokio::test]
async fn answers_what_it_has_not_with_what_it_has() {
    let server = Server::start().await;
    let (head, body) = ask(&server.admin, "GET /").await;
    assert_eq!(status(&head), "404");
    assert_eq!(body, "here are /livez, /readyz and /metrics\n");
    let (head, body) = ask(&server.admin, "POST /metrics").await;
    assert!(head.contains("\r\nallow: GET, HEAD"), "{head}");
    assert_eq!((status(&head), body.as_str()), ("405", "GET and HEAD alone\n"));
    let (head, body) = ask(&server.admin, "HEAD /livez").await;
    assert_eq!((status(&head), body.as_str()), ("200", ""));
    let (head, _) = ask(&server.admin, "GET /metrics").await;
    let openmetrics =
        "\r\ncontent-type: application/openmetrics-text; version=1.0.0; charset=utf-8";
    assert!(head.contains(openmetrics), "{head}");
}

/// As many clients as are taken say nothing. The next is answered once the first of them are closed.
#[tokio::test]
async fn clients_that_say_nothing_are_closed_and_hold_up_no_call() {
    let server = Server::start().await;
    let start = Instant::now();
    let mut silent = Vec::new();
    for _ in 0..16 {
        let mut stream = TcpStream::connect(server.admin.address().to_string()).await.unwrap();
        stream.write_all(b"GET /met").await.unwrap();
        silent.push(stream);
    }
    let mut client = RawClient::connect(&server.address).await;
    assert_eq!(client.validate().await.code(), Code::Ok);
    let asked = ask(&server.admin, "GET /livez");
    assert_eq!(status(&timeout(Duration::from_secs(30), asked).await.unwrap().0), "200");
    // It had to wait for that.
    assert!(start.elapsed() >= Duration::from_secs(9), "{:?}", start.elapsed());
    for mut stream in silent {
        let mut answer = Vec::new();
        // A reset is a close too.
        let _ = timeout(GRACE, stream.read_to_end(&mut answer)).await.unwrap();
        assert_eq!(answer, b"");
    }
}

#[test]
fn the_address_of_the_binary_is_in_the_ready_line() {
    let process = Process::start(&["--admin-listen", "127.0.0.1:0"]);
    let address = process.ready["admin_listen"].as_str().unwrap();
    assert_ne!(address, "127.0.0.1:0");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async { TcpStream::connect(address).await.unwrap() });
    process.signal("TERM");
    assert!(process.wait().1.success());
}

#[test]
fn an_address_in_use_stops_the_start() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = crate::process::command(&["--listen", "127.0.0.1:0", "--admin-listen", &address]);
    let output = { output }.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    let expected =
        format!("error: cannot listen on {address}: Address already in use (os error 98)\n");
    assert_eq!(told, expected);
}

#[tokio::test]
async fn tells_of_the_process() {
    let server = Server::start().await;
    let found = scrape(&server.admin).await;
    assert_eq!(found[r#"sudoku_build_info{version="0.1.0"}"#], 1);
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let age = now - found["process_start_time_seconds"];
    assert!(age < 3_600, "{age} s old");
    for name in ["resident_memory_bytes", "virtual_memory_bytes", "open_fds", "max_fds"] {
        assert!(found[&format!("process_{name}")] > 1, "{name}");
    }
    assert!(found["process_cpu_seconds_total"] < 3_600);
}

/// It keeps files for itself, where the process may have fewer than connections would take.
#[tokio::test]
async fn is_there_while_connections_take_all_files_that_they_may() {
    let shell = ["-c", "ulimit -n 150 && exec \"$0\" \"$@\"", BINARY];
    let flags = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--threads", "1"];
    let arguments = [&shell[..], &flags, &["--log-format", "json"]].concat();
    let process = Process::spawn(&mut command_of("sh", &arguments));
    let warning = &process.before_ready[0]["fields"];
    assert_eq!(warning["message"], "open files limit the connections taken");
    assert_eq!(process.ready["max_connections"], 82);
    let mut open = Vec::new();
    for _ in 0..100 {
        open.push(TcpStream::connect(process.address()).await.unwrap());
    }
    let admin = process.ready["admin_listen"].as_str().unwrap();
    // Those that are refused are the last: once one has ended, all have come.
    open.last_mut().unwrap().read_u8().await.unwrap_err();
    let mut stream = TcpStream::connect(admin).await.unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    timeout(GRACE, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    for line in ["sudoku_connections_refused_total 18\n", "sudoku_accept_errors_total 0\n"] {
        assert!(answer.contains(line), "{answer}");
    }
}
