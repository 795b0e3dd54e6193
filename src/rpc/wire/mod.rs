//! The messages of `sudoku.v1` on the wire: boards are judged where they lie in the bytes that came,
//! and answers are written as bytes, with no message of Rust types in between.
//!
//! The generated types say what is right. Tests hold both directions to them.

mod read;
mod write;

use std::marker::PhantomData;

use bytes::{Buf, BufMut};
use prost::DecodeError;
use tonic::Status;
use tonic::codec::{BufferSettings, DecodeBuf, Decoder, EncodeBuf, Encoder};

use super::convert;
use crate::validator::MalformedBoard;

/// The bytes of an answer.
pub type Answer = Vec<u8>;

/// What becomes of a `ValidateRequest`: a `ValidateResponse`, if it has a board.
pub type Judged = Result<Answer, MalformedBoard>;

/// What becomes of a `ValidateManyRequest`.
#[derive(Debug, Default)]
pub struct JudgedMany {
    /// A `ValidateManyResponse` to the first [`JUDGED_MAX`] boards.
    pub answer: Answer,
    /// How many boards there are. A server that takes fewer refuses them by this.
    pub boards: usize,
}

/// The most boards of a message that are judged. No server takes more, and its own limit is not known
/// where messages are read: a codec is made without arguments.
pub const JUDGED_MAX: usize = 10_000;

/// What is made of a message.
pub trait FromWire: Sized + Send + 'static {
    /// # Errors
    ///
    /// When the bytes are no such message.
    fn from_wire(message: &[u8]) -> Result<Self, DecodeError>;
}

/// The bytes that each of a call's two buffers begins with: enough for a call of one board. With
/// tonic's 8 KiB, calls are no faster and open ones take 15 KiB more.
const BUFFER_BYTES: usize = 512;

/// How many bytes of answers are written before they are sent, if there are so many.
const BATCH_BYTES: usize = 32 * 1024;

/// The codec of the sudoku service.
#[derive(Debug)]
pub struct Codec<T>(PhantomData<T>);

impl<T> Default for Codec<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: FromWire> tonic::codec::Codec for Codec<T> {
    type Encode = Answer;
    type Decode = T;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self::default()
    }

    fn decoder(&mut self) -> Self {
        Self::default()
    }
}

impl<T: FromWire> Encoder for Codec<T> {
    type Item = Answer;
    type Error = Status;

    fn encode(&mut self, answer: Answer, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put_slice(&answer);
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(BUFFER_BYTES, BATCH_BYTES)
    }
}

impl<T: FromWire> Decoder for Codec<T> {
    type Item = T;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<T>, Status> {
        let length = buffer.remaining();
        let read = if buffer.chunk().len() == length {
            T::from_wire(buffer.chunk())
        } else {
            T::from_wire(&buffer.copy_to_bytes(length))
        };
        buffer.advance(buffer.remaining());
        read.map(Some).map_err(|fault| convert::no_message(&fault))
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(BUFFER_BYTES, BATCH_BYTES)
    }
}
