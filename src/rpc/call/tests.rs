use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body::{Body as _, Frame};
use hyper::service::Service;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tonic::Code;
use tonic::body::Body;

use super::*;
use crate::rpc::CallLimits;

fn calls() -> Calls {
    let limits =
        CallLimits { calls_max: 8, call_bytes: 1_024, boards_max: 1, message_bytes_max: 1_024 };
    let begun = CancellationToken::new();
    let metrics = Arc::new(crate::rpc::metrics(1));
    let services = Services::for_workers(limits, begun.clone(), &metrics).unwrap().remove(0);
    let drain = Drain { begun, unread_bytes_max: 1_024 };
    Calls {
        services,
        peer: "test".into(),
        drain,
        begun: Arc::default(),
        open: TaskTracker::new(),
        last_read: LastRead::new(),
    }
}

/// The status of a call with an empty message.
async fn status(calls: &Calls, path: &str) -> Code {
    let empty_message = String::from("\0\0\0\0\0");
    let request = Request::post(path).header("content-type", "application/grpc");
    let response = calls.call(request.body(empty_message).unwrap()).await.unwrap();
    let (head, mut body) = response.into_parts();
    let mut headers = head.headers;
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        headers.extend(frame.unwrap().into_trailers().unwrap_or_default());
    }
    Code::from_bytes(headers[Status::GRPC_STATUS].as_bytes())
}

/// Panics at once, or once its response has begun.
#[derive(Clone)]
struct Panics;

impl tonic::server::NamedService for Panics {
    const NAME: &'static str = "panics";
}

impl tonic::codegen::Service<Request<Body>> for Panics {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = std::future::Ready<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        assert_eq!(request.uri().path(), "/panics/late", "early");
        std::future::ready(Ok(Response::new(Body::new(PanickingBody))))
    }
}

struct PanickingBody;

impl http_body::Body for PanickingBody {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        panic!("late");
    }
}

#[tokio::test]
async fn a_panic_is_internal_and_ends_its_own_call_only() {
    let mut calls = calls();
    calls.services.others = calls.services.others.add_service(Panics);
    for _ in 0..100 {
        for method in ["early", "late"] {
            assert_eq!(status(&calls, &format!("/panics/{method}")).await, Code::Internal);
        }
    }
    assert!(calls.open.is_empty());
    assert_eq!(calls.services.metrics().panics.get(), 200);
    // Not one of the eight places is lost.
    for _ in 0..8 {
        assert_eq!(status(&calls, "/sudoku.v1.SudokuService/ValidateMany").await, Code::Ok);
    }
}

#[tokio::test]
async fn new_calls_are_refused_while_the_server_drains() {
    let calls = calls();
    calls.drain.begun.cancel();
    for method in ["Validate", "ValidateMany"] {
        let path = format!("/sudoku.v1.SudokuService/{method}");
        assert_eq!(status(&calls, &path).await, Code::Unavailable, "{method}");
    }
}

#[tokio::test]
async fn health_is_told_while_the_server_drains() {
    let calls = calls();
    calls.drain.begun.cancel();
    assert_eq!(status(&calls, "/grpc.health.v1.Health/Check").await, Code::Ok);
}

/// A request without an end, that tells when it is dropped.
struct Endless {
    _dropped: oneshot::Sender<Infallible>,
}

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_lets_go_of_its_request() {
    let calls = calls();
    let reflection = ["v1", "v1alpha"]
        .map(|version| format!("/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"));
    let others = [
        "/sudoku.v1.SudokuService/Validate",
        "/sudoku.v1.SudokuService/ValidateMany",
        "/grpc.health.v1.Health/Check",
        "/grpc.health.v1.Health/Watch",
    ];
    for path in reflection.iter().map(String::as_str).chain(others) {
        let (sender, dropped) = oneshot::channel();
        let request = Request::post(path).header("content-type", "application/grpc");
        let mut answer = Box::pin(calls.call(request.body(Endless { _dropped: sender }).unwrap()));
        // A stream has its headers by now.
        let begun = poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await;
        drop((answer, begun));
        let dropped = timeout(Duration::from_secs(10), dropped).await;
        assert!(dropped.is_ok(), "{path}");
    }
}
