//! Text of any kind is read and judged by the validator as by an oracle.
//!
//! The first byte of an input says what its other bytes are: text as it is, or, so that boards come
//! up often, cells of one run, cells of nine lines, or cells and line breaks in any order.

#![no_main]

#[path = "../../examples/prove/answers.rs"]
#[expect(dead_code, reason = "the examples use the rest")]
mod answers;
mod oracle;

use libfuzzer_sys::fuzz_target;
use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::validator::repeats::ways;
use sudoku_validator::{Board, Verdict};

fuzz_target!(|input: &[u8]| {
    let text = text(input);
    let verdict = Verdict::of(&text).map(|verdict| matches!(verdict, Verdict::Valid));
    assert_eq!(verdict, text.parse::<Board>().map(|board| board.is_valid()), "{text:?}");
    if let Ok(cells) = text.as_bytes().try_into() {
        let found: Vec<_> = ways().map(|(_, find)| find(cells)).collect();
        assert!(found.iter().all(|other| *other == found[0]), "{text:?}: {found:?}");
    }
    match (text.parse::<Board>(), oracle::read(&text)) {
        (Ok(board), Ok(digits)) => compare(&board, &digits),
        (Err(fault), Err(expected)) => {
            // The contract leaves the description to the server.
            let found =
                pb::MalformedBoard { description: String::new(), ..answers::malformed(&fault) };
            assert_eq!(found, expected, "{text:?}");
        }
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
    assert_eq!(answers::verdict(board), oracle::verdict(digits), "{board}");
    let shown = digits.iter().map(|digit| digit.to_string().replace('0', "."));
    assert_eq!(board.to_string(), shown.collect::<String>());
}
