//! What every call of every service has in common: a span, the drain, and status codes put right.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Frame, SizeHint};
use tokio_util::task::TaskTracker;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::{Service as _, StdError as BoxError};
use tonic::service::Routes;
use tracing::{Instrument, debug_span, field};

use super::drain::{Drain, RequestBody, draining};
use super::end::End;
use super::pb::health::health_server::SERVICE_NAME as HEALTH;

/// The calls whose requests are streams. The drain ends these; the one request of others may still
/// be on its way, and is waited for.
const STREAMS: [&str; 2] = ["ValidateMany", "ServerReflectionInfo"];

/// The HTTP service of one connection.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    pub(crate) routes: Routes,
    /// Who is at the other end.
    pub(crate) peer: Arc<str>,
    pub(crate) drain: Drain,
    /// Holds the calls that are open.
    pub(crate) open: TaskTracker,
}

impl<B> hyper::service::Service<Request<B>> for Calls
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    type Response = Response<CallBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<B>) -> Self::Future {
        let path = request.uri().path().trim_start_matches('/');
        let (service, method) = path.split_once('/').unwrap_or_default();
        let peer = &*self.peer;
        let span =
            debug_span!("call", method = path, peer, boards = field::Empty, status = field::Empty);
        // Health is still told while the server drains: that is how others learn of it.
        let refused = self.drain.begun.is_cancelled() && service != HEALTH;
        let until_drain = STREAMS.contains(&method).then(|| self.drain.clone());
        let request = request.map(|body| match until_drain {
            Some(drain) => RequestBody::until_drain(body, drain),
            None => RequestBody::whole(body),
        });
        let mut end = End::of(span.clone(), self.open.token());
        let mut routes = self.routes.clone();
        let answer = async move {
            let mut response =
                if refused { draining().into_http() } else { routes.call(request).await? };
            end.correct(response.headers_mut());
            Ok(response.map(|body| CallBody { body, end }))
        };
        Box::pin(answer.instrument(span))
    }
}

/// The response body of a call: it works in the call's span and notes its status.
#[derive(Debug)]
pub(crate) struct CallBody {
    body: Body,
    end: End,
}

impl http_body::Body for CallBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let Self { body, end } = &mut *self;
        let mut frame = ready!(end.span().in_scope(|| Pin::new(body).poll_frame(cx)));
        if let Some(Ok(frame)) = &mut frame
            && let Some(trailers) = frame.trailers_mut()
        {
            end.correct(trailers);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body::Body as _;
    use hyper::service::Service;
    use tokio_util::sync::CancellationToken;
    use tonic::Code;

    use super::*;

    /// The status of a call with an empty message, in a server that drains.
    async fn call_while_draining(path: &str) -> Code {
        let begun = CancellationToken::new();
        begun.cancel();
        let routes = crate::rpc::routes(1, 1_024, &begun).unwrap();
        let drain = Drain { begun, unread_bytes_max: 1_024 };
        let calls = Calls { routes, peer: "test".into(), drain, open: TaskTracker::new() };
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
