//! Boards of every sort, each from a number, and the messages that hold them.

use sudoku_validator::rpc::pb::sudoku as pb;

use crate::answers;

const SOLVED: &str =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

/// A board that differs from nearly all others, so that an answer to another is not taken for its
/// own. By turns valid, with digits changed at random, the same as lines, and malformed.
pub fn text(seed: u64) -> String {
    let mut random = Random(seed);
    let shift = random.below(9);
    let digit = |digit: u8| char::from(b'1' + (digit - b'1' + shift) % 9);
    let mut cells: Vec<char> = SOLVED.bytes().map(digit).collect();
    for _ in 0..40 {
        cells[random.place()] = '.';
    }
    if !seed.is_multiple_of(4) {
        for _ in 0..8 {
            cells[random.place()] = char::from(b'0' + random.below(10));
        }
    }
    match seed % 4 {
        2 => {
            cells.chunks(9).map(|row| row.iter().chain(&['\r', '\n']).collect::<String>()).collect()
        }
        3 => {
            let place = random.place();
            match random.below(3) {
                0 => cells[place] = char::from(b'a' + random.below(26)),
                1 => cells[place] = '\u{2460}',
                _ => cells.truncate(place),
            }
            cells.into_iter().collect()
        }
        _ => cells.into_iter().collect(),
    }
}

/// The numbers of a linear congruential generator, of which the upper bits are good enough.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u8) -> u8 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let [top, ..] = ((self.0 >> 40) % u64::from(end)).to_le_bytes();
        top
    }

    /// A place on the board.
    fn place(&mut self) -> usize {
        self.below(81).into()
    }
}

pub fn board(text: String) -> pb::Board {
    pb::Board { cells: text }
}

/// A message with the boards of these numbers.
pub fn request(seeds: impl IntoIterator<Item = u64>) -> pb::ValidateManyRequest {
    answers::request(texts(seeds).iter().map(String::as_str))
}

/// The answer to [`request`].
pub fn response(seeds: impl IntoIterator<Item = u64>) -> pb::ValidateManyResponse {
    answers::expected(texts(seeds).iter().map(String::as_str))
}

fn texts(seeds: impl IntoIterator<Item = u64>) -> Vec<String> {
    seeds.into_iter().map(text).collect()
}
