//! Text of any kind is read and judged by the validator as by an oracle.
//!
//! The first byte of an input says what its other bytes are: text as it is, or, so that boards come
//! up often, cells of one run, cells of nine lines, or cells and line breaks in any order.

#![no_main]

mod oracle;

use libfuzzer_sys::fuzz_target;
use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::{Board, Conflict, MalformedBoard, Unit};

fuzz_target!(|input: &[u8]| {
    let text = text(input);
    match (text.parse::<Board>(), oracle::read(&text)) {
        (Ok(board), Ok(digits)) => compare(&board, &digits),
        (Err(fault), Err(expected)) => assert_eq!(malformed(&fault), expected, "{text:?}"),
        (read, expected) => panic!("{text:?}: {read:?}, expected {expected:?}"),
    }
});

/// What the bytes from `0` to `9`, `.`, `\n` and `\r` stand for, by their lower four bits: themselves,
/// so that a corpus can be read, and others something like them.
const PIECES: [&str; 16] =
    ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "\n", "\r\n", ".", "\r", ".", "é"];

fn text(input: &[u8]) -> String {
    let Some((&kind, bytes)) = input.split_first() else { return String::new() };
    let line_break = if kind & 4 == 0 { "\n" } else { "\r\n" };
    let last = if kind & 8 == 0 { "" } else { line_break };
    let cells = || bytes.iter().copied().map(cell).chain(std::iter::repeat('.')).take(81);
    match kind & 3 {
        0 => String::from_utf8_lossy(bytes).into_owned(),
        1 => cells().collect::<String>() + last,
        2 => {
            let rows = cells().collect::<Vec<_>>();
            let rows: Vec<String> = rows.chunks(9).map(|row| row.iter().collect()).collect();
            rows.join(line_break) + last
        }
        _ => bytes.iter().map(|byte| PIECES[usize::from(byte & 15)]).collect(),
    }
}

fn cell(byte: u8) -> char {
    char::from_digit(u32::from(byte & 15), 10).unwrap_or('.')
}

fn compare(board: &Board, digits: &[u32]) {
    let expected = oracle::verdict(digits);
    let verdict = pb::Verdict {
        valid: Some(board.is_valid()),
        conflicts: board.conflicts().map(conflict).collect(),
    };
    assert_eq!(verdict, expected, "{board}");
    let shown = digits.iter().map(|digit| digit.to_string().replace('0', "."));
    assert_eq!(board.to_string(), shown.collect::<String>());
}

fn conflict(conflict: Conflict) -> pb::Conflict {
    let (unit, index) = match conflict.unit() {
        Unit::Row(index) => (pb::Unit::Row, index),
        Unit::Column(index) => (pb::Unit::Column, index),
        Unit::Box(index) => (pb::Unit::Box, index),
    };
    let cell = |cell: sudoku_validator::Cell| pb::Cell {
        row: Some(cell.row.into()),
        column: Some(cell.column.into()),
    };
    pb::Conflict {
        unit: unit.into(),
        index: Some(index.into()),
        digit: conflict.digit().into(),
        cells: conflict.cells().map(cell).collect(),
    }
}

fn malformed(fault: &MalformedBoard) -> pb::MalformedBoard {
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
    let index = |place: usize| u32::try_from(place).unwrap();
    pb::MalformedBoard {
        reason: reason.into(),
        description: String::new(),
        row: row.map(index),
        column: column.map(index),
    }
}
