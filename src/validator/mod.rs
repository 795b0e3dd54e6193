//! The shared validator: text to [`Board`], board to every [`Conflict`].
//!
//! It uses nothing but the standard library, does no input or output, and allocates nothing. Only
//! text that is not a board makes it fail, with a [`MalformedBoard`] that says what and where.
//! Rows, columns and boxes are counted from 0.

mod board;
mod conflict;
mod malformed;
#[doc(hidden)]
pub mod repeats;
mod unit;
mod verdict;

pub use board::Board;
pub use conflict::{Conflict, Conflicts};
pub use malformed::MalformedBoard;
pub use unit::{Cell, Unit};
pub use verdict::Verdict;
