//! Mixed boards: no two alike, since a branch predictor learns one that is repeated by heart, and
//! branchy code then looks several times as fast as it is.

/// 81 cells in one run.
pub(crate) type Cells = [u8; 81];

const SOLVED: &Cells =
    b"534678912672195348198342567859761423426853791713924856961537284287419635345286179";

/// Boards with 0 to 81 cells emptied, of which one in ten has a digit changed, and one in a hundred a
/// cell that is none.
pub(crate) fn mixed(count: usize) -> Vec<Cells> {
    let mut random = Random(1);
    let mut board = |number: usize| {
        let mut cells = filled(&mut random, 81);
        if number.is_multiple_of(10) {
            cells[random.place()] = b'1' + random.below(9);
        }
        if number.is_multiple_of(100) {
            cells[random.place()] = b'x';
        }
        cells
    };
    (0..count).map(&mut board).collect()
}

/// Boards with so many conflicts each: none, one, or one in each of the 27 units.
pub(crate) fn with_conflicts(count: usize, each: usize) -> Vec<Cells> {
    let mut random = Random(2);
    let mut board = |_| match each {
        0 => filled(&mut random, 60),
        1 => {
            let mut cells = [b'.'; 81];
            let (row, digit) = (random.below(9), b'1' + random.below(9));
            // In one row, and in two boxes.
            let [one, other] = [random.below(3), 3 + random.below(6)];
            for column in [one, other] {
                cells[usize::from(9 * row + column)] = digit;
            }
            cells
        }
        _ => {
            // One digit is written over another, and so stands twice in every unit.
            let mut cells = filled(&mut random, 0);
            let (from, to) = (b'1' + random.below(9), b'1' + random.below(9));
            let to = if to == from { b'1' + (to - b'1' + 1) % 9 } else { to };
            cells.iter_mut().filter(|cell| **cell == from).for_each(|cell| *cell = to);
            cells
        }
    };
    (0..count).map(&mut board).collect()
}

/// A solved board with its digits renamed and up to `emptied` cells emptied.
pub(crate) fn filled(random: &mut Random, emptied: u8) -> Cells {
    let shift = random.below(9);
    let mut cells = SOLVED.map(|digit| b'1' + (digit - b'1' + shift) % 9);
    for _ in 0..random.below(emptied + 1) {
        cells[random.place()] = b'.';
    }
    cells
}

/// The numbers of a linear congruential generator, of which the upper bits are good enough.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: u8) -> u8 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let [top, ..] = ((self.0 >> 40) % u64::from(end)).to_le_bytes();
        top
    }

    /// A place on the board.
    pub(crate) fn place(&mut self) -> usize {
        self.below(81).into()
    }
}
