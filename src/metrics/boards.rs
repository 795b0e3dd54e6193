use super::Counter;

/// What the boards of a message came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Boards with no digit twice in a unit.
    pub valid: u64,
    /// Boards with conflicts.
    pub invalid: u64,
    /// Texts that are no board for a character in them.
    pub invalid_character: u64,
    /// Texts that are no board for their shape.
    pub wrong_shape: u64,
    /// Boards beyond the limit of a message, which nobody looked at.
    pub beyond_limit: u64,
}

impl Tally {
    /// How many boards there were.
    #[must_use]
    pub fn boards(&self) -> u64 {
        let Self { valid, invalid, invalid_character, wrong_shape, beyond_limit } = *self;
        valid + invalid + invalid_character + wrong_shape + beyond_limit
    }
}

/// The boards that were answered.
#[derive(Debug, Default)]
pub(crate) struct BoardCounts {
    pub(super) valid: Counter,
    pub(super) invalid: Counter,
    pub(super) invalid_character: Counter,
    pub(super) wrong_shape: Counter,
}

impl BoardCounts {
    /// Adds the boards of a message, none of them beyond the limit.
    pub(crate) fn add(&self, tally: &Tally) {
        let Tally { valid, invalid, invalid_character, wrong_shape, beyond_limit: _ } = *tally;
        let counts = [
            (&self.valid, valid),
            (&self.invalid, invalid),
            (&self.invalid_character, invalid_character),
            (&self.wrong_shape, wrong_shape),
        ];
        for (counter, count) in counts {
            // Most messages have boards of one kind or two.
            if count > 0 {
                counter.add(count);
            }
        }
    }
}
