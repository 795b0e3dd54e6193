//! Faults of boards and messages as protobuf, and the one place where they become a `Status`.

use std::collections::HashMap;

use prost::DecodeError;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use super::pb::sudoku as pb;
use crate::validator::MalformedBoard;

/// The domain of every `google.rpc.ErrorInfo`.
const ERROR_DOMAIN: &str = "sudoku.v1";

pub(super) fn malformed(fault: &MalformedBoard) -> pb::MalformedBoard {
    let (reason, row, column) = match *fault {
        MalformedBoard::InvalidCharacter { row, column, .. } => {
            (pb::MalformedReason::InvalidCharacter, Some(row), Some(column))
        }
        MalformedBoard::LineLength { row, .. } => {
            (pb::MalformedReason::WrongShape, Some(row), None)
        }
        MalformedBoard::CellCount { .. } | MalformedBoard::LineCount { .. } => {
            (pb::MalformedReason::WrongShape, None, None)
        }
    };
    // A message is never so long that a place in it exceeds 32 bits.
    let index = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    pb::MalformedBoard {
        reason: reason.into(),
        description: fault.to_string(),
        row: row.map(index),
        column: column.map(index),
    }
}

/// `INVALID_ARGUMENT` for a unary call with a malformed board.
pub(super) fn malformed_status(fault: &MalformedBoard) -> Status {
    let fault = malformed(fault);
    let reason = fault.reason().as_str_name().trim_start_matches("MALFORMED_REASON_");
    let pb::MalformedBoard { row, column, description, .. } = fault;
    let metadata: HashMap<String, String> = [("row", row), ("column", column)]
        .into_iter()
        .filter_map(|(key, index)| Some((key.to_owned(), index?.to_string())))
        .collect();
    let mut details = ErrorDetails::with_bad_request_violation("board.cells", &description);
    details.set_error_info(reason, ERROR_DOMAIN, metadata);
    Status::with_error_details(Code::InvalidArgument, description, details)
}

/// `INVALID_ARGUMENT` for a message with more boards than the server takes.
pub(super) fn too_many_boards(found: u64, boards_max: usize) -> Status {
    let description = format!("found {found} boards in one message, the limit is {boards_max}");
    let details = ErrorDetails::with_bad_request_violation("boards", &description);
    Status::with_error_details(Code::InvalidArgument, description, details)
}

/// `INTERNAL` for bytes that are no message.
pub(super) fn no_message(fault: &DecodeError) -> Status {
    Status::internal(fault.to_string())
}
