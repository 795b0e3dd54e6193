//! The two handlers of `sudoku.v1.SudokuService`.

use tokio_stream::StreamExt;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status, Streaming};
use tracing::Span;

use super::convert;
use super::pb::sudoku as pb;
use crate::validator::Verdict;

#[derive(Debug)]
pub(super) struct Sudoku {
    /// The most boards taken in one `ValidateManyRequest`.
    pub(super) boards_max: usize,
}

#[tonic::async_trait]
impl pb::sudoku_service_server::SudokuService for Sudoku {
    async fn validate(
        &self,
        request: Request<pb::ValidateRequest>,
    ) -> Result<Response<pb::ValidateResponse>, Status> {
        Span::current().record("boards", 1);
        let cells = request.into_inner().board.unwrap_or_default().cells;
        let verdict = Verdict::of(&cells).map_err(|fault| convert::malformed_status(&fault))?;
        let verdict = Some(convert::verdict(verdict));
        Ok(Response::new(pb::ValidateResponse { verdict }))
    }

    type ValidateManyStream = BoxStream<pb::ValidateManyResponse>;

    async fn validate_many(
        &self,
        requests: Request<Streaming<pb::ValidateManyRequest>>,
    ) -> Result<Response<Self::ValidateManyStream>, Status> {
        let boards_max = self.boards_max;
        let mut count = BoardCount { span: Span::current(), boards: 0 };
        let responses = requests.into_inner().map(move |request| {
            let boards = request?.boards;
            if boards.len() > boards_max {
                return Err(convert::too_many_boards(boards.len(), boards_max));
            }
            count.add(boards.len());
            Ok(pb::ValidateManyResponse { outcomes: boards.iter().map(convert::outcome).collect() })
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
