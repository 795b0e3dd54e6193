//! The status that gRPC's specifications give to what goes wrong with a call.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use bytes::Bytes;
use http::StatusCode;
use http::request::Builder;
use sudoku_validator::rpc::pb::sudoku as pb;
use tonic::{Code, Status};

use crate::raw::{RawClient, call, data, framed, read_whole};
use crate::server::{CLASSIC, Server, VALIDATE, VALIDATE_MANY, board, boards, valid};

/// What a call with these headers and this body, ended by the client or not, ends with.
async fn status(head: Builder, body: &[u8], ends: bool) -> Status {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut request) = client.open_with(head).await;
    request.send_data(Bytes::copy_from_slice(body), ends).unwrap();
    read_whole::<pb::ValidateResponse>(response).await.1
}

fn one() -> Bytes {
    framed(&pb::ValidateRequest { board: Some(board(CLASSIC)) })
}

#[track_caller]
fn assert_status(status: &Status, code: Code, message: &str) {
    assert_eq!((status.code(), status.message()), (code, message));
}

#[tokio::test]
async fn a_unary_call_takes_just_one_message() {
    let none = status(call(VALIDATE), b"", true).await;
    assert_status(&none, Code::Unimplemented, "found no message in a unary call");
    let two = status(call(VALIDATE), &[one(), one()].concat(), true).await;
    assert_status(&two, Code::Unimplemented, "found several messages in a unary call");
}

#[tokio::test]
async fn a_stream_takes_no_message_too() {
    let status = status(call(VALIDATE_MANY), b"", true).await;
    assert_status(&status, Code::Ok, "");
}

#[tokio::test]
async fn a_length_of_4_gib_is_refused_before_a_byte_of_it_comes() {
    for path in [VALIDATE, VALIDATE_MANY] {
        let status = status(call(path), b"\0\xff\xff\xff\xff", false).await;
        let message = "found a message of 4294967295 bytes, the limit is 1048576";
        assert_status(&status, Code::ResourceExhausted, message);
    }
}

#[tokio::test]
async fn a_message_that_is_refused_comes_after_the_answers_to_earlier_ones() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let good = framed(&boards([CLASSIC]));
    // In one frame, and cut in the middle of its prefix.
    for cut in [2 * good.len() + 5, 2 * good.len() + 3] {
        let (response, mut request) = client.open(VALIDATE_MANY).await;
        let bytes = Bytes::from([&good[..], &good, b"\0\0\x10\0\x01"].concat());
        request.send_data(bytes.slice(..cut), false).unwrap();
        request.send_data(bytes.slice(cut..), false).unwrap();
        let (answers, status) = read_whole::<pb::ValidateManyResponse>(response).await;
        assert_eq!((answers.len(), status.code()), (2, Code::ResourceExhausted), "{status:?}");
    }
}

#[tokio::test]
async fn bytes_after_the_message_are_internal() {
    let status = status(call(VALIDATE), &[&one()[..], b"\0\0"].concat(), true).await;
    assert_eq!(status.code(), Code::Internal);
}

#[tokio::test]
async fn compression_that_is_not_there_is_unimplemented() {
    let head = call(VALIDATE).header("grpc-encoding", "snappy");
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut request) = client.open_with(head).await;
    request.send_data(one(), true).unwrap();
    let (_, status) = read_whole::<pb::ValidateResponse>(response).await;
    assert_eq!(status.code(), Code::Unimplemented);
    // So that a client learns what to send instead.
    assert_eq!(status.metadata().get("grpc-accept-encoding").unwrap(), "gzip,identity");
}

#[tokio::test]
async fn a_flag_of_compression_without_its_name_is_internal() {
    let compressed = [b"\x01", &one()[1..]].concat();
    assert_eq!(status(call(VALIDATE), &compressed, true).await.code(), Code::Internal);
}

#[tokio::test]
async fn what_cannot_be_decompressed_is_internal() {
    let head = call(VALIDATE).header("grpc-encoding", "gzip");
    let not_gzip = [b"\x01", &one()[1..]].concat();
    assert_eq!(status(head, &not_gzip, true).await.code(), Code::Internal);
}

#[tokio::test]
async fn an_unknown_method_learns_what_is_served() {
    let services = "no such method; the services here: sudoku.v1.SudokuService, \
                    grpc.health.v1.Health, grpc.reflection.v1.ServerReflection, \
                    grpc.reflection.v1alpha.ServerReflection";
    let long = format!("/{}", "a".repeat(8_000));
    for path in ["/sudoku.v1.SudokuService/Solve", "/chess.v1/Move", "/", "//", "/a", "/%00", &long]
    {
        assert_status(&status(call(path), b"", true).await, Code::Unimplemented, services);
    }
}

#[tokio::test]
async fn a_deadline_that_passes_ends_a_unary_call() {
    for timeout in ["20m", "1n", "0S"] {
        let head = call(VALIDATE).header("grpc-timeout", timeout);
        let status = status(head, &one()[..10], false).await;
        assert_status(&status, Code::DeadlineExceeded, "the deadline of the call has passed");
    }
    // Nor is an answer sent that comes too late.
    for timeout in ["1n", "0S"] {
        let status = status(call(VALIDATE).header("grpc-timeout", timeout), &one(), true).await;
        assert_status(&status, Code::DeadlineExceeded, "the deadline of the call has passed");
    }
}

#[tokio::test]
async fn a_deadline_that_passes_ends_a_stream_after_its_answers() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let head = call(VALIDATE_MANY).header("grpc-timeout", "500m");
    let (response, mut request) = client.open_with(head).await;
    request.send_data(framed(&boards([CLASSIC])), false).unwrap();
    let (answers, status) = read_whole::<pb::ValidateManyResponse>(response).await;
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0].outcomes, [valid()]);
    assert_eq!(status.code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn a_deadline_far_away_changes_nothing() {
    for timeout in ["1H", "99999999H"] {
        let head = call(VALIDATE).header("grpc-timeout", timeout);
        assert_status(&status(head, &one(), true).await, Code::Ok, "");
    }
}

#[tokio::test]
async fn a_deadline_that_is_none_is_internal() {
    let status = status(call(VALIDATE).header("grpc-timeout", "soon"), &one(), true).await;
    let message =
        "malformed grpc-timeout \"soon\": expected up to 8 digits and one of H, M, S, m, u, n";
    assert_status(&status, Code::Internal, message);
}

/// HTTP status, `allow`, and text of what a request that is not gRPC is answered.
async fn refused(head: Builder) -> (StatusCode, Option<String>, String) {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (mut response, mut request) = client.open_with(head).await;
    request.send_data(vec![0; 60_000].into(), false).unwrap();
    client.ping().await.unwrap();
    // The answer waits for the end of the request, or else some clients lose it to a reset.
    let is_pending = poll_fn(|cx| Poll::Ready(Pin::new(&mut response).poll(cx).is_pending()));
    assert!(is_pending.await);
    request.send_data(Bytes::new(), true).unwrap();
    let mut response = response.await.unwrap();
    let text = String::from_utf8(data(response.body_mut()).await).unwrap();
    assert_eq!(response.headers()["content-type"], "text/plain; charset=utf-8");
    let allow = response.headers().get("allow").map(|allow| allow.to_str().unwrap().to_owned());
    (response.status(), allow, text)
}

const HINT: &str = "\nThis is a gRPC server. grpcurl calls it from a terminal, after `list` tells what \
                    there is: https://github.com/fullstorydev/grpcurl\n";

#[tokio::test]
async fn a_method_other_than_post_is_405() {
    for method in ["GET", "PUT", "DELETE", "OPTIONS"] {
        let (status, allow, text) = refused(call(VALIDATE).method(method)).await;
        assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(allow.as_deref(), Some("POST"));
        let found = format!("{method} is not a method of gRPC, which calls with POST.");
        assert_eq!(text, found + HINT);
    }
}

#[tokio::test]
async fn head_is_405_without_a_body() {
    let (status, allow, text) = refused(call(VALIDATE).method("HEAD")).await;
    assert_eq!((status, allow.as_deref()), (StatusCode::METHOD_NOT_ALLOWED, Some("POST")));
    assert_eq!(text, "");
}

#[tokio::test]
async fn a_request_without_end_that_is_not_grpc_is_refused_too() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    for bytes in [1_000, 100_000] {
        let (response, mut request) = client.open_with(call(VALIDATE).method("PUT")).await;
        request.send_data(vec![0; bytes].into(), false).unwrap();
        assert_eq!(response.await.unwrap().status(), StatusCode::METHOD_NOT_ALLOWED);
    }
}

#[tokio::test]
async fn a_content_type_other_than_that_of_grpc_is_415() {
    let head = |content_type: &str| {
        http::Request::post(format!("http://server{VALIDATE}")).header("content-type", content_type)
    };
    for content_type in ["application/json", "application/grpc-web+proto", "application/grpc+json"]
    {
        let (status, _, text) = refused(head(content_type)).await;
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
        let found =
            format!("content-type {content_type:?} is not gRPC's, which is application/grpc.");
        assert_eq!(text, found + HINT);
    }
    let (status, _, text) = refused(http::Request::post("http://server/")).await;
    assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert!(text.starts_with("There is no content-type;"), "{text}");
    let of_grpc = ["application/grpc+proto", "application/grpc;charset=utf-8", "Application/GRPC"];
    for content_type in of_grpc {
        assert_status(&self::status(head(content_type), &one(), true).await, Code::Ok, "");
    }
}
