//! The boards in a request.
//!
//! A board of 81 cells in one run is known by the bytes before it, and judged in its place. All else
//! that the wire format allows is left to prost, field by field, so that it is taken and refused as
//! by the generated types.

use prost::encoding::{DecodeContext, decode_key, message, skip_field};
use prost::{DecodeError, Message};

use super::{Answer, FIELD_1, Tally, count, write};
use crate::rpc::pb::sudoku as pb;
use crate::validator::{MalformedBoard, Verdict};

/// The bytes before 81 cells.
const RUN: [u8; 4] = [FIELD_1, 2 + 81, FIELD_1, 81];

/// The `ValidateResponse` to a `ValidateRequest`, if the text of its board is one, and what it came to.
///
/// # Errors
///
/// When the bytes are no such message.
pub fn judge(message: &[u8]) -> Result<(Result<Answer, MalformedBoard>, Tally), DecodeError> {
    let mut tally = Tally::default();
    if let Some((cells, [])) = run(message)
        && let Some(verdict) = &Verdict::of_run(cells)
    {
        count(&mut tally, Ok(verdict));
        return Ok((Ok(write::response(verdict)), tally));
    }
    let request = pb::ValidateRequest::decode(message)?;
    // Without a board, there are no cells.
    let judged = Verdict::of(&request.board.unwrap_or_default().cells);
    count(&mut tally, judged.as_ref());
    Ok((judged.map(|verdict| write::response(&verdict)), tally))
}

/// The `ValidateManyResponse` to a `ValidateManyRequest`, and what its boards came to. Those beyond
/// `boards_max` are counted, and not judged.
///
/// # Errors
///
/// When the bytes are no such message.
pub fn judge_many(mut message: &[u8], boards_max: usize) -> Result<(Answer, Tally), DecodeError> {
    // Enough for valid boards, which take 85 bytes each, and their outcomes 6.
    let mut answer = Answer::with_capacity(message.len() / 12);
    let (mut tally, mut boards) = (Tally::default(), 0);
    while !message.is_empty() {
        // A verdict is large. It stays where it is found, since moving it took longer than finding it.
        if boards < boards_max
            && let Some((cells, rest)) = run(message)
            && let Some(verdict) = &Verdict::of_run(cells)
        {
            write::verdict_outcome(&mut answer, verdict);
            count(&mut tally, Ok(verdict));
            message = rest;
            boards += 1;
        } else if let Some(cells) = field(&mut message)? {
            if boards < boards_max {
                let judged = Verdict::of(&cells);
                write::outcome(&mut answer, &judged);
                count(&mut tally, judged.as_ref());
            } else {
                tally.beyond_limit += 1;
            }
            boards += 1;
        }
    }
    Ok((answer, tally))
}

/// The cells of a board at the beginning of the bytes, if they may be 81 in one run, and the rest.
fn run(bytes: &[u8]) -> Option<(&[u8; 81], &[u8])> {
    match bytes.split_first_chunk()? {
        (&RUN, bytes) => bytes.split_first_chunk(),
        _ => None,
    }
}

/// Takes a field of a `ValidateManyRequest`, and gives the cells of the board if it is one.
fn field(message: &mut &[u8]) -> Result<Option<String>, DecodeError> {
    let (field, wire_type) = decode_key(message)?;
    let context = DecodeContext::default();
    if field != 1 {
        return skip_field(wire_type, field, message, context).map(|()| None);
    }
    let mut board = pb::Board::default();
    message::merge(wire_type, &mut board, message, context).map_err(|mut error| {
        error.push("ValidateManyRequest", "boards");
        error
    })?;
    Ok(Some(board.cells))
}
