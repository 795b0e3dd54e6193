//! Reflection in both of its versions, each telling of everything that is served.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::Frame;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::service::Routes;
use tonic_reflection::server::{Builder, Error};
use tonic_reflection::{pb::v1, pb::v1alpha};

use super::pb;

pub(super) fn add_to(routes: Routes, message_bytes_max: usize) -> Result<Routes, Error> {
    let v1 = builder().build_v1()?.max_decoding_message_size(message_bytes_max);
    let v1alpha = builder().build_v1alpha()?.max_decoding_message_size(message_bytes_max);
    Ok(routes.add_service(v1).add_service(v1alpha))
}

fn builder() -> Builder<'static> {
    Builder::configure()
        .register_encoded_file_descriptor_set(pb::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(v1::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(v1alpha::FILE_DESCRIPTOR_SET)
}

/// A request that ends when the server drains.
///
/// tonic-reflection reads its requests in a task of its own, which the end of the response does not
/// stop; while it waits, the connection would not close.
pub(super) struct UntilDrain<B> {
    body: B,
    drained: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl<B> UntilDrain<B> {
    pub(super) fn new(body: B, drain: &CancellationToken) -> Self {
        Self { body, drained: Box::pin(drain.clone().cancelled_owned()) }
    }
}

impl<B: http_body::Body + Unpin> http_body::Body for UntilDrain<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        match self.drained.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => Pin::new(&mut self.body).poll_frame(cx),
        }
    }
}
