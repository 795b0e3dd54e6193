//! The status that a call ends with.

use http::{HeaderMap, HeaderValue};
use tokio_util::task::task_tracker::TaskTrackerToken;
use tonic::{Code, Status};
use tracing::Span;

/// How a call ends, recorded on its span when it is over.
#[derive(Debug)]
pub(super) struct End {
    span: Span,
    /// The status sent to the client; none as long as none was sent.
    code: Option<Code>,
    /// Tells the connection that the call is open.
    _open: TaskTrackerToken,
}

impl End {
    pub(super) fn of(span: Span, open: TaskTrackerToken) -> Self {
        Self { span, code: None, _open: open }
    }

    pub(super) fn span(&self) -> &Span {
        &self.span
    }

    /// Notes the status in headers or trailers, once it is what the gRPC specification asks for:
    /// tonic answers `OUT_OF_RANGE`, which no service here does, to a message over the size limit.
    pub(super) fn correct(&mut self, headers: &mut HeaderMap) {
        let Some(value) = headers.get_mut(Status::GRPC_STATUS) else { return };
        let mut code = Code::from_bytes(value.as_bytes());
        if code == Code::OutOfRange {
            code = Code::ResourceExhausted;
            *value = HeaderValue::from(code as i32);
        }
        self.code = Some(code);
    }
}

impl Drop for End {
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
