//! Reflection in both of its versions, each telling of everything that is served.

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
