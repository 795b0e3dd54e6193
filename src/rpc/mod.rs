//! The only room that knows protobuf: the services, and what maps them onto the validator.

mod call;
mod convert;
mod health;
pub mod pb;
mod service;

pub(crate) use call::Calls;

use pb::health::health_server::HealthServer;
use pb::sudoku::sudoku_service_server::SudokuServiceServer;
use tokio::sync::watch;
use tonic::codec::CompressionEncoding;
use tonic::service::Routes;

/// All services of the server: sudoku, health, and reflection in both of its versions.
///
/// `boards_max` bounds the boards in one message, `message_bytes_max` the message itself; `serving`
/// is what health tells.
pub(crate) fn routes(
    boards_max: usize,
    message_bytes_max: usize,
    serving: watch::Receiver<bool>,
) -> Result<Routes, tonic_reflection::server::Error> {
    // Replies are left plain: compressing some 20 bytes costs more than it saves.
    let sudoku = SudokuServiceServer::new(service::Sudoku { boards_max })
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(message_bytes_max);
    let health =
        HealthServer::new(health::Health { serving }).max_decoding_message_size(message_bytes_max);
    let reflection_v1 = reflection().build_v1()?.max_decoding_message_size(message_bytes_max);
    let reflection_v1alpha =
        reflection().build_v1alpha()?.max_decoding_message_size(message_bytes_max);
    Ok(Routes::new(sudoku)
        .add_service(health)
        .add_service(reflection_v1)
        .add_service(reflection_v1alpha)
        .prepare())
}

/// Both versions tell of everything that is served, each other included.
fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(pb::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET)
}
