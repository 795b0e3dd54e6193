//! Connections that break HTTP/2 or wear it out, and that others are served meanwhile.

use std::time::Duration;

use h2::Reason;
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::io::AsyncWriteExt;
use tonic::Code;

use crate::frames::{
    ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, Frames, GOAWAY, HEADERS, PING, RST_STREAM,
    SETTINGS, WINDOW_UPDATE, call, field, frame,
};
use crate::raw::{self, RawClient, framed};
use crate::server::{CLASSIC, Server, VALIDATE, VALIDATE_MANY, board};

/// What the server answers at the end to a client that sends all this.
async fn outcome(server: &Server, sent: Vec<u8>) -> Option<Reason> {
    let client = Frames::connect(&server.address).await;
    let (mut client, mut writer) = client.split();
    let sends = tokio::spawn(async move {
        // The server may close before all is sent.
        let _ = writer.write_all(&sent).await;
        let _ = writer.write_all(&frame(PING, 0, 0, b"the end.")).await;
        writer
    });
    let ended = loop {
        match client.read().await {
            Some(frame) if frame.kind == GOAWAY => break Some(frame.reason()),
            Some(frame) if frame.kind == PING && frame.payload == b"the end." => break None,
            Some(_) => {}
            None => panic!("closed without a GOAWAY"),
        }
    };
    assert_eq!(validate(server).await, Code::Ok);
    sends.abort();
    ended
}

/// What a call on a connection of its own ends with.
async fn validate(server: &Server) -> Code {
    RawClient::connect(&server.address).await.validate().await.code()
}

fn streams(count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(|number| 2 * number + 1)
}

#[tokio::test]
async fn rapid_resets_end_the_connection() {
    let server = Server::start().await;
    let open_and_reset = |stream| {
        let open = frame(HEADERS, END_HEADERS, stream, &call(VALIDATE));
        [open, frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes())].concat()
    };
    let sent = streams(10_000).flat_map(open_and_reset).collect();
    assert_eq!(outcome(&server, sent).await, Some(Reason::ENHANCE_YOUR_CALM));
}

#[tokio::test]
async fn headers_without_end_end_the_connection() {
    let server = Server::start().await;
    let more = frame(CONTINUATION, 0, 1, &field("a", &"a".repeat(100)));
    let sent = [frame(HEADERS, 0, 1, &call(VALIDATE)), more.repeat(100_000)].concat();
    assert_eq!(outcome(&server, sent).await, Some(Reason::ENHANCE_YOUR_CALM));
}

#[tokio::test]
async fn empty_continuations_end_the_connection() {
    let server = Server::start().await;
    let more = frame(CONTINUATION, 0, 1, b"");
    let sent = [frame(HEADERS, 0, 1, &call(VALIDATE)), more.repeat(100_000)].concat();
    assert_eq!(outcome(&server, sent).await, Some(Reason::ENHANCE_YOUR_CALM));
}

#[tokio::test]
async fn empty_data_ends_the_connection() {
    let server = Server::start().await;
    let open = frame(HEADERS, END_HEADERS, 1, &call(VALIDATE_MANY));
    let sent = [open, frame(DATA, 0, 1, b"").repeat(1_000_000)].concat();
    assert_eq!(outcome(&server, sent).await, Some(Reason::ENHANCE_YOUR_CALM));
}

#[tokio::test]
async fn a_message_in_frames_of_a_byte_is_taken() {
    let server = Server::start().await;
    let message = framed(&pb::ValidateRequest { board: Some(board(CLASSIC)) });
    let mut client = Frames::connect(&server.address).await;
    client.call(1, VALIDATE).await;
    for byte in &message {
        client.send(DATA, 0, 1, &[*byte]).await.unwrap();
    }
    client.send(DATA, END_STREAM, 1, b"").await.unwrap();
    let answer = client.next(DATA).await.unwrap();
    assert_eq!(answer.payload, b"\0\0\0\0\x04\x0a\x02\x08\x01");
}

#[tokio::test]
async fn a_stream_in_frames_of_a_byte_ends_the_connection() {
    let server = Server::start().await;
    let mut client = Frames::connect(&server.address).await;
    client.call(1, VALIDATE_MANY).await;
    let crumbs = frame(DATA, 0, 1, b"\0").repeat(2_000);
    client.0.write_all(&crumbs).await.unwrap();
    while client.read().await.is_some() {}
    assert_eq!(validate(&server).await, Code::Ok);
}

#[tokio::test]
async fn floods_of_control_frames_are_answered() {
    let server = Server::start().await;
    let ping = frame(PING, 0, 0, b"a flood.").repeat(50_000);
    assert_eq!(outcome(&server, ping).await, None);
    let settings = frame(SETTINGS, 0, 0, b"").repeat(50_000);
    assert_eq!(outcome(&server, settings).await, None);
    let window = frame(WINDOW_UPDATE, 0, 0, &1_u32.to_be_bytes()).repeat(50_000);
    assert_eq!(outcome(&server, window).await, None);
}

#[tokio::test]
async fn a_flood_that_does_not_read_answers_is_not_read_on() {
    let server = Server::start().await;
    let (_answers, mut writer) = Frames::connect(&server.address).await.split();
    let ping = frame(PING, 0, 0, b"a flood.").repeat(1_000);
    // Until a part is not taken for a while. All would be 170 MB, more than the sockets take in both
    // directions.
    let mut parts = 0;
    while tokio::time::timeout(Duration::from_secs(1), writer.write_all(&ping)).await.is_ok() {
        parts += 1;
        assert!(parts < 10_000, "all was read");
    }
    assert_eq!(validate(&server).await, Code::Ok);
}

#[tokio::test]
async fn resets_of_calls_that_were_begun_are_taken() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    for _ in 0..1_000 {
        let (response, mut request) = client.open(VALIDATE_MANY).await;
        response.await.unwrap();
        request.send_reset(Reason::CANCEL);
    }
    client.ping().await.unwrap();
    assert_eq!(validate(&server).await, Code::Ok);
}

#[tokio::test]
async fn headers_over_16_kib_are_431() {
    let server = Server::start().await;
    let long = raw::call(VALIDATE).header("a", "a".repeat(16_384));
    let many = (0..600).fold(raw::call(VALIDATE), |head, _| head.header("a", ""));
    for head in [long, many] {
        let mut client = RawClient::connect(&server.address).await;
        let (response, _request) = client.open_with(head).await;
        assert_eq!(response.await.unwrap().status(), 431);
        client.ping().await.unwrap();
    }
}

#[tokio::test]
async fn headers_that_unpack_to_far_more_end_the_connection() {
    let server = Server::start().await;
    let remembered = [&[0x40, 1, b'a', 120], &[b'a'; 120][..]].concat();
    let again = [0xbe; 8_000];
    let block = [&call(VALIDATE)[..], &remembered, &again].concat();
    let sent = frame(HEADERS, END_HEADERS, 1, &block);
    assert_eq!(outcome(&server, sent).await, Some(Reason::ENHANCE_YOUR_CALM));
}

#[tokio::test]
async fn windows_that_overflow_end_stream_or_connection() {
    let server = Server::start().await;
    let most = 0x7fff_ffff_u32.to_be_bytes();
    let sent = frame(WINDOW_UPDATE, 0, 0, &most).repeat(2);
    assert_eq!(outcome(&server, sent).await, Some(Reason::FLOW_CONTROL_ERROR));
    let mut client = Frames::connect(&server.address).await;
    client.call(1, VALIDATE_MANY).await;
    for _ in 0..2 {
        client.send(WINDOW_UPDATE, 0, 1, &most).await.unwrap();
    }
    let reset = client.next(RST_STREAM).await.unwrap();
    assert_eq!(reset.payload, u32::from(Reason::FLOW_CONTROL_ERROR).to_be_bytes());
    client.send(PING, 0, 0, b"go on, I").await.unwrap();
    assert_eq!(client.next(PING).await.unwrap().payload, b"go on, I");
}

#[tokio::test]
async fn data_over_the_window_ends_the_stream() {
    let server = Server::start().await;
    // A stream that has no window for its answers, and so is not read on.
    let no_window = frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    let open = frame(HEADERS, END_HEADERS, 1, &call(VALIDATE_MANY));
    let empty_messages = frame(DATA, 0, 1, &[0; 16_000]).repeat(2_000);
    let (mut client, mut writer) = Frames::connect(&server.address).await.split();
    let sent = [no_window, open, empty_messages].concat();
    let sends = tokio::spawn(async move {
        // The server may close before all is sent.
        let _ = writer.write_all(&sent).await;
        writer
    });
    let reset = client.next(RST_STREAM).await.unwrap();
    assert_eq!(reset.payload, u32::from(Reason::FLOW_CONTROL_ERROR).to_be_bytes());
    assert_eq!(validate(&server).await, Code::Ok);
    sends.abort();
}

#[tokio::test]
async fn frames_that_are_none_end_the_connection() {
    let server = Server::start().await;
    for (sent, reason) in [
        (frame(DATA, 0, 0, b"a"), Reason::PROTOCOL_ERROR),
        (frame(DATA, 0, 1, b"a"), Reason::PROTOCOL_ERROR),
        (frame(HEADERS, END_HEADERS, 2, &call(VALIDATE)), Reason::PROTOCOL_ERROR),
        (frame(HEADERS, END_HEADERS, 1, &[0xff; 9]), Reason::PROTOCOL_ERROR),
        (frame(SETTINGS, ACK, 0, b"a"), Reason::PROTOCOL_ERROR),
        (frame(PING, 0, 0, b"short"), Reason::PROTOCOL_ERROR),
        (vec![0xff; 100_000], Reason::FRAME_SIZE_ERROR),
    ] {
        assert_eq!(outcome(&server, sent).await, Some(reason));
    }
}

#[tokio::test]
async fn a_client_may_end_its_half_before_or_after_the_answer() {
    let server = Server::start().await;
    let message = framed(&pb::ValidateRequest { board: Some(board(CLASSIC)) });
    for ends_with_message in [true, false] {
        let mut client = Frames::connect(&server.address).await;
        client.call(1, VALIDATE).await;
        client.send(DATA, u8::from(ends_with_message), 1, &message).await.unwrap();
        if !ends_with_message {
            client.send(DATA, END_STREAM, 1, b"").await.unwrap();
        }
        assert_eq!(client.next(DATA).await.unwrap().payload.len(), 9);
        let trailers = loop {
            let headers = client.next(HEADERS).await.unwrap();
            if headers.flags != END_HEADERS {
                break headers;
            }
        };
        assert_eq!((trailers.stream, trailers.flags), (1, END_STREAM | END_HEADERS));
    }
}
