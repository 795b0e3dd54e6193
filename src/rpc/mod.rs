//! The only room that knows protobuf: the services, and what maps them onto the validator.

mod call;
mod convert;
mod deadline;
mod drain;
mod health;
mod method;
mod open;
pub mod pb;
mod quota;
mod reflection;
mod refusal;
mod request;
mod response;
mod service;
mod trace;
#[doc(hidden)]
pub mod wire;

use std::sync::Arc;

pub(crate) use call::{Calls, Services};
pub(crate) use drain::Drain;
pub(crate) use quota::calls_max_with_health;

use call::OTHERS_BYTES_MAX;
use method::Method;
use pb::health::health_server::HealthServer;
use pb::on_the_wire::sudoku_service_server::SudokuServiceServer;
use quota::{Counts, Quota};
use tokio_util::sync::CancellationToken;
use tonic::codec::CompressionEncoding;
use tonic::service::Routes;

use crate::metrics::{Metrics, WorkerMetrics};

/// What bounds the calls of a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallLimits {
    /// The most calls open at once.
    pub(crate) calls_max: usize,
    /// The bytes of messages for which a call counts again.
    pub(crate) call_bytes: usize,
    /// The most boards in a message.
    pub(crate) boards_max: usize,
    /// The most bytes in a message, decompressed.
    pub(crate) message_bytes_max: usize,
}

/// The counts of a server that has served nothing.
pub(crate) fn metrics(threads: usize) -> Metrics {
    Metrics::new(threads, &Method::NAMES)
}

impl Services {
    /// Where its thread counts.
    pub(crate) fn metrics(&self) -> Arc<WorkerMetrics> {
        self.counts.metrics.clone()
    }

    /// All services of the server for each of its threads: sudoku, health, and reflection in both of
    /// its versions. `drain` is cancelled when the drain begins.
    pub(crate) fn for_workers(
        limits: CallLimits,
        drain: CancellationToken,
        metrics: &Arc<Metrics>,
    ) -> Result<Vec<Self>, tonic_reflection::server::Error> {
        let CallLimits { calls_max, call_bytes, boards_max, message_bytes_max } = limits;
        let health =
            HealthServer::new(health::Health { drain }).max_decoding_message_size(OTHERS_BYTES_MAX);
        let others = reflection::add_to(Routes::new(health), OTHERS_BYTES_MAX)?.prepare();
        let quota = Arc::new(Quota::new(calls_max, call_bytes, metrics.clone()));
        let services = |metrics: &Arc<WorkerMetrics>| {
            let metrics = metrics.clone();
            // Replies are left plain: compressing some 20 bytes costs more than it saves.
            let sudoku = service::Sudoku { boards_max, metrics: metrics.clone() };
            let sudoku = SudokuServiceServer::new(sudoku)
                .accept_compressed(CompressionEncoding::Gzip)
                .max_decoding_message_size(message_bytes_max);
            let counts = Arc::new(Counts { quota: quota.clone(), metrics });
            Self { sudoku, others: others.clone(), message_bytes_max, counts }
        };
        Ok(metrics.workers().iter().map(services).collect())
    }
}
