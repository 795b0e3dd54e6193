//! A call that is open, and the status that it ends with.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http::HeaderMap;
use tokio::sync::oneshot;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tonic::{Code, Status};
use tracing::Span;

use super::deadline::{Deadline, exceeded};
use super::quota::Share;

/// A call from its headers to the end of its response.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) span: Span,
    pub(super) deadline: Option<Deadline>,
    pub(super) held: Arc<Held>,
    /// The status sent to the client; none as long as none was sent.
    code: Option<Code>,
    /// Never sent to: its drop tells of the end.
    end: Option<oneshot::Sender<Infallible>>,
}

/// What a call holds until the last byte of its answers is written.
#[derive(Debug)]
pub(super) struct Held {
    /// Taken for the call, and for its largest answer.
    pub(super) share: Share,
    /// Tells the connection that the call is open.
    _token: TaskTrackerToken,
}

impl OpenCall {
    pub(super) fn new(span: Span, share: Share, token: TaskTrackerToken) -> Self {
        let held = Arc::new(Held { share, _token: token });
        Self { span, deadline: None, held, code: None, end: None }
    }

    /// Resolves with an error when the call has ended.
    pub(super) fn ended(&mut self) -> oneshot::Receiver<Infallible> {
        let (end, ended) = oneshot::channel();
        self.end = Some(end);
        ended
    }

    /// Works on the call, in its span. It ends with an error when the work panics, or has to wait
    /// when the deadline has passed.
    pub(super) fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        work: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<Result<T, Status>> {
        let Self { span, deadline, .. } = self;
        let worked = span.in_scope(|| catch_unwind(AssertUnwindSafe(|| work(cx))));
        match (worked, deadline) {
            (Ok(Poll::Ready(done)), _) => Poll::Ready(Ok(done)),
            (Ok(Poll::Pending), None) => Poll::Pending,
            (Ok(Poll::Pending), Some(deadline)) => {
                ready!(deadline.poll_passed(cx));
                Poll::Ready(Err(exceeded()))
            }
            (Err(_), _) => {
                let failed =
                    "the server has failed, which is a fault of its own; its log tells more";
                Poll::Ready(Err(Status::internal(failed)))
            }
        }
    }

    /// Takes note of the status in headers or trailers that are sent, and gives it.
    pub(super) fn note_status(&mut self, headers: &HeaderMap) -> Option<Code> {
        if let Some(value) = headers.get(Status::GRPC_STATUS) {
            self.code = Some(Code::from_bytes(value.as_bytes()));
        }
        self.code
    }

    /// Takes note that the call ends with a status that no header tells.
    pub(super) fn ends_with(&mut self, code: Code) {
        self.code = Some(code);
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        // A call that is dropped before its status is out was given up, most often by its client.
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
