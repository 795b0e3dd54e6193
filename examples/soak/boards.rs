//! Boards of every sort, each from a number, and the answers that the library itself gives them.

use anyhow::{Context, ensure};
use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::{Board, Cell, Conflict, MalformedBoard, Unit};
use tonic::{Code, Status};
use tonic_types::StatusExt;

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
    pb::ValidateManyRequest { boards: seeds.into_iter().map(text).map(board).collect() }
}

/// The answer to [`request`].
pub fn response(seeds: impl IntoIterator<Item = u64>) -> pb::ValidateManyResponse {
    let outcome = |seed| outcome(&text(seed));
    pb::ValidateManyResponse { outcomes: seeds.into_iter().map(outcome).collect() }
}

/// What the library says of a text.
pub fn outcome(text: &str) -> pb::Outcome {
    let outcome = match text.parse::<Board>() {
        Ok(board) => {
            let conflicts = board.conflicts().map(conflict).collect();
            let verdict = pb::Verdict { valid: Some(board.is_valid()), conflicts };
            pb::outcome::Outcome::Verdict(verdict)
        }
        Err(fault) => pb::outcome::Outcome::Malformed(malformed(&fault)),
    };
    pb::Outcome { outcome: Some(outcome) }
}

fn conflict(conflict: Conflict) -> pb::Conflict {
    let (unit, index) = match conflict.unit() {
        Unit::Row(row) => (pb::Unit::Row, row),
        Unit::Column(column) => (pb::Unit::Column, column),
        Unit::Box(index) => (pb::Unit::Box, index),
    };
    let cell =
        |cell: Cell| pb::Cell { row: Some(cell.row.into()), column: Some(cell.column.into()) };
    pb::Conflict {
        unit: unit.into(),
        index: Some(index.into()),
        digit: conflict.digit().into(),
        cells: conflict.cells().map(cell).collect(),
    }
}

fn malformed(fault: &MalformedBoard) -> pb::MalformedBoard {
    use pb::MalformedReason::{InvalidCharacter, WrongShape};
    let (reason, row, column) = match *fault {
        MalformedBoard::InvalidCharacter { row, column, .. } => {
            (InvalidCharacter, Some(row), Some(column))
        }
        MalformedBoard::LineLength { row, .. } => (WrongShape, Some(row), None),
        _ => (WrongShape, None, None),
    };
    let index = |place| u32::try_from(place).unwrap_or(u32::MAX);
    pb::MalformedBoard {
        reason: reason.into(),
        description: fault.to_string(),
        row: row.map(index),
        column: column.map(index),
    }
}

/// The answer of a unary call, as an outcome.
pub fn as_outcome(answer: Result<pb::ValidateResponse, Status>) -> anyhow::Result<pb::Outcome> {
    let outcome = match answer {
        Ok(response) => pb::outcome::Outcome::Verdict(response.verdict.context("no verdict")?),
        Err(status) if status.code() == Code::InvalidArgument => {
            pb::outcome::Outcome::Malformed(from_details(&status)?)
        }
        Err(status) => return Err(status.into()),
    };
    Ok(pb::Outcome { outcome: Some(outcome) })
}

/// What the details of an error tell of a malformed board, once they are found to agree.
fn from_details(status: &Status) -> anyhow::Result<pb::MalformedBoard> {
    let details = status.get_error_details();
    let violations = &details.bad_request().context("no BadRequest")?.field_violations;
    let [violation] = &violations[..] else { anyhow::bail!("{violations:?}") };
    ensure!(violation.field == "board.cells", "{violation:?}");
    ensure!(violation.description == status.message(), "{violation:?}");
    let info = details.error_info().context("no ErrorInfo")?;
    ensure!(info.domain == "sudoku.v1", "{info:?}");
    let reason = format!("MALFORMED_REASON_{}", info.reason);
    let reason = pb::MalformedReason::from_str_name(&reason).context("unknown reason")?;
    let index = |key| info.metadata.get(key).map(|index| index.parse()).transpose();
    Ok(pb::MalformedBoard {
        reason: reason.into(),
        description: status.message().to_owned(),
        row: index("row")?,
        column: index("column")?,
    })
}
