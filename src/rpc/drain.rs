//! How open calls end when the server drains.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::Status;
use tonic::codegen::StdError as BoxError;

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
    Status::unavailable("the server is draining")
}

/// The body of a request. When it is `until_drain`, the drain ends it with `UNAVAILABLE`, once all
/// is read that had come by then: when no more is there, or as much as can have been unread, so
/// that a client which never pauses is cut off too.
pub(super) struct RequestBody<B> {
    body: B,
    until_drain: Option<UntilDrain>,
}

struct UntilDrain {
    drain: Drain,
    begun: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl<B> RequestBody<B> {
    pub(super) fn whole(body: B) -> Self {
        Self { body, until_drain: None }
    }

    pub(super) fn until_drain(body: B, drain: Drain) -> Self {
        let begun = Box::pin(drain.begun.clone().cancelled_owned());
        Self { body, until_drain: Some(UntilDrain { drain, begun }) }
    }
}

impl<B> http_body::Body for RequestBody<B>
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        let polled = Pin::new(&mut this.body).poll_frame(cx).map_err(Into::into);
        let Some(UntilDrain { drain, begun }) = &mut this.until_drain else { return polled };
        let Poll::Ready(frame) = polled else {
            ready!(begun.as_mut().poll(cx));
            return Poll::Ready(Some(Err(draining().into())));
        };
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
            && drain.begun.is_cancelled()
        {
            match drain.unread_bytes_max.checked_sub(data.len()) {
                Some(left) => drain.unread_bytes_max = left,
                None => return Poll::Ready(Some(Err(draining().into()))),
            }
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
    use http_body::Body;
    use tonic::Code;

    use super::*;

    /// A request that never pauses: a byte at a time.
    struct Endless;

    impl Body for Endless {
        type Data = Bytes;
        type Error = BoxError;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b".")))))
        }
    }

    #[tokio::test]
    async fn a_request_that_never_pauses_ends_after_all_that_can_have_been_unread() {
        let drain = Drain { begun: CancellationToken::new(), unread_bytes_max: 3 };
        let begun = drain.begun.clone();
        let mut body = RequestBody::until_drain(Endless, drain);
        let mut next = async || std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
        for _ in 0..10 {
            assert!(next().await.unwrap().unwrap().is_data());
        }
        begun.cancel();
        for _ in 0..3 {
            assert!(next().await.unwrap().unwrap().is_data());
        }
        let error = next().await.unwrap().unwrap_err();
        assert_eq!(Status::from_error(error).code(), Code::Unavailable);
    }
}
