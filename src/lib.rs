//! Says whether a Sudoku board is valid so far.

pub mod validator;

pub use validator::{Board, Cell, Conflict, Conflicts, MalformedBoard, Unit};
