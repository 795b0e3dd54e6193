//! The two handlers of `sudoku.v1.SudokuService`.

use std::sync::Arc;

use bytes::Bytes;
use tokio_stream::StreamExt;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status, Streaming};

use super::convert;
use super::pb::on_the_wire::sudoku_service_server::SudokuService;
use super::trace::Trace;
use super::wire::{self, Answer};
use crate::metrics::WorkerMetrics;

/// The service of one thread, whose users each call counts up and down, on a cache line of its own.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Sudoku {
    /// The most boards taken in one `ValidateManyRequest`.
    pub(super) boards_max: usize,
    /// Where boards are counted.
    pub(super) metrics: Arc<WorkerMetrics>,
}

#[tonic::async_trait]
impl SudokuService for Sudoku {
    async fn validate(&self, request: Request<Bytes>) -> Result<Response<Answer>, Status> {
        let judged = wire::judge(request.get_ref());
        let (judged, tally) = judged.map_err(|fault| convert::no_message(&fault))?;
        Trace::current().record_boards(tally.boards());
        self.metrics.boards.add(&tally);
        Ok(Response::new(judged.map_err(|fault| convert::malformed_status(&fault))?))
    }

    type ValidateManyStream = BoxStream<Answer>;

    async fn validate_many(
        &self,
        requests: Request<Streaming<Bytes>>,
    ) -> Result<Response<Self::ValidateManyStream>, Status> {
        let Self { boards_max, ref metrics } = *self;
        let metrics = metrics.clone();
        let mut count = BoardCount { trace: Trace::current(), boards: 0 };
        let responses = requests.into_inner().map(move |message| {
            let judged = wire::judge_many(&message?, boards_max);
            let (answer, tally) = judged.map_err(|fault| convert::no_message(&fault))?;
            if tally.beyond_limit > 0 {
                return Err(convert::too_many_boards(tally.boards(), boards_max));
            }
            metrics.boards.add(&tally);
            count.add(tally.boards());
            Ok(answer)
        });
        Ok(Response::new(Box::pin(responses)))
    }
}

/// The boards of a stream, recorded when it is over.
struct BoardCount {
    trace: Trace,
    boards: u64,
}

impl BoardCount {
    fn add(&mut self, boards: u64) {
        self.boards += boards;
    }
}

impl Drop for BoardCount {
    fn drop(&mut self) {
        self.trace.record_boards(self.boards);
    }
}
