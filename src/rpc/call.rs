//! What every call of every service has in common: its span, its limits, and how it ends.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use tokio_util::task::TaskTracker;
use tonic::Status;
use tonic::codegen::{Service as _, StdError as BoxError};
use tonic::service::Routes;

use super::deadline::Deadline;
use super::drain::{Drain, UntilDrain, draining};
use super::method::Method;
use super::open::OpenCall;
use super::pb::on_the_wire::sudoku_service_server::SudokuServiceServer;
use super::quota::{Counts, Share};
use super::refusal;
use super::request::{Expected, RequestBody};
use super::response::{CallBody, CallFuture};
use super::service::Sudoku;
use super::trace::Trace;
use crate::last_read::LastRead;

/// The most bytes in a message to health and reflection, which ask for names.
pub(super) const OTHERS_BYTES_MAX: usize = 4 * 1024;

/// What is served, and within which limits: the same for all connections of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Services {
    pub(super) sudoku: SudokuServiceServer<Sudoku>,
    pub(super) others: Routes,
    pub(super) message_bytes_max: usize,
    pub(super) counts: Arc<Counts>,
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
    /// When the calls came that are begun now.
    pub(crate) last_read: LastRead,
}

impl Calls {
    /// Takes a call of a service, and gives its deadline.
    fn admit(
        &self,
        method: Method,
        headers: &HeaderMap,
        share: &Share,
    ) -> Result<Option<Deadline>, Status> {
        // Health is still told while the server drains: that is how others learn of it.
        let is_health = method.is_health();
        if !is_health && self.drain.begun.is_cancelled() {
            return Err(draining());
        }
        share.take_call(is_health)?;
        Deadline::of(headers)
    }
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
        let Services { sudoku, others, message_bytes_max, counts } = &self.services;
        let method = Method::of(request.uri().path());
        let trace = Trace::begin(&request, method, &self.peer);
        let share = || Share::empty(counts.clone());
        let begun = self.last_read.get();
        let mut call = OpenCall::begin(method, trace, begun, share(), self.open.token());
        if let Some(refusal) = refusal::not_grpc(&request) {
            call.is_not_grpc();
            let answer = refusal::after(request.into_body(), refusal);
            return CallFuture::new(Box::pin(answer), call);
        }
        match self.admit(method, request.headers(), &call.held.share) {
            Ok(deadline) => call.deadline = deadline,
            Err(status) => return CallFuture::refused(status.into_http(), call),
        }
        // Reflection reads its requests in tasks of its own.
        let ended = method.is_reflection().then(|| call.until_end());
        let until_drain = method.is_stream().then(|| UntilDrain::new(self.drain.clone(), ended));
        let message_bytes_max =
            if method.is_sudoku() { *message_bytes_max } else { OTHERS_BYTES_MAX };
        let expected = Expected { message_bytes_max, unary: !method.is_stream() };
        let held = call.held.clone();
        let request =
            request.map(|body| RequestBody::new(body, expected, held, share(), until_drain));
        // Past the router, which every unary call would pay for.
        let answer = if method.is_sudoku() {
            sudoku.clone().call(request)
        } else {
            Box::pin(others.clone().call(request))
        };
        CallFuture::new(answer, call)
    }
}

#[cfg(test)]
mod tests;
