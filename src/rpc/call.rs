//! What every call of every service has in common: its span, its limits, and how it ends.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, Response};
use tokio_util::task::TaskTracker;
use tonic::Code;
use tonic::body::Body;
use tonic::codegen::{Service as _, StdError as BoxError};
use tonic::service::Routes;
use tracing::{debug_span, field};

use super::deadline::Deadline;
use super::drain::{Drain, UntilDrain, draining};
use super::open::OpenCall;
use super::pb::health::health_server::SERVICE_NAME as HEALTH;
use super::quota::{Quota, Share};
use super::refusal;
use super::request::{Expected, RequestBody};
use super::response::{Answer, CallBody, CallFuture};

/// The calls whose requests are streams. The drain ends these; the one request of others may still
/// be on its way, and is waited for.
const STREAMS: [&str; 2] = ["ValidateMany", "ServerReflectionInfo"];

/// What is served, and within which limits: the same for all connections.
#[derive(Clone, Debug)]
pub(crate) struct Services {
    pub(super) routes: Routes,
    pub(super) quota: Arc<Quota>,
    pub(super) message_bytes_max: usize,
}

/// The HTTP service of one connection.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    pub(crate) services: Services,
    /// Who is at the other end.
    pub(crate) peer: Arc<str>,
    pub(crate) drain: Drain,
    /// How many calls there have been.
    pub(crate) begun: Arc<AtomicUsize>,
    /// Holds the calls that are open.
    pub(crate) open: TaskTracker,
}

impl Calls {
    /// The answer to a call that is not taken.
    fn refuse<B>(&self, request: &Request<B>, call: &mut OpenCall) -> Option<Response<Body>> {
        if let Some(refusal) = refusal::not_grpc(request) {
            call.ends_with(Code::Unknown);
            return Some(refusal);
        }
        // Health is still told while the server drains: that is how others learn of it.
        let is_health = split(request).0 == HEALTH;
        if !is_health && self.drain.begun.is_cancelled() {
            return Some(draining().into_http());
        }
        let taken = call.share.take_call(is_health);
        match taken.and_then(|()| Deadline::of(request.headers())) {
            Ok(deadline) => call.deadline = deadline,
            Err(status) => return Some(status.into_http()),
        }
        None
    }
}

/// Service and method of a request.
fn split<B>(request: &Request<B>) -> (&str, &str) {
    let path = request.uri().path();
    path.strip_prefix('/').and_then(|path| path.split_once('/')).unwrap_or_default()
}

impl<B> hyper::service::Service<Request<B>> for Calls
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    type Response = Response<CallBody>;
    type Error = Infallible;
    type Future = CallFuture;

    fn call(&self, request: Request<B>) -> CallFuture {
        self.begun.fetch_add(1, Ordering::Relaxed);
        let method = request.uri().path().trim_start_matches('/');
        let peer = &*self.peer;
        let span = debug_span!("call", method, peer, boards = field::Empty, status = field::Empty);
        let Services { routes, quota, message_bytes_max } = &self.services;
        let share = || Share::empty(quota.clone());
        let mut call = OpenCall::new(span, share(), self.open.token());
        let answer = if let Some(refusal) = self.refuse(&request, &mut call) {
            Answer::Refused(refusal)
        } else {
            let streams = STREAMS.contains(&split(&request).1);
            let until_drain = streams.then(|| UntilDrain::new(self.drain.clone()));
            let expected = Expected { message_bytes_max: *message_bytes_max, unary: !streams };
            let request =
                request.map(|body| RequestBody::new(body, expected, share(), until_drain));
            Answer::Routed(routes.clone().call(request))
        };
        CallFuture { answer, call: Some(call) }
    }
}

#[cfg(test)]
mod tests;
