use std::fmt;
use std::iter::FusedIterator;

use super::repeats::Repeats;
use super::unit::CELLS;
use super::{Cell, Unit};

/// A digit that stands more than once in one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conflict {
    unit: Unit,
    digit: u8,
    /// Where it stands in the unit: a bit for each position, 0 to 8 in reading order.
    positions: u16,
}

impl Conflict {
    /// The row, column or box in which the digit repeats.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The digit that repeats, 1 to 9.
    #[must_use]
    pub fn digit(&self) -> u8 {
        self.digit
    }

    /// All cells of the unit that hold the digit, 2 to 9 of them, in reading order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let Self { unit, mut positions, .. } = *self;
        std::iter::from_fn(move || {
            let position = lowest(&mut positions)?;
            Some(unit.cell(position))
        })
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has digit {} at ", self.unit, self.digit)?;
        for (i, cell) in self.cells().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            write!(f, "{separator}{cell}")?;
        }
        Ok(())
    }
}

/// The conflicts on a board: rows 0 to 8 first, then columns 0 to 8, then boxes 0 to 8, and within a
/// unit by digit. At most 108; none when the board is valid.
#[derive(Clone, Debug)]
pub struct Conflicts {
    /// The board as text, with `.` or `0` for an empty cell.
    cells: [u8; 81],
    /// What of it is still to come.
    repeats: Repeats,
}

impl Conflicts {
    pub(super) fn new(cells: [u8; 81], repeats: Repeats) -> Self {
        Self { cells, repeats }
    }
}

impl Iterator for Conflicts {
    type Item = Conflict;

    #[inline]
    fn next(&mut self) -> Option<Conflict> {
        let Repeats { units, digits } = &mut self.repeats;
        // With no unit left, this is 32, and there is none at that.
        let ordinal = units.trailing_zeros();
        let digits = digits.get_mut(ordinal as usize)?;
        let digit = lowest(digits)?;
        if *digits == 0 {
            *units &= *units - 1;
        }
        let [ordinal, ..] = ordinal.to_le_bytes();
        let mut positions = 0;
        for (position, &cell) in CELLS[usize::from(ordinal)].iter().enumerate() {
            let holds = self.cells[usize::from(cell)] == b'0' + digit;
            positions |= u16::from(holds) << position;
        }
        Some(Conflict { unit: Unit::at(ordinal), digit, positions })
    }
}

impl FusedIterator for Conflicts {}

/// Takes the lowest bit that is set, and gives its place.
#[inline]
fn lowest(bits: &mut u16) -> Option<u8> {
    // Of 32 bits, the lowest 8 are all that a place takes.
    let [place, ..] = bits.trailing_zeros().to_le_bytes();
    *bits &= bits.checked_sub(1)?;
    Some(place)
}
