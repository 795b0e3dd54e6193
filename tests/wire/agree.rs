//! Whether bytes are read and answered as by the generated types.

use prost::Message;
use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::rpc::wire::{judge, judge_many};

use crate::answers::{expected, outcome};

/// Fails unless the bytes are taken, answered or refused as by way of the generated types.
#[track_caller]
pub fn agree(bytes: &[u8]) {
    let found = judge_many(bytes, usize::MAX);
    let many = pb::ValidateManyRequest::decode(bytes).map(|request| {
        let texts = request.boards.iter().map(|board| board.cells.as_str());
        (expected(texts).encode_to_vec(), request.boards.len())
    });
    assert_eq!(found, many, "{bytes:?}");

    let found = judge(bytes).map(|found| found.map_err(|fault| fault.to_string()));
    let one = pb::ValidateRequest::decode(bytes).map(|request| {
        match outcome(&request.board.unwrap_or_default().cells).outcome.unwrap() {
            pb::outcome::Outcome::Verdict(verdict) => {
                Ok(pb::ValidateResponse { verdict: Some(verdict) }.encode_to_vec())
            }
            pb::outcome::Outcome::Malformed(malformed) => Err(malformed.description),
        }
    });
    assert_eq!(found, one, "{bytes:?}");
}
