use std::fmt;

use super::{Cell, Unit};

/// A digit that stands more than once in one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conflict {
    unit: Unit,
    digit: u8,
    positions: Positions,
}

/// A set of positions in a unit, 0 to 8 in reading order, a bit each.
type Positions = u16;

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
        let Self { unit, positions, .. } = *self;
        (0..9).filter(move |position| positions >> position & 1 == 1).map(move |at| unit.cell(at))
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

/// The conflicts on a board, in order. Made by [`Board::conflicts`](super::Board::conflicts).
#[derive(Clone, Debug, Default)]
pub struct Conflicts {
    /// Where each digit stands in each unit: by the unit's ordinal, then by the digit less 1.
    places: [[Positions; 9]; 27],
    /// How many of the 27 × 9 entries were looked at.
    seen: u8,
}

impl Conflicts {
    pub(super) fn insert(&mut self, unit: Unit, digit: u8, cell: Cell) {
        self.places[usize::from(unit.ordinal())][usize::from(digit - 1)] |=
            1 << unit.position(cell);
    }
}

impl Iterator for Conflicts {
    type Item = Conflict;

    fn next(&mut self) -> Option<Conflict> {
        let entries = self.places.as_flattened();
        for (entry, &positions) in (self.seen..).zip(&entries[usize::from(self.seen)..]) {
            self.seen = entry + 1;
            if positions.count_ones() > 1 {
                return Some(Conflict {
                    unit: Unit::at(entry / 9),
                    digit: entry % 9 + 1,
                    positions,
                });
            }
        }
        None
    }
}

impl std::iter::FusedIterator for Conflicts {}
