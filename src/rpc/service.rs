//! The two handlers of `sudoku.v1.SudokuService`.

use bytes::Bytes;
use tokio_stream::StreamExt;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status, Streaming};
use tracing::Span;

use super::convert;
use super::pb::on_the_wire::sudoku_service_server::SudokuService;
use super::wire::{self, Answer};

#[derive(Debug)]
pub(super) struct Sudoku {
    /// The most boards taken in one `ValidateManyRequest`.
    pub(super) boards_max: usize,
}

#[tonic::async_trait]
impl SudokuService for Sudoku {
    async fn validate(&self, request: Request<Bytes>) -> Result<Response<Answer>, Status> {
        Span::current().record("boards", 1);
        let judged = wire::judge(request.get_ref()).map_err(|fault| convert::no_message(&fault))?;
        Ok(Response::new(judged.map_err(|fault| convert::malformed_status(&fault))?))
    }

    type ValidateManyStream = BoxStream<Answer>;

    async fn validate_many(
        &self,
        requests: Request<Streaming<Bytes>>,
    ) -> Result<Response<Self::ValidateManyStream>, Status> {
        let boards_max = self.boards_max;
        let mut count = BoardCount { span: Span::current(), boards: 0 };
        let responses = requests.into_inner().map(move |message| {
            let judged = wire::judge_many(&message?, boards_max);
            let (answer, boards) = judged.map_err(|fault| convert::no_message(&fault))?;
            if boards > boards_max {
                return Err(convert::too_many_boards(boards, boards_max));
            }
            count.add(boards);
            Ok(answer)
        });
        Ok(Response::new(Box::pin(responses)))
    }
}

/// The boards of a stream, recorded on its span when it is over.
struct BoardCount {
    span: Span,
    boards: usize,
}

impl BoardCount {
    fn add(&mut self, boards: usize) {
        self.boards += boards;
    }
}

impl Drop for BoardCount {
    fn drop(&mut self) {
        self.span.record("boards", self.boards);
    }
}
