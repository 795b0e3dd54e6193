use std::error::Error;
use std::fmt;

/// Why a text is not a board: the first fault in reading order, an invalid character before a
/// wrong shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MalformedBoard {
    /// A character that is neither a digit, `.`, `0` nor a line break (`\n` or `\r\n`).
    InvalidCharacter {
        /// The character.
        character: char,
        /// Its line, from 0; in one run of cells, its position divided by 9.
        row: usize,
        /// Its place in the line, from 0, in characters; in one run, its position modulo 9.
        column: usize,
    },
    /// One run of cells, but not 81 of them.
    CellCount {
        /// How many cells there are.
        found: usize,
    },
    /// A line among the first nine that has not nine cells.
    LineLength {
        /// The first such line, 0 to 8.
        row: usize,
        /// How many cells it has.
        found: usize,
    },
    /// Not nine lines, of which the first nine have nine cells each.
    LineCount {
        /// How many lines there are.
        found: usize,
    },
}

impl MalformedBoard {
    /// Finds the fault in a text that is known to have one, its final line break taken away.
    #[cold]
    pub(super) fn find(body: &str) -> Self {
        Self::invalid_character(body).unwrap_or_else(|| Self::wrong_shape(body))
    }

    fn invalid_character(body: &str) -> Option<Self> {
        let (mut row, mut column) = (0, 0);
        let mut rest = body.chars();
        while let Some(character) = rest.next() {
            match character {
                '\n' => (row, column) = (row + 1, 0),
                '\r' if rest.as_str().starts_with('\n') => {}
                '.' | '0'..='9' => column += 1,
                _ if body.contains('\n') => {
                    return Some(Self::InvalidCharacter { character, row, column });
                }
                _ => {
                    let (row, column) = (column / 9, column % 9);
                    return Some(Self::InvalidCharacter { character, row, column });
                }
            }
        }
        None
    }

    /// Looks at a text whose characters are all digits, dots and line breaks.
    fn wrong_shape(body: &str) -> Self {
        if !body.contains('\n') {
            return Self::CellCount { found: body.len() };
        }
        let cells = |line: &str| line.trim_end_matches('\r').len();
        let mut lengths = body.split('\n').map(cells).take(9).enumerate();
        match lengths.find(|(_, found)| *found != 9) {
            Some((row, found)) => Self::LineLength { row, found },
            None => Self::LineCount { found: body.split('\n').count() },
        }
    }
}

impl fmt::Display for MalformedBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::InvalidCharacter { character, row, column } => write!(
                f,
                "invalid character {character:?} (U+{:04X}) at row {row}, column {column}",
                u32::from(character),
            ),
            Self::CellCount { found } => {
                write!(f, "wrong shape: found {found} cells in one run, expected 81")
            }
            Self::LineLength { row, found } => {
                write!(f, "wrong shape: found {found} cells in row {row}, expected 9")
            }
            Self::LineCount { found } => {
                write!(f, "wrong shape: found {found} lines, expected 9")
            }
        }
    }
}

impl Error for MalformedBoard {}
