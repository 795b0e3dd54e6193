//! How open calls end when the server drains.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::Status;

/// The drain, as the calls of a connection see it.
#[derive(Clone, Debug)]
pub(crate) struct Drain {
    /// Cancelled when the drain begins.
    pub(crate) begun: CancellationToken,
    /// The most bytes of a stream that can have come and not been read.
    pub(crate) unread_bytes_max: usize,
}

/// What a call ends with that the drain cuts off or refuses.
pub(super) fn draining() -> Status {
    Status::unavailable("the server is draining the connection")
}

/// A request that the drain ends with `UNAVAILABLE`, once all is read that had come by then: when no
/// more is there, or as much as can have been unread, so that a client which never pauses is cut off
/// too.
pub(super) struct UntilDrain {
    drain: Drain,
    begun: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Resolves when the call has ended. Needed where the service reads the request in a task of its
    /// own, which would otherwise wait for a client that is gone.
    call_ended: Option<oneshot::Receiver<Infallible>>,
}

impl UntilDrain {
    pub(super) fn new(drain: Drain, call_ended: Option<oneshot::Receiver<Infallible>>) -> Self {
        let begun = Box::pin(drain.begun.clone().cancelled_owned());
        Self { drain, begun, call_ended }
    }

    /// Takes note of bytes that are read.
    pub(super) fn count(&mut self, bytes: usize) -> Result<(), Status> {
        let Drain { begun, unread_bytes_max } = &mut self.drain;
        if begun.is_cancelled() {
            *unread_bytes_max = unread_bytes_max.checked_sub(bytes).ok_or_else(draining)?;
        }
        Ok(())
    }

    /// Called when there is nothing to read: ready once the drain has begun or the call has ended,
    /// with what that ends the request.
    pub(super) fn poll_pause(&mut self, cx: &mut Context<'_>) -> Poll<Status> {
        if let Some(call_ended) = &mut self.call_ended
            && Pin::new(call_ended).poll(cx).is_ready()
        {
            return Poll::Ready(Status::cancelled("the call has ended"));
        }
        self.begun.as_mut().poll(cx).map(|()| draining())
    }
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;

    #[test]
    fn a_request_that_never_pauses_ends_after_all_that_can_have_been_unread() {
        let drain = Drain { begun: CancellationToken::new(), unread_bytes_max: 3 };
        let begun = drain.begun.clone();
        let mut request = UntilDrain::new(drain, None);
        for _ in 0..10 {
            request.count(1).unwrap();
        }
        begun.cancel();
        for _ in 0..3 {
            request.count(1).unwrap();
        }
        assert_eq!(request.count(1).unwrap_err().code(), Code::Unavailable);
    }
}
