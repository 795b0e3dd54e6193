//! What every call of every service has in common: a span, the drain, and status codes put right.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::Frame;
use hyper::body::Incoming;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::body::Body;
use tonic::codegen::Service as _;
use tonic::service::Routes;
use tonic::{Code, Status};
use tracing::{Instrument, Span, debug_span, field};

/// What a stream may still answer once the drain has begun. It is more than the answers to all
/// requests that fit its window unread, so those are sent; a stream that never pauses ends here.
const DRAIN_ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The HTTP service of one connection.
#[derive(Clone, Debug)]
pub(crate) struct Calls<P> {
    pub(crate) routes: Routes,
    /// Who is at the other end.
    pub(crate) peer: P,
    /// Cancelled when the server starts to drain.
    pub(crate) drain: CancellationToken,
}

impl<P: fmt::Display> hyper::service::Service<Request<Incoming>> for Calls<P> {
    type Response = Response<CallBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let path = request.uri().path();
        let span = debug_span!(
            "call",
            method = path.trim_start_matches('/'),
            peer = %self.peer,
            boards = field::Empty,
            status = field::Empty,
        );
        let mut end = End { span: span.clone(), code: None };
        let drain = self.drain.clone();
        // Health is still told while the server drains: that is how others learn of it.
        let refused = drain.is_cancelled() && !path.starts_with("/grpc.health.v1.Health/");
        let mut routes = self.routes.clone();
        Box::pin(
            async move {
                let mut response =
                    if refused { draining().into_http() } else { routes.call(request).await? };
                end.note(response.headers_mut());
                Ok(response.map(|body| CallBody {
                    body,
                    drain,
                    drained: None,
                    drain_answer_bytes: 0,
                    end,
                }))
            }
            .instrument(span),
        )
    }
}

fn draining() -> Status {
    Status::unavailable("the server is draining")
}

/// The response body of a call. Once the drain has begun, it ends as soon as it has nothing to
/// send.
#[derive(Debug)]
pub(crate) struct CallBody {
    body: Body,
    drain: CancellationToken,
    /// Resolves when the drain begins. Made when the body first has to wait.
    drained: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    /// How much was sent since the drain began.
    drain_answer_bytes: usize,
    end: End,
}

impl http_body::Body for CallBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = &mut *self;
        let _entered = this.end.span.clone().entered();
        let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) else {
            let drained =
                this.drained.get_or_insert_with(|| Box::pin(this.drain.clone().cancelled_owned()));
            ready!(drained.as_mut().poll(cx));
            return Poll::Ready(Some(this.cut_off()));
        };
        let Some(Ok(mut frame)) = frame else { return Poll::Ready(frame) };
        if let Some(trailers) = frame.trailers_mut() {
            this.end.note(trailers);
        } else if let Some(data) = frame.data_ref()
            && this.drain.is_cancelled()
        {
            this.drain_answer_bytes += data.len();
            if this.drain_answer_bytes > DRAIN_ANSWER_BYTES_MAX {
                return Poll::Ready(Some(this.cut_off()));
            }
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

impl CallBody {
    /// Drops the handler and ends the call with `UNAVAILABLE`.
    fn cut_off(&mut self) -> Result<Frame<Bytes>, Status> {
        self.body = Body::empty();
        let mut trailers = HeaderMap::new();
        let written = draining().add_header(&mut trailers);
        self.end.note(&mut trailers);
        written.map(|()| Frame::trailers(trailers))
    }
}

/// How a call ended, recorded on its span when it is over.
#[derive(Debug)]
struct End {
    span: Span,
    /// The status sent to the client; none as long as none was sent.
    code: Option<Code>,
}

impl End {
    /// Reads the status in headers or trailers, and corrects what tonic answers otherwise than the
    /// gRPC specification: a message over the size limit is `RESOURCE_EXHAUSTED`.
    fn note(&mut self, headers: &mut HeaderMap) {
        let Some(value) = headers.get_mut(Status::GRPC_STATUS) else { return };
        let mut code = Code::from_bytes(value.as_bytes());
        if code == Code::OutOfRange {
            code = Code::ResourceExhausted;
            *value = http::HeaderValue::from(code as i32);
        }
        self.code = Some(code);
    }
}

impl Drop for End {
    fn drop(&mut self) {
        // A call that is dropped before its status is out was cancelled by its client.
        self.span.record("status", name(self.code.unwrap_or(Code::Cancelled)));
    }
}

/// The name that the gRPC specification gives a status code.
fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}
