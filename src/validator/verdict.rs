use super::repeats::{self, Found};
use super::{Board, Conflicts, MalformedBoard};

/// Whether a board is valid so far, and if not, why.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No digit stands twice in a row, a column or a box.
    Valid,
    /// At least one does.
    Invalid(Conflicts),
}

impl Verdict {
    /// The verdict on the board in a text.
    ///
    /// It is that of [`Board::verdict`], but takes one pass over a text of 81 cells in one run, with
    /// no board made of it.
    ///
    /// ```
    /// use sudoku_validator::Verdict;
    ///
    /// let text = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    /// assert!(matches!(Verdict::of(text)?, Verdict::Valid));
    /// # Ok::<(), sudoku_validator::MalformedBoard>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the text is no board, as for [`Board`]:
    ///
    /// ```
    /// # use sudoku_validator::Verdict;
    /// let fault = Verdict::of("53..7").unwrap_err();
    /// assert_eq!(fault.to_string(), "wrong shape: found 5 cells in one run, expected 81");
    /// ```
    pub fn of(text: &str) -> Result<Self, MalformedBoard> {
        let run: Option<&[u8; 81]> = text.as_bytes().try_into().ok();
        if let Some(verdict) = run.and_then(Self::of_run) {
            return Ok(verdict);
        }
        Ok(text.parse::<Board>()?.verdict())
    }

    /// The verdict on 81 cells in one run, or nothing when a byte is no cell.
    #[must_use]
    #[inline]
    pub fn of_run(cells: &[u8; 81]) -> Option<Self> {
        match repeats::find(cells) {
            Found::Nothing => Some(Self::Valid),
            Found::Repeats(repeats) => Some(Self::Invalid(Conflicts::new(*cells, repeats))),
            Found::NoCell => None,
        }
    }
}
