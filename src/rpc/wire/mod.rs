//! The messages of `sudoku.v1` on the wire: boards are judged where they lie in the bytes that came,
//! and answers are written as the bytes that go out, with nothing in between.
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

/// What the board of a `ValidateRequest` comes to: a `ValidateResponse`.
pub type Outcome = Result<Answer, MalformedBoard>;

/// What the boards of a `ValidateManyRequest` come to.
#[derive(Debug, Default)]
pub struct Outcomes {
    /// The `ValidateManyResponse`, with no more than 10,000 outcomes.
    pub answer: Answer,
    /// How many boards there are.
    pub boards: usize,
}

/// The most boards of a message that are judged, whatever the limit of the server.
pub(super) const OUTCOMES_MAX: usize = 10_000;

/// The bytes of an answer.
pub type Answer = Vec<u8>;

/// What is made of a request.
pub trait Read: Sized + Send + 'static {
    /// # Errors
    ///
    /// When the bytes are no such message.
    fn read(message: &[u8]) -> Result<Self, DecodeError>;
}

/// What the two buffers of a call begin with, which is enough for a call of one board, and the bytes of
/// answers after which they are sent.
const BUFFER_BYTES: usize = 512;
const SENT_BYTES: usize = 32 * 1024;

/// The codec of the sudoku service.
#[derive(Debug)]
pub struct Codec<T>(PhantomData<T>);

impl<T> Default for Codec<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: Read> tonic::codec::Codec for Codec<T> {
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

impl<T: Read> Encoder for Codec<T> {
    type Item = Answer;
    type Error = Status;

    fn encode(&mut self, answer: Answer, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put_slice(&answer);
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(BUFFER_BYTES, SENT_BYTES)
    }
}

impl<T: Read> Decoder for Codec<T> {
    type Item = T;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<T>, Status> {
        // The message lies in one piece.
        let message = buffer.chunk();
        debug_assert_eq!(message.len(), buffer.remaining());
        let read = T::read(message).map_err(|fault| convert::no_message(&fault))?;
        buffer.advance(buffer.remaining());
        Ok(Some(read))
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(BUFFER_BYTES, SENT_BYTES)
    }
}
