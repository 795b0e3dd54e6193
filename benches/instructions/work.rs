//! Work for an instruction counter: `instructions kernel|message BOARDS`. `.ci/instructions` runs it
//! under Callgrind with two numbers of boards, and compares what the difference costs.
//!
//! Callgrind knows no AVX-512, so that this is the plain way.

#![allow(clippy::unwrap_used, reason = "a count that fails says so")]
#![allow(unreachable_pub, reason = "nothing of a program is reachable")]

#[path = "../../examples/prove/answers.rs"]
mod answers;
#[path = "../kernel/boards.rs"]
#[expect(dead_code, reason = "the benchmark of the kernel uses the rest")]
mod boards;

use std::hint::black_box;

use prost::Message;
use sudoku_validator::Verdict;
use sudoku_validator::rpc::wire::judge_many;

/// How many boards are made, whatever the number of those that are judged: all else is to cost the
/// same each time.
const BOARDS: usize = 10_000;

/// How many of them are in a message.
const BY: usize = 100;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [what, count] = &args[..] else { panic!("usage: instructions kernel|message BOARDS") };
    let count: usize = count.parse().unwrap();
    let cells = boards::mixed(BOARDS);
    let texts: Vec<&str> = cells.iter().map(|cells| str::from_utf8(cells).unwrap()).collect();
    let messages: Vec<_> = texts.chunks(BY).map(in_and_out).collect();
    let is_valid = |verdict| matches!(verdict, Some(Verdict::Valid));
    let expected: Vec<_> = texts.iter().map(|text| is_valid(Verdict::of(text).ok())).collect();
    match what.as_str() {
        "kernel" => cells.iter().zip(expected).take(count).for_each(|(cells, expected)| {
            assert_eq!(is_valid(Verdict::of_run(black_box(cells))), expected);
        }),
        "message" => messages.iter().take(count / BY).for_each(|(message, expected)| {
            assert_eq!(judge_many(black_box(message), BY).unwrap().0, *expected);
        }),
        _ => panic!("neither kernel nor message: {what}"),
    }
}

/// A message with these boards, and its answer.
fn in_and_out(texts: &[&str]) -> (Vec<u8>, Vec<u8>) {
    let texts = || texts.iter().copied();
    (answers::request(texts()).encode_to_vec(), answers::expected(texts()).encode_to_vec())
}
