//! Every way to find what repeats, against the oracle: 81 bytes of every sort, quickly made.

use std::env;

use sudoku_validator::Unit;
use sudoku_validator::validator::repeats::{Found, Repeats, ways};

use crate::boards::{Random, filled};
use crate::oracle;

/// How many boards, unless `SUDOKU_BOARDS` says otherwise.
const BOARDS: u64 = 20_000;

#[test]
fn every_way_finds_what_the_oracle_finds() {
    let boards = env::var("SUDOKU_BOARDS").map_or(BOARDS, |boards| boards.parse().unwrap());
    let mut random = Random(3);
    let mut counts = [0; 3];
    for _ in 0..boards {
        let cells = cells(&mut random);
        let expected = expected(&cells);
        let sort = match expected {
            Found::Nothing => 0,
            Found::Repeats(_) => 1,
            Found::NoCell => 2,
        };
        counts[sort] += 1;
        for (name, find) in ways() {
            assert_eq!(find(&cells), expected, "{name}: {}", cells.escape_ascii());
        }
    }
    assert!(counts.iter().all(|count| count * 10 > boards), "{counts:?}");
}

#[test]
fn every_way_finds_each_digit_that_repeats_in_each_pair_of_cells() {
    for digit in b'1'..=b'9' {
        for (one, other) in (0..81).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let mut cells = [b'.'; 81];
            (cells[one], cells[other]) = (digit, digit);
            for (name, find) in ways() {
                assert_eq!(find(&cells), expected(&cells), "{name}: {digit} at {one} and {other}");
            }
        }
    }
}

#[test]
fn every_way_knows_each_byte_in_each_place() {
    for (place, byte) in (0..81).flat_map(|place| (0..=u8::MAX).map(move |byte| (place, byte))) {
        let mut cells = [b'0'; 81];
        cells[place] = byte;
        for (name, find) in ways() {
            assert_eq!(find(&cells), expected(&cells), "{name}: {byte} at {place}");
        }
    }
}

fn expected(cells: &[u8; 81]) -> Found {
    if !cells.iter().all(|byte| b".0123456789".contains(byte)) {
        return Found::NoCell;
    }
    let cells: Vec<char> = cells.iter().copied().map(char::from).collect();
    let mut repeats = Repeats::default();
    for (unit, digit, _) in oracle::conflicts(&cells) {
        let ordinal = match unit {
            Unit::Row(row) => row,
            Unit::Column(column) => 9 + column,
            Unit::Box(index) => 18 + index,
        };
        repeats.units |= 1 << ordinal;
        repeats.digits[usize::from(ordinal)] |= 1 << digit;
    }
    if repeats.units == 0 { Found::Nothing } else { Found::Repeats(repeats) }
}

/// A solved board with its digits renamed, some cells emptied, and most times a few overwritten, with
/// digits or with anything.
fn cells(random: &mut Random) -> [u8; 81] {
    let mut cells = filled(random, 0);
    for _ in 0..random.below(120) {
        cells[random.place()] = b".0"[usize::from(random.below(2))];
    }
    let sort = random.below(4);
    for _ in 0..[0, 3, 60, 2][usize::from(sort)] {
        let [digit, byte] = [b'1' + random.below(9), 2 * random.below(128) + random.below(2)];
        cells[random.place()] = if sort < 3 { digit } else { byte };
    }
    cells
}
