//! Says whether a Sudoku board is valid so far, as a library and as a gRPC service.

pub mod validator;

pub mod rpc;

pub use validator::{Board, Cell, Conflict, Conflicts, MalformedBoard, Unit};
