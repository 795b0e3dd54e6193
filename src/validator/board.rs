use std::fmt::{self, Write};
use std::str::FromStr;

use super::repeats::{self, Found, Repeats};
use super::{Conflicts, MalformedBoard, Verdict};

/// A Sudoku board of nine rows and nine columns, some cells of which hold a digit.
///
/// It is parsed from text: `1` to `9` for a digit, `.` or `0` for an empty cell, either 81 cells
/// in one run, or nine lines of nine cells with `\n` or `\r\n` between them. One line break at the
/// very end is allowed in both.
///
/// ```
/// use sudoku_validator::Board;
///
/// let text = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let board: Board = text.parse()?;
/// assert!(board.is_valid());
/// # Ok::<(), sudoku_validator::MalformedBoard>(())
/// ```
///
/// The same board with an 8 in its top left corner breaks the rules twice:
///
/// ```
/// # use sudoku_validator::Board;
/// let text = "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let board: Board = text.parse()?;
/// assert!(!board.is_valid());
/// let conflicts: Vec<String> = board.conflicts().map(|conflict| conflict.to_string()).collect();
/// assert_eq!(
///     conflicts,
///     ["column 0 has digit 8 at (0, 0), (3, 0)", "box 0 has digit 8 at (0, 0), (2, 2)"],
/// );
/// # Ok::<(), sudoku_validator::MalformedBoard>(())
/// ```
///
/// Text that is no board is an error that says what and where:
///
/// ```
/// # use sudoku_validator::Board;
/// let fault = "53--7----".parse::<Board>().unwrap_err();
/// assert_eq!(fault.to_string(), "invalid character '-' (U+002D) at row 0, column 2");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    /// The cells in reading order: `1` to `9`, or `.` for an empty cell.
    cells: [u8; 81],
}

impl Board {
    /// Whether no digit stands twice in a row, a column or a box.
    ///
    /// Empty cells never count, and a valid board need not be solvable.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        matches!(self.verdict(), Verdict::Valid)
    }

    /// Every conflict on the board; nothing when it is valid.
    #[must_use]
    pub fn conflicts(&self) -> Conflicts {
        match self.verdict() {
            Verdict::Valid => Conflicts::new(self.cells, Repeats::default()),
            Verdict::Invalid(conflicts) => conflicts,
        }
    }

    /// Whether it is valid, and if not, why.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match repeats::find(&self.cells) {
            Found::Nothing => Verdict::Valid,
            Found::Repeats(repeats) => Verdict::Invalid(Conflicts::new(self.cells, repeats)),
            Found::NoCell => unreachable!("a board has nothing but cells"),
        }
    }
}

impl FromStr for Board {
    type Err = MalformedBoard;

    fn from_str(text: &str) -> Result<Self, MalformedBoard> {
        let body = without_final_line_break(text);
        let mut cells = [0; 81];
        let read = read_run(body.as_bytes(), &mut cells) || read_lines(body, &mut cells);
        if read { Ok(Self { cells }) } else { Err(MalformedBoard::find(body)) }
    }
}

/// The 81 cells in one run, with `.` for an empty cell.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cells.iter().try_for_each(|&cell| f.write_char(cell.into()))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}

fn without_final_line_break(text: &str) -> &str {
    match text.strip_suffix('\n') {
        Some(body) => body.strip_suffix('\r').unwrap_or(body),
        None => text,
    }
}

/// Fills `cells` from as many characters; false when the text has others, or more, or fewer.
fn read_run(text: &[u8], cells: &mut [u8]) -> bool {
    for (cell, &byte) in cells.iter_mut().zip(text) {
        *cell = if byte == b'0' { b'.' } else { byte };
    }
    text.len() == cells.len() && cells.iter().all(|cell| matches!(cell, b'.' | b'1'..=b'9'))
}

fn read_lines(body: &str, cells: &mut [u8; 81]) -> bool {
    let mut lines = body.lines();
    // `lines` would pass over one more line break at the end, and there `body` has none to spare.
    !body.ends_with('\n')
        && cells
            .chunks_exact_mut(9)
            .all(|row| lines.next().is_some_and(|line| read_run(line.as_bytes(), row)))
        && lines.next().is_none()
}
