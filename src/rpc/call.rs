//! What every call of every service has in common: a span, the drain, and status codes put right.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::Frame;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::{Service as _, StdError as BoxError};
use tonic::service::Routes;
use tracing::{Instrument, debug_span, field};

use super::end::End;
use super::reflection::UntilDrain;

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

impl<P, B> hyper::service::Service<Request<B>> for Calls<P>
where
    P: fmt::Display,
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    type Response = Response<CallBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<B>) -> Self::Future {
        let path = request.uri().path();
        let span = debug_span!(
            "call",
            method = path.trim_start_matches('/'),
            peer = %self.peer,
            boards = field::Empty,
            status = field::Empty,
        );
        let mut end = End::of(span.clone());
        let drain = self.drain.clone();
        // Health is still told while the server drains: that is how others learn of it.
        let refused = drain.is_cancelled() && !path.starts_with("/grpc.health.v1.Health/");
        let is_reflection = path.starts_with("/grpc.reflection.");
        let mut routes = self.routes.clone();
        Box::pin(
            async move {
                let mut response = if refused {
                    draining().into_http()
                } else if is_reflection {
                    routes.call(request.map(|body| UntilDrain::new(body, &drain))).await?
                } else {
                    routes.call(request).await?
                };
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

#[cfg(test)]
mod tests {
    use http_body::Body as _;
    use hyper::service::Service;
    use tokio::sync::watch;
    use tonic::Code;

    use super::*;

    /// The status of a call with an empty message, in a server that drains.
    async fn call_while_draining(path: &str) -> Code {
        let drain = CancellationToken::new();
        drain.cancel();
        let (_serving, is_serving) = watch::channel(false);
        let routes = crate::rpc::routes(1, 1_024, is_serving).unwrap();
        let calls = Calls { routes, peer: "test", drain };
        let empty_message = String::from("\0\0\0\0\0");
        let request = Request::post(path).body(empty_message).unwrap();
        let (head, mut body) = calls.call(request).await.unwrap().into_parts();
        let mut headers = head.headers;
        while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await
        {
            headers.extend(frame.unwrap().into_trailers().unwrap_or_default());
        }
        Code::from_bytes(headers[Status::GRPC_STATUS].as_bytes())
    }

    #[tokio::test]
    async fn new_calls_are_refused_while_the_server_drains() {
        for method in ["Validate", "ValidateMany"] {
            let path = format!("/sudoku.v1.SudokuService/{method}");
            assert_eq!(call_while_draining(&path).await, Code::Unavailable, "{method}");
        }
    }

    #[tokio::test]
    async fn health_is_told_while_the_server_drains() {
        assert_eq!(call_while_draining("/grpc.health.v1.Health/Check").await, Code::Ok);
    }
}
