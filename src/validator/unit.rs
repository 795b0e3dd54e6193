use std::fmt;

/// The place of a cell on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// The row, 0 (top) to 8.
    pub row: u8,
    /// The column, 0 (left) to 8.
    pub column: u8,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.row, self.column)
    }
}

/// A row, a column or a box: nine cells in which a digit may stand only once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// A row, 0 to 8 from the top.
    Row(u8),
    /// A column, 0 to 8 from the left.
    Column(u8),
    /// A box of 3×3 cells, 0 to 8, left to right, then top to bottom.
    Box(u8),
}

impl Unit {
    /// The unit at a place in the order of conflicts: rows, columns, boxes.
    pub(super) const fn at(ordinal: u8) -> Self {
        match ordinal {
            0..9 => Self::Row(ordinal),
            9..18 => Self::Column(ordinal - 9),
            _ => Self::Box(ordinal - 18),
        }
    }

    /// The unit's cell at a position, 0 to 8 in reading order.
    pub(super) const fn cell(self, position: u8) -> Cell {
        match self {
            Self::Row(row) => Cell { row, column: position },
            Self::Column(column) => Cell { row: position, column },
            Self::Box(index) => {
                Cell { row: index / 3 * 3 + position / 3, column: index % 3 * 3 + position % 3 }
            }
        }
    }
}

/// The cells of each unit, by the unit's ordinal: their places in reading order, 0 to 80.
pub(super) static CELLS: [[u8; 9]; 27] = {
    let mut cells = [[0; 9]; 27];
    let mut ordinal = 0;
    while ordinal < 27 {
        let mut position = 0;
        while position < 9 {
            let Cell { row, column } = Unit::at(ordinal).cell(position);
            cells[ordinal as usize][position as usize] = 9 * row + column;
            position += 1;
        }
        ordinal += 1;
    }
    cells
};

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(row) => write!(f, "row {row}"),
            Self::Column(column) => write!(f, "column {column}"),
            Self::Box(index) => write!(f, "box {index}"),
        }
    }
}
