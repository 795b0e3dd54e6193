//! What is printed of boards that are not valid, and of all.

use std::time::Duration;

use sudoku_validator::{Board, Cell, MalformedBoard};

use crate::input::Line;

/// How many boards there were, by verdict.
#[derive(Default)]
pub struct Counts {
    pub valid: u64,
    pub invalid: u64,
    pub malformed: u64,
}

impl Counts {
    pub fn bad(&self) -> u64 {
        self.invalid + self.malformed
    }

    /// The line at the end.
    pub fn summary(&self, took: Duration) -> String {
        let boards = self.valid + self.bad();
        #[expect(clippy::cast_precision_loss, reason = "a speed needs no more than 52 bits")]
        let speed = boards as f64 / took.as_secs_f64();
        let Self { valid, invalid, malformed } = self;
        format!(
            "{boards} boards: {valid} valid, {invalid} invalid, {malformed} malformed; \
             {:.1} s, {speed:.0} boards/s",
            took.as_secs_f64(),
        )
    }
}

/// A conflict on one line: `column 0 has digit 8 at (0, 0), (3, 0)`.
pub struct Conflict {
    pub text: String,
    pub cells: Vec<Cell>,
}

/// What was found of a board.
pub enum Found {
    Valid,
    Conflicts(Vec<Conflict>),
    Malformed(String),
}

/// The verdict of the library itself.
pub fn by_library(text: &str) -> Found {
    match text.parse::<Board>() {
        Ok(board) if board.is_valid() => Found::Valid,
        Ok(board) => Found::Conflicts(
            board
                .conflicts()
                .map(|found| Conflict { text: found.to_string(), cells: found.cells().collect() })
                .collect(),
        ),
        Err(fault) => malformed(&fault),
    }
}

fn malformed(fault: &MalformedBoard) -> Found {
    Found::Malformed(fault.to_string())
}

/// Counts a board, and gives what is to be printed of it.
pub fn judge(counts: &mut Counts, line: &Line, found: &Found, show: bool) -> Option<String> {
    let place = format!("{}:{}", line.file, line.number);
    match found {
        Found::Valid => {
            counts.valid += 1;
            None
        }
        Found::Malformed(fault) => {
            counts.malformed += 1;
            Some(format!("{place}: {fault}\n"))
        }
        Found::Conflicts(conflicts) => {
            counts.invalid += 1;
            let texts: Vec<_> = conflicts.iter().map(|conflict| conflict.text.as_str()).collect();
            let mut text = format!("{place}: {}\n", texts.join("; "));
            if show {
                text.push_str(&drawing(&line.text, conflicts));
            }
            Some(text)
        }
    }
}

/// The board in rows and boxes, each cell of a conflict between brackets.
fn drawing(text: &str, conflicts: &[Conflict]) -> String {
    let marked: Vec<Cell> = conflicts.iter().flat_map(|conflict| conflict.cells.clone()).collect();
    let mut drawing = String::new();
    for (row, cells) in (0..).zip(text.as_bytes().chunks(9)) {
        if row == 3 || row == 6 {
            drawing.push_str("    ---------+---------+---------\n");
        }
        drawing.push_str("    ");
        for (column, &cell) in (0..).zip(cells) {
            let digit = if cell == b'0' { '.' } else { char::from(cell) };
            let is_marked = marked.contains(&Cell { row, column });
            let [left, right] = if is_marked { ['[', ']'] } else { [' ', ' '] };
            if column == 3 || column == 6 {
                drawing.push('|');
            }
            drawing.extend([left, digit, right]);
        }
        drawing.truncate(drawing.trim_end().len());
        drawing.push('\n');
    }
    drawing
}
