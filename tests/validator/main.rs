//! The validator as a library: the cases, and the naive oracle on random text.

#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)]

#[path = "../../benches/kernel/boards.rs"]
#[expect(dead_code, reason = "the benchmarks use the rest")]
mod boards;
#[path = "../cases/mod.rs"]
mod cases;
mod oracle;
mod ways;

use proptest::prelude::*;
use serde_json::{Value, json};
use sudoku_validator::{Board, Conflict, MalformedBoard, Unit, Verdict};

#[test]
fn gives_every_case_its_outcome() {
    for case in cases::files().iter().flatten() {
        let outcome = match case.cells.parse::<Board>() {
            Ok(board) => verdict(&board),
            Err(fault) => json!({ "malformed": malformed(fault) }),
        };
        assert_eq!(outcome, case.outcome, "{}", case.name);
    }
}

fn verdict(board: &Board) -> Value {
    let mut verdict = json!({ "valid": board.is_valid() });
    let conflicts: Vec<Value> = board.conflicts().map(conflict).collect();
    if !conflicts.is_empty() {
        verdict["conflicts"] = conflicts.into();
    }
    json!({ "verdict": verdict })
}

fn conflict(conflict: Conflict) -> Value {
    let (unit, index) = match conflict.unit() {
        Unit::Row(row) => ("UNIT_ROW", row),
        Unit::Column(column) => ("UNIT_COLUMN", column),
        Unit::Box(index) => ("UNIT_BOX", index),
    };
    let cells: Vec<Value> =
        conflict.cells().map(|cell| json!({ "row": cell.row, "column": cell.column })).collect();
    json!({ "unit": unit, "index": index, "digit": conflict.digit(), "cells": cells })
}

fn malformed(fault: MalformedBoard) -> Value {
    let mut malformed = match fault {
        MalformedBoard::InvalidCharacter { row, column, .. } => {
            json!({ "reason": "MALFORMED_REASON_INVALID_CHARACTER", "row": row, "column": column })
        }
        MalformedBoard::LineLength { row, .. } => {
            json!({ "reason": "MALFORMED_REASON_WRONG_SHAPE", "row": row })
        }
        MalformedBoard::CellCount { .. } | MalformedBoard::LineCount { .. } => {
            json!({ "reason": "MALFORMED_REASON_WRONG_SHAPE" })
        }
    };
    malformed["description"] = fault.to_string().into();
    malformed
}

#[test]
fn shows_a_board_as_it_would_be_read() {
    let text = "1.......2.......3.......4.......5.......6.......7.......8.......9...............0";
    let board: Board = text.parse().unwrap();
    assert_eq!(board.to_string(), text.replace('0', "."));
    assert_eq!(format!("{board:?}"), format!("Board({board})"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_oracle_on_boards(text in board()) {
        agree(&text)?;
    }

    #[test]
    fn agrees_with_the_oracle_on_mutated_boards(text in mutated_board()) {
        agree(&text)?;
    }

    #[test]
    fn agrees_with_the_oracle_on_hostile_text(text in "[.0-9\r\nx５\u{feff}]{0,120}|(?s).{0,12}") {
        agree(&text)?;
    }
}

fn agree(text: &str) -> Result<(), TestCaseError> {
    match (text.parse::<Board>(), oracle::read(text)) {
        (Ok(board), Ok(cells)) => {
            let expected = oracle::conflicts(&cells);
            let found: Vec<_> = board
                .conflicts()
                .map(|found| {
                    let cells: Vec<_> = found.cells().map(|cell| (cell.row, cell.column)).collect();
                    (found.unit(), found.digit(), cells)
                })
                .collect();
            prop_assert_eq!(board.is_valid(), expected.is_empty());
            let verdict = Verdict::of(text).unwrap();
            prop_assert_eq!(matches!(verdict, Verdict::Valid), expected.is_empty());
            prop_assert_eq!(found, expected);
        }
        (Err(fault), Err(expected)) => {
            prop_assert_eq!(fault, expected);
            prop_assert_eq!(Verdict::of(text).unwrap_err(), expected);
        }
        (found, expected) => prop_assert!(false, "{found:?}, the oracle says {expected:?}"),
    }
    Ok(())
}

/// Solved boards with their digits renamed, some cells emptied and a few overwritten, in any form.
fn board() -> impl Strategy<Value = String> {
    let digits = Just((1..=9_u32).collect::<Vec<_>>()).prop_shuffle();
    let emptied = prop::collection::vec(0..81_usize, 0..81);
    let overwritten = prop::collection::vec((0..81_usize, 0..=9_u32), 0..6);
    let line_break = prop_oneof![Just(""), Just("\n"), Just("\r\n")];
    let cells = (digits, emptied, overwritten).prop_map(|(digits, emptied, overwritten)| {
        let mut cells: Vec<u32> =
            (0..81).map(|place| digits[(place / 9 * 3 + place / 27 + place % 9) % 9]).collect();
        for (place, digit) in emptied.into_iter().map(|place| (place, 0)).chain(overwritten) {
            cells[place] = digit;
        }
        cells
    });
    (cells, line_break, any::<bool>()).prop_map(|(cells, line_break, at_the_end)| {
        let row = |row: &[u32]| row.iter().map(u32::to_string).collect::<String>();
        let text = cells.chunks(9).map(row).collect::<Vec<_>>().join(line_break);
        if at_the_end { text + line_break } else { text }
    })
}

/// Boards with a piece of text cut out and another put in its place.
fn mutated_board() -> impl Strategy<Value = String> {
    let piece = prop_oneof!["[.0-9]{0,3}", "[\r\n]{1,3}", "(?s)."];
    (board(), any::<prop::sample::Index>(), 0..3_usize, piece).prop_map(|(text, at, cut, piece)| {
        let at = at.index(text.len() + 1);
        format!("{}{piece}{}", &text[..at], &text[(at + cut).min(text.len())..])
    })
}
