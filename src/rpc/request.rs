//! The body of a request, watched as it goes by: how many messages, how large, and the drain.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tonic::Status;
use tonic::codegen::StdError as BoxError;

use super::drain::UntilDrain;
use super::open::Held;
use super::quota::Share;
use crate::heads::Heads;

/// The bytes before each gRPC message: a flag, and its length in big endian.
pub(super) const PREFIX_BYTES: usize = 5;

/// What a request may hold.
pub(super) struct Expected {
    /// The most bytes in a message, decompressed.
    pub(super) message_bytes_max: usize,
    /// Whether there is just one message.
    pub(super) unary: bool,
}

/// The body of a request. It ends with a status when the request breaks the rules, and when the
/// drain cuts it off.
pub(super) struct RequestBody<B> {
    body: B,
    expected: Expected,
    messages: Heads<PREFIX_BYTES>,
    /// How many messages have begun.
    begun: usize,
    held: Arc<Held>,
    /// Taken for the largest message.
    share: Share,
    until_drain: Option<UntilDrain>,
    /// What the request ends with, once all before the fault is read.
    fault: Option<Status>,
}

impl<B> RequestBody<B> {
    pub(super) fn new(
        body: B,
        expected: Expected,
        held: Arc<Held>,
        share: Share,
        until_drain: Option<UntilDrain>,
    ) -> Self {
        let (messages, begun, fault) = (Heads::new(), 0, None);
        Self { body, expected, messages, begun, held, share, until_drain, fault }
    }

    /// Looks at the next bytes. An error tells how many of them come before the fault.
    fn check(&mut self, data: &[u8]) -> Result<(), (usize, Status)> {
        let Self { expected, messages, begun, held, share, until_drain, .. } = self;
        if let Some(until_drain) = until_drain {
            until_drain.count(data.len()).map_err(|status| (0, status))?;
        }
        let read = messages.read(data, |[flag, length @ ..]| {
            let (compressed, bytes) = (flag == 1, u32::from_be_bytes(length) as usize);
            *begun += 1;
            let max = expected.message_bytes_max;
            if bytes > max {
                let found = format!("found a message of {bytes} bytes, the limit is {max}");
                return Err(Status::resource_exhausted(found));
            }
            if expected.unary && *begun > 1 {
                return Err(Status::unimplemented("found several messages in a unary call"));
            }
            let unpacked = if compressed { bytes + max } else { bytes };
            share.take_bytes(unpacked)?;
            Ok(bytes)
        });
        held.received.store(messages.body_bytes(), Ordering::Relaxed);
        read
    }

    /// A frame, or what of it comes before a fault: messages before it are answered.
    fn checked(&mut self, frame: Frame<Bytes>) -> Result<Frame<Bytes>, Status> {
        let Some(data) = frame.data_ref() else { return Ok(frame) };
        match self.check(data) {
            Ok(()) => Ok(frame),
            Err((0, status)) => Err(status),
            Err((good, status)) => {
                let good = data.slice(..good);
                self.fault = Some(status);
                Ok(Frame::data(good))
            }
        }
    }

    fn fault_at_end(&self) -> Option<Status> {
        let is_empty = self.begun == 0 && !self.messages.is_in_head();
        (self.expected.unary && is_empty)
            .then(|| Status::unimplemented("found no message in a unary call"))
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
        if let Some(status) = this.fault.take() {
            return Poll::Ready(Some(Err(status.into())));
        }
        let fault = match Pin::new(&mut this.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                return Poll::Ready(Some(this.checked(frame).map_err(Into::into)));
            }
            Poll::Ready(None) => this.fault_at_end(),
            // After an error the stream is reset, so that no answer can be sent. The call is dropped
            // for it, once this has not looked like an end of the request.
            Poll::Ready(Some(Err(_))) | Poll::Pending => match &mut this.until_drain {
                Some(until_drain) => Some(ready!(until_drain.poll_pause(cx))),
                None => return Poll::Pending,
            },
        };
        Poll::Ready(fault.map(|status| Err(status.into())))
    }

    fn is_end_stream(&self) -> bool {
        // The end has yet to be checked.
        false
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
