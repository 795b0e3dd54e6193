//! Whether bytes are read and answered as by the generated types.

use prost::Message;
use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::rpc::wire::{Tally, judge, judge_many};

use crate::answers::{expected, outcome};

/// Fails unless the bytes are taken, answered or refused as by way of the generated types.
#[track_caller]
pub fn agree(bytes: &[u8]) {
    let found = judge_many(bytes, usize::MAX);
    let many = pb::ValidateManyRequest::decode(bytes).map(|request| {
        let texts = request.boards.iter().map(|board| board.cells.as_str());
        let answer = expected(texts);
        (answer.encode_to_vec(), tally(&answer.outcomes))
    });
    assert_eq!(found, many, "{bytes:?}");

    let found = judge(bytes);
    let found = found.map(|(found, tally)| (found.map_err(|fault| fault.to_string()), tally));
    let one = pb::ValidateRequest::decode(bytes).map(|request| {
        let outcome = outcome(&request.board.unwrap_or_default().cells);
        let tally = tally(std::slice::from_ref(&outcome));
        let answer = match outcome.outcome.unwrap() {
            pb::outcome::Outcome::Verdict(verdict) => {
                Ok(pb::ValidateResponse { verdict: Some(verdict) }.encode_to_vec())
            }
            pb::outcome::Outcome::Malformed(malformed) => Err(malformed.description),
        };
        (answer, tally)
    });
    assert_eq!(found, one, "{bytes:?}");
}

/// What outcomes are counted as.
pub fn tally(outcomes: &[pb::Outcome]) -> Tally {
    let mut tally = Tally::default();
    for outcome in outcomes {
        *match outcome.outcome.as_ref().unwrap() {
            pb::outcome::Outcome::Verdict(verdict) if verdict.valid() => &mut tally.valid,
            pb::outcome::Outcome::Verdict(_) => &mut tally.invalid,
            pb::outcome::Outcome::Malformed(malformed) => match malformed.reason() {
                pb::MalformedReason::InvalidCharacter => &mut tally.invalid_character,
                pb::MalformedReason::WrongShape => &mut tally.wrong_shape,
                pb::MalformedReason::Unspecified => panic!("no reason"),
            },
        } += 1;
    }
    tally
}
