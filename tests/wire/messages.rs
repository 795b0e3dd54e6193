//! What the server reads and writes byte by byte is what the generated types read and write.

use clap::Parser;
use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message;

use sudoku_validator::config::Config;
use sudoku_validator::rpc::wire::{FromWire, JUDGED_MAX, JudgedMany};

use crate::agree::agree;
use crate::answers::request;
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
fn no_more_boards_are_judged_than_any_server_takes() {
    let empty = |boards: usize| JudgedMany::from_wire(&b"\x0a\0".repeat(boards)).unwrap();
    let run = |boards: usize| {
        let boards = vec![CLASSIC; boards];
        JudgedMany::from_wire(&request(boards).encode_to_vec()).unwrap()
    };
    for many in [&empty as &dyn Fn(usize) -> JudgedMany, &run] {
        let (all, one_more) = (many(JUDGED_MAX), many(JUDGED_MAX + 1));
        assert_eq!(
            many(JUDGED_MAX - 1).answer.len(),
            all.answer.len() / JUDGED_MAX * (JUDGED_MAX - 1)
        );
        assert_eq!((all.boards, one_more.boards), (JUDGED_MAX, JUDGED_MAX + 1));
        assert!(all.answer == one_more.answer);
    }
    // Nor does the flag allow for more.
    let boards = |count: usize| format!("--max-boards-per-message={count}");
    let config = |count| {
        Config::try_parse_from(["sudoku-validator", "--max-message-bytes=2000000", &boards(count)])
    };
    assert_eq!([JUDGED_MAX, JUDGED_MAX + 1].map(|count| config(count).is_ok()), [true, false]);
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
