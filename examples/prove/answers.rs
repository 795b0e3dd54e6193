//! Requests, and the answers that the library itself gives them.

use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::{Board, Cell, Conflict, MalformedBoard, Unit};

pub fn request<'a>(boards: impl IntoIterator<Item = &'a str>) -> pb::ValidateManyRequest {
    let board = |cells: &str| pb::Board { cells: cells.to_owned() };
    pb::ValidateManyRequest { boards: boards.into_iter().map(board).collect() }
}

pub fn expected<'a>(boards: impl IntoIterator<Item = &'a str>) -> pb::ValidateManyResponse {
    pb::ValidateManyResponse { outcomes: boards.into_iter().map(outcome).collect() }
}

/// What the library says of a text.
pub fn outcome(cells: &str) -> pb::Outcome {
    let outcome = match cells.parse() {
        Ok(board) => pb::outcome::Outcome::Verdict(verdict(&board)),
        Err(fault) => pb::outcome::Outcome::Malformed(malformed(&fault)),
    };
    pb::Outcome { outcome: Some(outcome) }
}

pub fn verdict(board: &Board) -> pb::Verdict {
    let conflicts = board.conflicts().map(conflict).collect();
    pb::Verdict { valid: Some(board.is_valid()), conflicts }
}

fn conflict(conflict: Conflict) -> pb::Conflict {
    let (unit, index) = match conflict.unit() {
        Unit::Row(row) => (pb::Unit::Row, row),
        Unit::Column(column) => (pb::Unit::Column, column),
        Unit::Box(index) => (pb::Unit::Box, index),
    };
    let cell =
        |cell: Cell| pb::Cell { row: Some(cell.row.into()), column: Some(cell.column.into()) };
    pb::Conflict {
        unit: unit.into(),
        index: Some(index.into()),
        digit: conflict.digit().into(),
        cells: conflict.cells().map(cell).collect(),
    }
}

pub fn malformed(fault: &MalformedBoard) -> pb::MalformedBoard {
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
    let index = |place: usize| u32::try_from(place).ok();
    let (row, column) = (row.and_then(index), column.and_then(index));
    pb::MalformedBoard { reason: reason.into(), description: fault.to_string(), row, column }
}
