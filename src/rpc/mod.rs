//! The only room that knows protobuf: the services, and what maps them onto the validator.

mod call;
mod convert;
mod drain;
mod end;
mod health;
pub mod pb;
mod reflection;
mod service;

pub(crate) use call::Calls;
pub(crate) use drain::Drain;

use pb::health::health_server::HealthServer;
use pb::sudoku::sudoku_service_server::SudokuServiceServer;
use tokio_util::sync::CancellationToken;
use tonic::codec::CompressionEncoding;
use tonic::service::Routes;

/// All services of the server: sudoku, health, and reflection in both of its versions.
///
/// `boards_max` bounds the boards in one message, `message_bytes_max` the message itself; `drain`
/// is cancelled when the drain begins.
pub(crate) fn routes(
    boards_max: usize,
    message_bytes_max: usize,
    drain: &CancellationToken,
) -> Result<Routes, tonic_reflection::server::Error> {
    // Replies are left plain: compressing some 20 bytes costs more than it saves.
    let sudoku = SudokuServiceServer::new(service::Sudoku { boards_max })
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(message_bytes_max);
    let health = HealthServer::new(health::Health { drain: drain.clone() })
        .max_decoding_message_size(message_bytes_max);
    let routes = Routes::new(sudoku).add_service(health);
    Ok(reflection::add_to(routes, message_bytes_max)?.prepare())
}
