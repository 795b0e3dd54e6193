//! The check of a board, from text to verdict, one core: each way to do it, the algorithm that it
//! replaces, and the least that any way must do, which is to read the bytes.
//!
//! `cargo bench --bench kernel`. Each bench counts what it finds, and fails when that is wrong.

#![allow(clippy::unwrap_used, reason = "a bench that fails says so")]

mod boards;

use std::collections::HashSet;

use boards::Cells;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use sudoku_validator::Verdict;
use sudoku_validator::validator::repeats::{Find, Found, ways};

fn main() {
    divan::main();
}

/// So many that no branch predictor learns them by heart.
const BOARDS: usize = 10_000;

/// Times `count` over all boards, and fails unless it finds `expected` each time.
fn bench(
    bencher: Bencher,
    boards: &[Cells],
    expected: usize,
    count: impl Fn(&[Cells]) -> usize + Sync,
) {
    bencher.counter(ItemsCount::new(boards.len())).bench_local(|| {
        assert_eq!(count(black_box(boards)), expected);
    });
}

#[divan::bench(args = ways().map(|way| way.0))]
fn mixed(bencher: Bencher, way: &str) {
    let boards = boards::mixed(BOARDS);
    let find = find(way);
    let count = |boards: &[Cells]| boards.iter().filter(|b| find(b) == Found::Nothing).count();
    bench(bencher, &boards, valid_by_sets(&boards), count);
}

#[divan::bench]
fn mixed_verdict_of_text(bencher: Bencher) {
    let boards = boards::mixed(BOARDS);
    let count = |boards: &[Cells]| boards.iter().filter(|board| is_valid(board)).count();
    bench(bencher, &boards, valid_by_sets(&boards), count);
}

#[divan::bench]
fn mixed_sets(bencher: Bencher) {
    let boards = boards::mixed(BOARDS);
    let expected = boards.iter().filter(|board| is_valid(board)).count();
    bench(bencher, &boards, expected, valid_by_sets);
}

#[divan::bench]
fn mixed_read(bencher: Bencher) {
    let boards = boards::mixed(BOARDS);
    let text = String::from_utf8(boards.concat()).unwrap();
    bench(bencher, &boards, text.matches('.').count(), dots);
}

/// A million boards, as they come from a file that is mapped into memory, which no cache holds.
#[divan::bench(sample_count = 10)]
fn million(bencher: Bencher) {
    let boards = million_boards();
    let is_valid = |cells: &&Cells| matches!(Verdict::of_run(cells), Some(Verdict::Valid));
    let count = |boards: &[Cells]| boards.iter().filter(is_valid).count();
    let expected = count(&boards[..BOARDS]) * (MILLION / BOARDS);
    bench(bencher, &boards, expected, count);
}

#[divan::bench(sample_count = 10)]
fn million_read(bencher: Bencher) {
    let boards = million_boards();
    let expected = dots(&boards[..BOARDS]) * (MILLION / BOARDS);
    bench(bencher, &boards, expected, dots);
}

const MILLION: usize = 1_000_000;

fn million_boards() -> Vec<Cells> {
    boards::mixed(BOARDS).repeat(MILLION / BOARDS)
}

/// Reads each byte, and does next to nothing with it.
fn dots(boards: &[Cells]) -> usize {
    let dots_in = |board: &Cells| board.iter().map(|&byte| u8::from(byte == b'.')).sum::<u8>();
    boards.iter().map(|board| usize::from(dots_in(board))).sum()
}

/// From text to every conflict.
#[divan::bench(args = [0, 1, 27])]
fn conflicts(bencher: Bencher, each: usize) {
    let boards = boards::with_conflicts(BOARDS, each);
    let count = |boards: &[Cells]| boards.iter().map(conflicts_of).sum();
    bench(bencher, &boards, BOARDS * each, count);
}

fn find(way: &str) -> Find {
    ways().find(|(name, _)| *name == way).unwrap().1
}

fn is_valid(cells: &Cells) -> bool {
    let text = std::str::from_utf8(cells).unwrap();
    matches!(Verdict::of(text), Ok(Verdict::Valid))
}

fn conflicts_of(cells: &Cells) -> usize {
    match Verdict::of_run(cells).unwrap() {
        Verdict::Valid => 0,
        Verdict::Invalid(conflicts) => {
            conflicts.inspect(|conflict| _ = black_box(conflict)).count()
        }
    }
}

/// The 27 sets of the textbook: a set of the digits seen for each row, column and box.
fn valid_by_sets(boards: &[Cells]) -> usize {
    let is_valid = |cells: &Cells| {
        let mut seen: [HashSet<u8>; 27] = Default::default();
        cells.iter().enumerate().all(|(place, &cell)| {
            let (row, column) = (place / 9, place % 9);
            match cell {
                b'.' | b'0' => true,
                b'1'..=b'9' => [row, 9 + column, 18 + row / 3 * 3 + column / 3]
                    .into_iter()
                    .all(|unit| seen[unit].insert(cell)),
                _ => false,
            }
        })
    };
    boards.iter().filter(|cells| is_valid(cells)).count()
}
