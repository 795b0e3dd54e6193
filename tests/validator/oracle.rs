//! The contract once more, as plainly as it can be written.

use std::collections::BTreeMap;

use sudoku_validator::{MalformedBoard, Unit};

pub fn read(text: &str) -> Result<Vec<char>, MalformedBoard> {
    let text = text.replace("\r\n", "\n");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let lines: Vec<Vec<char>> = text.split('\n').map(|line| line.chars().collect()).collect();
    for (line, characters) in lines.iter().enumerate() {
        for (place, &character) in characters.iter().enumerate() {
            if !".0123456789".contains(character) {
                let (row, column) =
                    if lines.len() > 1 { (line, place) } else { (place / 9, place % 9) };
                return Err(MalformedBoard::InvalidCharacter { character, row, column });
            }
        }
    }
    if lines.len() == 1 && lines[0].len() != 81 {
        return Err(MalformedBoard::CellCount { found: lines[0].len() });
    }
    if lines.len() > 1 {
        for (row, line) in lines.iter().take(9).enumerate() {
            if line.len() != 9 {
                return Err(MalformedBoard::LineLength { row, found: line.len() });
            }
        }
        if lines.len() != 9 {
            return Err(MalformedBoard::LineCount { found: lines.len() });
        }
    }
    Ok(lines.concat())
}

/// A conflict: the unit, the digit and the places that hold it.
pub type Conflict = (Unit, u8, Vec<(u8, u8)>);

pub fn conflicts(cells: &[char]) -> Vec<Conflict> {
    let mut holders = BTreeMap::<(Unit, u8), Vec<(u8, u8)>>::new();
    for row in 0..9 {
        for column in 0..9 {
            let cell = cells[usize::from(row) * 9 + usize::from(column)];
            let Some(digit @ '1'..='9') = Some(cell) else { continue };
            let digit = digit as u8 - b'0';
            for unit in [Unit::Row(row), Unit::Column(column), Unit::Box(row / 3 * 3 + column / 3)]
            {
                holders.entry((unit, digit)).or_default().push((row, column));
            }
        }
    }
    holders.retain(|_, cells| cells.len() > 1);
    holders.into_iter().map(|((unit, digit), cells)| (unit, digit, cells)).collect()
}
