//! The contract, read from `proto/sudoku/v1/sudoku.proto` and from nothing else, as naively as it
//! can be.

use std::collections::BTreeSet;

use sudoku_validator::rpc::pb::sudoku as pb;

/// The digits of a board, 0 for an empty cell; or the fault, without its description.
pub fn read(text: &str) -> Result<Vec<u32>, pb::MalformedBoard> {
    let lines = lines(text);
    let one_run = lines.len() == 1;
    for (row, line) in lines.iter().enumerate() {
        for (column, character) in line.iter().enumerate() {
            if !matches!(character, '.' | '0'..='9') {
                let at = if one_run { (column / 9, column % 9) } else { (row, column) };
                let reason = pb::MalformedReason::InvalidCharacter;
                return Err(fault(reason, Some(at.0), Some(at.1)));
            }
        }
    }
    let wrong_shape = |row| Err(fault(pb::MalformedReason::WrongShape, row, None));
    if one_run && lines[0].len() != 81 {
        return wrong_shape(None);
    }
    if !one_run && let Some(row) = lines.iter().take(9).position(|line| line.len() != 9) {
        return wrong_shape(Some(row));
    }
    if !one_run && lines.len() != 9 {
        return wrong_shape(None);
    }
    Ok(lines.concat().iter().map(|character| character.to_digit(10).unwrap_or(0)).collect())
}

/// The lines of a text, without the line break at its very end.
fn lines(text: &str) -> Vec<Vec<char>> {
    let mut lines = vec![Vec::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let carriage_return = character == '\r' && characters.next_if_eq(&'\n').is_some();
        if character == '\n' || carriage_return {
            lines.push(Vec::new());
        } else if let Some(line) = lines.last_mut() {
            line.push(character);
        }
    }
    if lines.len() > 1 && lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}

fn fault(
    reason: pb::MalformedReason,
    row: Option<usize>,
    column: Option<usize>,
) -> pb::MalformedBoard {
    let index = |place: usize| u32::try_from(place).unwrap();
    pb::MalformedBoard {
        reason: reason.into(),
        description: String::new(),
        row: row.map(index),
        column: column.map(index),
    }
}

/// The verdict on 81 digits: a set of places for each unit and digit.
pub fn verdict(digits: &[u32]) -> pb::Verdict {
    let mut conflicts = Vec::new();
    for unit in [pb::Unit::Row, pb::Unit::Column, pb::Unit::Box] {
        for index in 0..9 {
            let places: BTreeSet<u32> = (0..81).filter(|at| unit_of(*at, unit) == index).collect();
            for digit in 1..=9 {
                let holds = |at: &&u32| digits[**at as usize] == digit;
                let cell = |at: &u32| pb::Cell { row: Some(at / 9), column: Some(at % 9) };
                let cells: Vec<_> = places.iter().filter(holds).map(cell).collect();
                if cells.len() > 1 {
                    let (unit, index) = (unit.into(), Some(index));
                    conflicts.push(pb::Conflict { unit, index, digit, cells });
                }
            }
        }
    }
    pb::Verdict { valid: Some(conflicts.is_empty()), conflicts }
}

/// The index of the row, column or box that a place lies in.
fn unit_of(at: u32, unit: pb::Unit) -> u32 {
    let (row, column) = (at / 9, at % 9);
    match unit {
        pb::Unit::Row => row,
        pb::Unit::Column => column,
        _ => row / 3 * 3 + column / 3,
    }
}
