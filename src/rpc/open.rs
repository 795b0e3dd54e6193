//! A call that is open, and the status that it ends with.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use http::HeaderMap;
use tokio::sync::oneshot;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tonic::{Code, Status};

use super::deadline::{Deadline, exceeded};
use super::method::Method;
use super::quota::Share;
use super::request::PREFIX_BYTES;
use super::trace::Trace;
use crate::heads::Heads;
use crate::metrics::CallEnd;

/// A call from its headers to the end of its response.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) deadline: Option<Deadline>,
    pub(super) held: Arc<Held>,
    /// The status sent to the client; none as long as none was sent.
    code: Option<Code>,
    /// The messages that are sent; none when what is sent is no gRPC.
    sent: Option<Heads<PREFIX_BYTES>>,
    /// Never sent to: its drop tells of the end.
    end: Option<oneshot::Sender<Infallible>>,
}

/// What is known of a call at its beginning, and held until the last byte of its answers is written.
#[derive(Debug)]
pub(super) struct Held {
    method: Method,
    trace: Trace,
    begun: Instant,
    /// Taken for the call, and for its largest answer.
    pub(super) share: Share,
    /// The bytes of the messages that came.
    pub(super) received: AtomicU64,
    /// Tells the connection that the call is open.
    _token: TaskTrackerToken,
}

impl OpenCall {
    pub(super) fn begin(
        method: Method,
        trace: Trace,
        begun: Instant,
        share: Share,
        token: TaskTrackerToken,
    ) -> Self {
        share.metrics().calls.count_start(method as usize);
        let received = AtomicU64::new(0);
        let held = Held { method, trace, begun, share, received, _token: token };
        Self {
            deadline: None,
            held: Arc::new(held),
            code: None,
            sent: Some(Heads::new()),
            end: None,
        }
    }

    /// Resolves with an error when the call has ended.
    pub(super) fn until_end(&mut self) -> oneshot::Receiver<Infallible> {
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
        let Self { held, deadline, .. } = self;
        let worked = held.trace.in_scope(|| catch_unwind(AssertUnwindSafe(|| work(cx))));
        match (worked, deadline) {
            (Ok(Poll::Ready(done)), _) => Poll::Ready(Ok(done)),
            (Ok(Poll::Pending), None) => Poll::Pending,
            (Ok(Poll::Pending), Some(deadline)) => {
                ready!(deadline.poll_passed(cx));
                Poll::Ready(Err(exceeded()))
            }
            (Err(_), _) => {
                held.share.metrics().panics.add(1);
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

    /// Takes note of bytes that are sent.
    pub(super) fn note_sent(&mut self, bytes: &[u8]) {
        let Some(sent) = &mut self.sent else { return };
        let Ok::<_, (_, Infallible)>(()) =
            sent.read(bytes, |[_, length @ ..]| Ok(u32::from_be_bytes(length) as usize));
    }

    /// Takes note that the call is answered as HTTP and not as gRPC, which is UNKNOWN to gRPC.
    pub(super) fn is_not_grpc(&mut self) {
        self.code = Some(Code::Unknown);
        self.sent = None;
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        // A call that is dropped before its status is out was given up, most often by its client.
        let given_up = || match &self.deadline {
            Some(deadline) if deadline.is_why_given_up() => Code::DeadlineExceeded,
            _ => Code::Cancelled,
        };
        let code = self.code.unwrap_or_else(given_up);
        let Held { method, trace, begun, share, received, .. } = &*self.held;
        let duration = begun.elapsed();
        trace.end(code, duration);
        let received = received.load(Ordering::Relaxed);
        let sent = self.sent.as_ref().map_or(0, Heads::body_bytes);
        let end = CallEnd { status: code as usize, duration, received, sent };
        share.metrics().calls.count_end(*method as usize, &end);
    }
}
