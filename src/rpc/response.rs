//! The way of a call to the end of its response.

use std::convert::Infallible;
use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http::{HeaderMap, Response};
use http_body::{Frame, SizeHint};
use tonic::body::Body;
use tonic::codegen::BoxFuture;
use tonic::{Code, Status};

use super::deadline::{Deadline, exceeded};
use super::open::{Held, OpenCall};
use super::refusal;

/// The way of a call to its response headers.
pub(crate) struct CallFuture {
    /// Dropped before the call, whose span it may still write to.
    answer: BoxFuture<Response<Body>, Infallible>,
    /// Until the response takes it over.
    call: Option<OpenCall>,
}

impl CallFuture {
    pub(super) fn new(answer: BoxFuture<Response<Body>, Infallible>, call: OpenCall) -> Self {
        Self { answer, call: Some(call) }
    }

    /// That of a call which no service sees.
    pub(super) fn refused(answer: Response<Body>, call: OpenCall) -> Self {
        Self::new(Box::pin(ready(Ok(answer))), call)
    }
}

impl Future for CallFuture {
    type Output = Result<Response<CallBody>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { answer, call } = &mut *self;
        let Some(open) = call else { return Poll::Pending };
        let mut response = match ready!(open.poll(cx, |cx| answer.as_mut().poll(cx))) {
            Ok(Ok(response)) => response,
            Err(status) => status.into_http(),
        };
        if open.note_status(response.headers()) == Some(Code::Unimplemented) {
            refusal::tell_services(response.headers_mut());
        }
        let Some(call) = call.take() else { return Poll::Pending };
        Poll::Ready(Ok(response.map(|body| CallBody { body: Some(body), call })))
    }
}

/// The response body of a call.
#[derive(Debug)]
pub(crate) struct CallBody {
    /// Dropped before the call, whose span it may still write to. None once the call has ended before it.
    body: Option<Body>,
    call: OpenCall,
}

impl CallBody {
    fn check(&mut self, frame: &Frame<Bytes>) -> Result<(), Status> {
        if let Some(trailers) = frame.trailers_ref() {
            self.call.note_status(trailers);
        }
        let Some(data) = frame.data_ref() else { return Ok(()) };
        if self.call.deadline.as_ref().is_some_and(Deadline::has_passed) {
            return Err(exceeded());
        }
        // While one answer is made, the one before may still be on its way.
        self.call.held.share.take_bytes(2 * data.len())?;
        self.call.note_sent(data);
        Ok(())
    }

    /// The trailers that end the call with this status.
    fn end(&mut self, status: &Status) -> Frame<Bytes> {
        self.body = None;
        let mut trailers = HeaderMap::new();
        let told = status.add_header(&mut trailers);
        debug_assert!(told.is_ok(), "no status here has metadata that is no header");
        self.call.note_status(&trailers);
        Frame::trailers(trailers)
    }
}

/// Bytes of an answer, which HTTP/2 drops when they are written.
pub(crate) struct AnswerBytes {
    bytes: Bytes,
    _held: Arc<Held>,
}

impl Buf for AnswerBytes {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }
}

impl http_body::Body for CallBody {
    type Data = AnswerBytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<AnswerBytes>, Status>>> {
        let Self { body, call } = &mut *self;
        let Some(body) = body else { return Poll::Ready(None) };
        let polled = ready!(call.poll(cx, |cx| Pin::new(body).poll_frame(cx)));
        let frame = polled.and_then(|frame| match frame {
            Some(Ok(frame)) => self.check(&frame).map(|()| Some(frame)),
            Some(Err(status)) => Err(status),
            None => Ok(None),
        });
        let frame = frame.unwrap_or_else(|status| Some(self.end(&status)));
        let held = &self.call.held;
        let held_by = |bytes| AnswerBytes { bytes, _held: held.clone() };
        Poll::Ready(frame.map(|frame| Ok(frame.map_data(held_by))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(http_body::Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), http_body::Body::size_hint)
    }
}
