//! What is refused, with which status, and that nothing else is lost by it.

use bytes::Bytes;
use prost::Message;
use sudoku_validator::config::Limits;
use sudoku_validator::rpc::pb::sudoku as pb;
use tonic::codec::CompressionEncoding;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::raw::{RawClient, framed, read};
use crate::server::{
    CLASSIC, Server, VALIDATE, VALIDATE_MANY, board, boards, limits, valid, worst,
};

#[tokio::test]
async fn an_unset_board_has_no_cells() {
    let server = Server::start().await;
    let request = pb::ValidateRequest { board: None };
    let status = server.client().await.validate(request).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "wrong shape: found 0 cells in one run, expected 81");
}

#[tokio::test]
async fn too_many_boards_are_refused_after_the_answers_to_earlier_messages() {
    let server = Server::start().await;
    let (most, more) = (boards(vec![CLASSIC; 1_000]), boards(vec![CLASSIC; 1_001]));
    let stream = tokio_stream::iter([most.clone(), most, more]);
    let mut responses = server.client().await.validate_many(stream).await.unwrap().into_inner();
    for _ in 0..2 {
        assert_eq!(responses.message().await.unwrap().unwrap().outcomes.len(), 1_000);
    }
    let status = responses.message().await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "found 1001 boards in one message, the limit is 1000");
    let details = status.get_error_details();
    let violations = &details.bad_request().unwrap().field_violations;
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].field, "boards");
    assert_eq!(violations[0].description, status.message());
}

#[tokio::test]
async fn ten_times_the_boards_still_learn_the_limit() {
    let server = Server::start().await;
    let status = first_error(&server, boards(vec![CLASSIC; 10_000])).await;
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "found 10000 boards in one message, the limit is 1000");
}

#[tokio::test]
async fn the_limit_of_boards_is_as_configured() {
    let limits = Limits { boards_per_message_max: 2, ..limits() };
    let server = Server::with(limits).await;
    let status = first_error(&server, boards([CLASSIC; 3])).await;
    assert_eq!(status.message(), "found 3 boards in one message, the limit is 2");
}

#[tokio::test]
async fn a_message_over_the_size_limit_is_resource_exhausted() {
    let server = Server::start().await;
    let limit = Limits::default().message_bytes_max;

    let huge = board(&".".repeat(limit));
    let request = pb::ValidateRequest { board: Some(huge.clone()) };
    let unary = server.client().await.validate(request).await.unwrap_err();
    let many = first_error(&server, pb::ValidateManyRequest { boards: vec![huge] }).await;
    for status in [unary, many] {
        assert_eq!(status.code(), Code::ResourceExhausted);
        assert!(status.message().contains(&format!("the limit is {limit}")), "{status:?}");
    }
}

#[tokio::test]
async fn a_message_that_decompresses_over_the_size_limit_is_resource_exhausted() {
    let server = Server::start().await;
    let huge = board(&".".repeat(Limits::default().message_bytes_max));
    let mut client = server.client().await.send_compressed(CompressionEncoding::Gzip);
    let request = pb::ValidateRequest { board: Some(huge) };
    let status = client.validate(request).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
}

#[tokio::test]
async fn a_message_of_the_longest_boards_fits_what_the_start_asks_for() {
    let lines = format!("{}\r\n", [&CLASSIC[..9]; 9].join("\r\n"));
    let message = boards(vec![lines.as_str(); 1_000]);
    let limits = Limits { message_bytes_max: 103 * 1_000, ..limits() };
    assert_eq!(message.encoded_len(), limits.message_bytes_max);
    let server = Server::with(limits).await;
    let stream = tokio_stream::once(message);
    let mut responses = server.client().await.validate_many(stream).await.unwrap().into_inner();
    assert_eq!(responses.message().await.unwrap().unwrap().outcomes.len(), 1_000);
}

#[tokio::test]
async fn bytes_that_are_no_message_are_internal() {
    let server = Server::start().await;
    let not_utf8 = b"\0\0\0\0\x06\x0a\x04\x0a\x02\xff\xfe";
    let cut_off_field = b"\0\0\0\0\x03\x0a\x7f.";
    let cut_off_message = b"\0\0\0\0\x55\x0a\x04";
    for bytes in [&not_utf8[..], cut_off_field, cut_off_message] {
        let mut client = RawClient::connect(&server.address).await;
        for path in [VALIDATE, VALIDATE_MANY] {
            let (response, mut request) = client.open(path).await;
            request.send_data(Bytes::from_static(bytes), true).unwrap();
            let (messages, code) = read::<pb::ValidateManyResponse>(response).await;
            assert_eq!((messages, code), (vec![], Code::Internal), "{bytes:?} to {path}");
        }
    }
}

#[tokio::test]
async fn bytes_that_are_no_message_come_after_the_answers_to_earlier_ones() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut request) = client.open(VALIDATE_MANY).await;
    let good = framed(&boards([CLASSIC]));
    let garbage = b"\0\0\0\0\x02\x0a\x7f";
    request.send_data([&good[..], &good[..], garbage].concat().into(), true).unwrap();
    let (responses, code) = read::<pb::ValidateManyResponse>(response).await;
    assert_eq!(code, Code::Internal);
    assert_eq!(responses.len(), 2);
    assert!(responses.iter().all(|response| response.outcomes == [valid()]));
}

#[tokio::test]
async fn fields_of_a_later_contract_are_passed_over() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut request) = client.open(VALIDATE).await;
    let mut message = framed(&pb::ValidateRequest { board: Some(board(CLASSIC)) }).to_vec();
    message.extend_from_slice(b"\x7a\x03new");
    message[4] += 5;
    request.send_data(message.into(), true).unwrap();
    let (responses, code) = read::<pb::ValidateResponse>(response).await;
    assert_eq!(code, Code::Ok);
    assert_eq!(responses[0].verdict.as_ref().unwrap().valid, Some(true));
}

#[tokio::test]
async fn an_unknown_method_is_unimplemented() {
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    for path in ["/sudoku.v1.SudokuService/Solve", "/sudoku.v2.SudokuService/Validate", "/"] {
        let (response, mut request) = client.open(path).await;
        request.send_data(Bytes::new(), true).unwrap();
        let (messages, code) = read::<pb::ValidateResponse>(response).await;
        assert_eq!((messages, code), (vec![], Code::Unimplemented), "{path}");
    }
}

#[tokio::test]
async fn the_longest_answer_is_what_the_readme_says() {
    let server = Server::start().await;
    let worst = worst();
    let stream = tokio_stream::once(boards([worst.as_str()]));
    let mut responses = server.client().await.validate_many(stream).await.unwrap().into_inner();
    let response = responses.message().await.unwrap().unwrap();
    assert_eq!(response.encoded_len(), 2_330);
}

async fn first_error(server: &Server, request: pb::ValidateManyRequest) -> Status {
    let stream = tokio_stream::once(request);
    let mut responses = server.client().await.validate_many(stream).await.unwrap().into_inner();
    responses.message().await.unwrap_err()
}
