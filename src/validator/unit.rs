use std::fmt;

/// The place of a cell on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// The row, 0 (top) to 8.
    pub row: u8,
    /// The column, 0 (left) to 8.
    pub column: u8,
}

impl Cell {
    /// The box that the cell lies in, 0 to 8.
    pub(super) fn box_index(self) -> u8 {
        self.row / 3 * 3 + self.column / 3
    }
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
    pub(super) fn at(ordinal: u8) -> Self {
        match ordinal {
            0..9 => Self::Row(ordinal),
            9..18 => Self::Column(ordinal - 9),
            _ => Self::Box(ordinal - 18),
        }
    }

    /// The unit's place in the order of conflicts, 0 to 26.
    pub(super) fn ordinal(self) -> u8 {
        match self {
            Self::Row(row) => row,
            Self::Column(column) => 9 + column,
            Self::Box(index) => 18 + index,
        }
    }

    /// The three units that a cell lies in.
    pub(super) fn of(cell: Cell) -> [Self; 3] {
        [Self::Row(cell.row), Self::Column(cell.column), Self::Box(cell.box_index())]
    }

    /// The unit's cell at a position, 0 to 8 in reading order.
    pub(super) fn cell(self, position: u8) -> Cell {
        match self {
            Self::Row(row) => Cell { row, column: position },
            Self::Column(column) => Cell { row: position, column },
            Self::Box(index) => {
                Cell { row: index / 3 * 3 + position / 3, column: index % 3 * 3 + position % 3 }
            }
        }
    }

    /// The position of one of the unit's cells, 0 to 8 in reading order.
    pub(super) fn position(self, cell: Cell) -> u8 {
        match self {
            Self::Row(_) => cell.column,
            Self::Column(_) => cell.row,
            Self::Box(_) => cell.row % 3 * 3 + cell.column % 3,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(row) => write!(f, "row {row}"),
            Self::Column(column) => write!(f, "column {column}"),
            Self::Box(index) => write!(f, "box {index}"),
        }
    }
}
