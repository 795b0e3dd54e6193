//! Says whether a Sudoku board is valid so far, as a library ([`Board`]) and as a gRPC server.
//!
//! The way of a request, and the order in which to read:
//!
//! `bytes → tonic → rpc::wire → validator → rpc::wire → rpc::service → tonic → bytes`
//!
//! What always holds:
//!
//! * A board that breaks the rules is data, never an error. Only text that is no board is one.
//! * Boards are judged where they lie in the message, and answers are written as bytes. What is right
//!   for both is what the generated types do.
//! * [`validator`] knows nothing but the standard library, and [`rpc`] alone knows protobuf.
//! * Response *k* of a stream answers request *k*, and is sent before the next request is waited
//!   for. Its handler starts no task and owns no channel: a stream is pulled by its reader.
//! * A call stays on the thread of its connection, and is counted there, in memory that no other thread
//!   writes to: see [`server::Admin`] for what is told of it.
//! * Everything that a client can have the server hold has a limit, and so has the memory of all:
//!   see [`config::Limits`] and [`server::memory_bytes_max`].
//!
//! The validator alone, as a library:
//!
//! ```
//! use sudoku_validator::Board;
//!
//! let text = "5...5............................................................................";
//! let board: Board = text.parse()?;
//! let conflict = board.conflicts().next().map(|conflict| conflict.to_string());
//! assert_eq!(conflict.as_deref(), Some("row 0 has digit 5 at (0, 0), (0, 4)"));
//! # Ok::<(), sudoku_validator::MalformedBoard>(())
//! ```

pub mod validator;

pub mod rpc;

pub mod server;

pub mod config;
pub mod shutdown;
pub mod telemetry;

mod heads;
mod last_read;
mod metrics;

pub use validator::{Board, Cell, Conflict, Conflicts, MalformedBoard, Unit, Verdict};
