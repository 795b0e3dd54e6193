//! Requests that are not gRPC or name no method, answered so that whoever sent one understands.

use std::convert::Infallible;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use tokio::time::timeout;
use tonic::Status;
use tonic::body::Body;
use tonic_reflection::pb::{v1, v1alpha};

use super::pb::{health, on_the_wire};

const HINT: &str = "This is a gRPC server. grpcurl calls it from a terminal, after `list` tells what \
                    there is: https://github.com/fullstorydev/grpcurl\n";

/// How much of a text from a client is told back to it.
const SHOWN_CHARACTERS_MAX: usize = 64;

/// How much of a request that is not gRPC is read before its answer, and for how long.
const READ_BYTES_MAX: usize = 64 * 1024;
const READ_MAX: Duration = Duration::from_secs(1);

/// The media types of gRPC with protobuf, which parameters may follow.
const MEDIA_TYPES: [&[u8]; 2] = [b"application/grpc", b"application/grpc+proto"];

/// What an unknown method is answered.
static UNKNOWN_METHOD: LazyLock<Status> = LazyLock::new(|| {
    let services = [
        on_the_wire::sudoku_service_server::SERVICE_NAME,
        health::health_server::SERVICE_NAME,
        v1::server_reflection_server::SERVICE_NAME,
        v1alpha::server_reflection_server::SERVICE_NAME,
    ];
    Status::unimplemented(format!("no such method; the services here: {}", services.join(", ")))
});

/// Puts a message to `UNIMPLEMENTED`, which tonic leaves without one for an unknown method.
pub(super) fn tell_services(headers: &mut HeaderMap) {
    if !headers.contains_key(Status::GRPC_MESSAGE) {
        let told = UNKNOWN_METHOD.add_header(headers);
        debug_assert!(told.is_ok(), "the message has no character that a header must not have");
    }
}

/// The answer to a request that is not gRPC.
pub(super) fn not_grpc<B>(request: &Request<B>) -> Option<Response<Body>> {
    if request.method() != Method::POST {
        let found = format!("{} is not a method of gRPC, which calls with POST.", request.method());
        let mut response = answer(StatusCode::METHOD_NOT_ALLOWED, &found);
        if request.method() == Method::HEAD {
            *response.body_mut() = Body::empty();
        }
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return Some(response);
    }
    let found = request.headers().get(CONTENT_TYPE);
    let media_type = found.and_then(|found| found.as_bytes().split(|&byte| byte == b';').next());
    let is_grpc = |found: &[u8]| MEDIA_TYPES.iter().any(|known| found.eq_ignore_ascii_case(known));
    if media_type.is_some_and(|found| is_grpc(found.trim_ascii())) {
        return None;
    }
    let found = match found {
        Some(found) => {
            let found = String::from_utf8_lossy(found.as_bytes());
            format!("content-type {} is not gRPC's, which is application/grpc.", Shown(&found))
        }
        None => "There is no content-type; gRPC's is application/grpc.".to_owned(),
    };
    Some(answer(StatusCode::UNSUPPORTED_MEDIA_TYPE, &found))
}

/// Gives an answer once the request is read. HTTP/2 resets a stream that is answered before its end,
/// and some clients, curl among them, then lose the answer.
pub(super) async fn after<B>(
    mut request: B,
    answer: Response<Body>,
) -> Result<Response<Body>, Infallible>
where
    B: http_body::Body<Data = Bytes> + Unpin,
{
    let mut left = READ_BYTES_MAX;
    let read = async {
        while let Some(Ok(frame)) = poll_fn(|cx| Pin::new(&mut request).poll_frame(cx)).await {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            let Some(less) = left.checked_sub(bytes) else { break };
            left = less;
        }
    };
    // Who sends more, or more slowly, may lose it.
    let _ = timeout(READ_MAX, read).await;
    Ok(answer)
}

/// A text from a client, for a message to it: no longer than is read.
pub(super) struct Shown<'a>(pub(super) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(SHOWN_CHARACTERS_MAX) {
            Some((end, _)) => write!(f, "{:?}…", &self.0[..end]),
            None => write!(f, "{:?}", self.0),
        }
    }
}

fn answer(status: StatusCode, found: &str) -> Response<Body> {
    let mut response = Response::new(Body::new(format!("{found}\n{HINT}")));
    *response.status_mut() = status;
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    response
}
