//! The memory of the real binary, under the worst that clients can do.

use bytes::Bytes;
use h2::SendStream;
use h2::client::ResponseFuture;

use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::server::raise_open_files;
use tonic::Code;

use crate::frames::{ACK, Frames, PING};
use crate::process::Process;
use crate::raw::{RawClient, framed, read};
use crate::server::{VALIDATE_MANY, boards, worst};

/// Opens calls on connections of 64, as long as the server takes any.
async fn open_all(
    process: &Process,
    calls: usize,
    path: &str,
) -> Vec<(RawClient, Vec<(ResponseFuture, SendStream<Bytes>)>)> {
    let mut connections = Vec::new();
    for first in (0..calls).step_by(64) {
        let mut client = RawClient::without_window(&process.address()).await;
        let mut open = Vec::new();
        for _ in first..calls.min(first + 64) {
            open.push(client.open(path).await);
        }
        connections.push((client, open));
    }
    connections
}

/// A server that takes 64 calls on four connections, and 62 MiB.
fn start() -> Process {
    let flags = ["--threads", "1", "--max-connections", "4", "--max-concurrent-calls", "64"];
    let few_bytes = ["--max-message-bytes", "262144", "--max-boards-per-message", "1000"];
    Process::start(&[&flags[..], &few_bytes].concat())
}

#[track_caller]
fn assert_under_the_ceiling(process: &Process) {
    let (peak, max) = (process.peak_memory(), process.ready["memory_bytes_max"].as_u64().unwrap());
    assert!(peak < max / 1024, "{peak} KiB, where {max} bytes are the most");
}

/// Each call is sent answers of 2.3 MB that it does not read.
#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_not_read_stay_under_the_ceiling() {
    let process = start();
    let worst = worst();
    let message = framed(&boards(vec![worst.as_str(); 1_000]));
    for (mut client, mut open) in open_all(&process, 16, VALIDATE_MANY).await {
        for (_, request) in &mut open {
            for _ in 0..3 {
                request.send_data(message.clone(), false).unwrap();
            }
        }
        client.ping().await.unwrap();
        // One byte of each is let through, which has the next made.
        client.set_window(1);
        client.ping().await.unwrap();
        client.ping().await.unwrap();
    }
    assert_under_the_ceiling(&process);
}

/// Each call waits for the last byte of a message of 256 KiB.
#[tokio::test(flavor = "multi_thread")]
async fn messages_that_never_end_stay_under_the_ceiling() {
    let process = start();
    let most = 256 * 1024;
    let all_but_the_end = [b"\0\0\x04\0\0".to_vec(), vec![b'.'; most - 1]].concat();
    let mut held = Vec::new();
    // All that the connections take: without the limit on calls, these would be over the ceiling.
    for (mut client, mut open) in open_all(&process, 256, VALIDATE_MANY).await {
        for (_, request) in &mut open {
            // It may have been refused before.
            let _ = request.send_data(all_but_the_end.clone().into(), false);
        }
        // By and by: a window is a quarter of it.
        for _ in 0..5 {
            client.ping().await.unwrap();
        }
        held.push((client, open));
    }
    assert_under_the_ceiling(&process);
}

/// As many calls as are taken, each with its window full of messages of one board.
#[tokio::test(flavor = "multi_thread")]
async fn small_frames_that_are_not_read_stay_under_the_ceiling() {
    let process = start();
    let board = ".".repeat(81);
    let message = framed(&boards([board.as_str()]));
    let mut held = Vec::new();
    for (mut client, mut open) in open_all(&process, 64, VALIDATE_MANY).await {
        for (_, request) in &mut open {
            client.fill(request, &message).await.unwrap();
        }
        held.push((client, open));
    }
    assert_under_the_ceiling(&process);
}

/// Many boards in few bytes, and boards of many conflicts, are read whole before they are found to be
/// too many.
#[tokio::test(flavor = "multi_thread")]
async fn boards_that_are_too_many_stay_under_the_ceiling() {
    // So few calls that nearly all memory is for the message that is read.
    let flags = ["--threads", "1", "--max-connections", "1", "--max-concurrent-calls", "11"];
    let few_bytes = ["--max-message-bytes", "262144", "--max-boards-per-message", "1000"];
    let process = Process::start(&[&flags[..], &few_bytes].concat());
    let mut client = RawClient::connect(&process.address()).await;
    let empty = pb::ValidateManyRequest { boards: vec![pb::Board::default(); 128 * 1024] };
    let worst = worst();
    let full = boards(vec![worst.as_str(); 3_000]);
    for message in [&empty, &full, &empty, &full] {
        let (response, mut request) = client.open(VALIDATE_MANY).await;
        request.send_data(framed(message), true).unwrap();
        assert_eq!(read::<pb::ValidateManyResponse>(response).await.1, Code::InvalidArgument);
    }
    assert_under_the_ceiling(&process);
}

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_connections_without_a_call_are_kept() {
    assert_eq!(raise_open_files(5_000, 2), 5_000);
    let process = Process::start(&["--threads", "1"]);
    let mut idle = Vec::new();
    for _ in 0..5_000 {
        idle.push(Frames::connect(&process.address()).await);
    }
    let peak = process.peak_memory();
    assert!(peak < 16 * 1024 + 5_000 * 32, "{peak} KiB");
    for client in idle.iter_mut().step_by(1_000) {
        client.send(PING, 0, 0, b"are you?").await.unwrap();
        assert_eq!(client.next(PING).await.unwrap().flags, ACK);
    }
}
