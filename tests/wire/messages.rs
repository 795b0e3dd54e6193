//! What the server reads and writes byte by byte is what the generated types read and write.

use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message;

use sudoku_validator::rpc::wire::{Tally, judge_many};

use crate::agree::{agree, tally};
use crate::answers::{expected, request};
use crate::cases;
use crate::server::{CLASSIC, worst};

#[test]
fn every_case_alone_and_after_another_is_answered_as_by_the_generated_types() {
    let cases = cases::files();
    for case in cases.iter().flatten() {
        agree(&request([&*case.cells]).encode_to_vec());
        agree(&request([&*worst(), &case.cells, &case.cells]).encode_to_vec());
    }
}

#[test]
fn no_board_and_boards_without_cells_are_answered_as_by_the_generated_types() {
    for bytes in [&b""[..], b"\x0a\0", b"\x0a\x02\x0a\0", b"\x0a\0\x0a\0"] {
        agree(bytes);
    }
}

#[test]
fn boards_beyond_the_limit_are_counted_and_not_judged() {
    let texts = [CLASSIC, "", &worst(), CLASSIC, "1", &worst()];
    let message = request(texts).encode_to_vec();
    for max in 0..=texts.len() {
        let answer = expected(texts[..max].iter().copied());
        let beyond_limit = (texts.len() - max) as u64;
        let tally = Tally { beyond_limit, ..tally(&answer.outcomes) };
        assert_eq!(tally.boards(), texts.len() as u64);
        assert_eq!(judge_many(&message, max).unwrap(), (answer.encode_to_vec(), tally));
    }
}

/// 81 cells in one run, but for a few characters, or anything.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![8 => "[.0-3]{81}", 2 => "[.1-9x\\n]{81}", 1 => "(?s).{0,90}", 1 => Just(worst())]
}

/// A message with a few bytes of it changed, put in and taken away.
fn message() -> impl Strategy<Value = Vec<u8>> {
    let edits = vec((any::<prop::sample::Index>(), 0..2_usize, vec(any::<u8>(), 0..3)), 0..4);
    (vec(text(), 0..4), edits).prop_map(|(texts, edits)| {
        let mut bytes = request(texts.iter().map(String::as_str)).encode_to_vec();
        for (at, cut, piece) in edits {
            let at = at.index(bytes.len() + 1);
            let end = (at + cut).min(bytes.len());
            bytes.splice(at..end, piece);
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn messages_are_answered_as_by_the_generated_types(bytes in message()) {
        agree(&bytes);
    }

    /// Those that have fields in any order and number, groups among them.
    #[test]
    fn any_bytes_are_answered_as_by_the_generated_types(
        bytes in vec(prop_oneof![Just(0x0A), Just(0x0B), Just(0x0C), 0..20_u8, any::<u8>()], 0..60),
    ) {
        agree(&bytes);
    }
}
