//! The answers: written as they go out, byte by byte as the generated types would.

use prost::encoding::{encode_varint, encoded_len_varint, message};

use super::{Answer, FIELD_1};
use crate::rpc::convert;
use crate::rpc::pb::sudoku as pb;
use crate::validator::{Conflict, Conflicts, MalformedBoard, Unit, Verdict};

/// `valid` in a verdict, a number.
const VALID: u8 = 1 << 3;

/// `conflicts` in a verdict.
const CONFLICTS: u8 = 2 << 3 | 2;

/// `unit`, `index` and `digit` in a conflict, numbers, and `cells`.
const UNIT: u8 = 1 << 3;
const INDEX: u8 = 2 << 3;
const DIGIT: u8 = 3 << 3;
const CELLS: u8 = 4 << 3 | 2;

/// `row` and `column` in a cell, numbers.
const ROW: u8 = 1 << 3;
const COLUMN: u8 = 2 << 3;

/// A `ValidateResponse`.
pub(super) fn response(verdict: &Verdict) -> Answer {
    match verdict {
        Verdict::Valid => vec![FIELD_1, 2, VALID, 1],
        Verdict::Invalid(conflicts) => {
            let mut answer = Answer::new();
            write_conflicts(&mut answer, conflicts);
            answer
        }
    }
}

/// Adds the outcome of a board to a `ValidateManyResponse`.
pub(super) fn outcome(answer: &mut Answer, judged: &Result<Verdict, MalformedBoard>) {
    match judged {
        Ok(verdict) => verdict_outcome(answer, verdict),
        Err(fault) => {
            let outcome = pb::outcome::Outcome::Malformed(convert::malformed(fault));
            message::encode(1, &pb::Outcome { outcome: Some(outcome) }, answer);
        }
    }
}

/// Adds the outcome of a board that is well-formed.
#[inline]
pub(super) fn verdict_outcome(answer: &mut Answer, verdict: &Verdict) {
    match verdict {
        // What most boards come to, of a known length.
        Verdict::Valid => answer.extend_from_slice(&[FIELD_1, 4, FIELD_1, 2, VALID, 1]),
        Verdict::Invalid(conflicts) => {
            let start = answer.len();
            write_conflicts(answer, conflicts);
            put_length_before(answer, start);
        }
    }
}

/// A verdict with conflicts, as field 1.
fn write_conflicts(answer: &mut Answer, conflicts: &Conflicts) {
    let start = answer.len();
    answer.extend_from_slice(&[VALID, 0]);
    for conflict in conflicts.clone() {
        write_conflict(answer, conflict);
    }
    put_length_before(answer, start);
}

/// Makes the bytes from `start` on a field 1, which begins with their number. Only now is it known how
/// many bytes that takes, so that those after it, some 2.3 kB at most, are moved.
fn put_length_before(answer: &mut Answer, start: usize) {
    let length = (answer.len() - start) as u64;
    answer.push(FIELD_1);
    encode_varint(length, answer);
    answer[start..].rotate_right(1 + encoded_len_varint(length));
}

/// All numbers in a conflict are under 128, and so take one byte.
fn write_conflict(answer: &mut Answer, conflict: Conflict) {
    let (unit, index) = match conflict.unit() {
        Unit::Row(row) => (pb::Unit::Row, row),
        Unit::Column(column) => (pb::Unit::Column, column),
        Unit::Box(index) => (pb::Unit::Box, index),
    };
    let start = answer.len();
    answer.extend_from_slice(&[
        CONFLICTS,
        0,
        UNIT,
        unit as u8,
        INDEX,
        index,
        DIGIT,
        conflict.digit(),
    ]);
    // Up to 60, and so one byte too.
    let mut length = 6;
    for cell in conflict.cells() {
        answer.extend_from_slice(&[CELLS, 4, ROW, cell.row, COLUMN, cell.column]);
        length += 6;
    }
    answer[start + 1] = length;
}
