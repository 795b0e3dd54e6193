//! The messages of `sudoku.v1` on the wire: boards are judged where they lie in the bytes that came,
//! and answers are written as bytes, with no message of Rust types in between.
//!
//! The generated types say what is right. Tests hold both directions to them.

mod read;
mod write;

use bytes::{Buf, BufMut, Bytes};
use tonic::Status;
use tonic::codec::{BufferSettings, DecodeBuf, Decoder, EncodeBuf, Encoder};

pub use crate::metrics::Tally;
pub use read::{judge, judge_many};

use crate::validator::{MalformedBoard, Verdict};

/// The bytes of an answer.
pub type Answer = Vec<u8>;

/// Field 1, which has a length: boards and their cells in requests; outcomes, and the verdicts in them,
/// in answers.
const FIELD_1: u8 = 1 << 3 | 2;

/// The bytes that each of a call's two buffers begins with: enough for a call of one board. With
/// tonic's 8 KiB, calls are no faster and open ones take 15 KiB more.
const BUFFER_BYTES: usize = 512;

/// How many bytes of answers are written before they are sent, if there are so many.
const BATCH_BYTES: usize = 32 * 1024;

/// Up to so many bytes, a message is copied. That takes less time than to share the buffer, whose users
/// are counted by atomic operations.
const COPIED_BYTES_MAX: usize = 2 * 1024;

/// Counts a board by what it came to.
fn count(tally: &mut Tally, judged: Result<&Verdict, &MalformedBoard>) {
    *match judged {
        Ok(Verdict::Valid) => &mut tally.valid,
        Ok(Verdict::Invalid(_)) => &mut tally.invalid,
        Err(MalformedBoard::InvalidCharacter { .. }) => &mut tally.invalid_character,
        Err(_) => &mut tally.wrong_shape,
    } += 1;
}

/// The codec of the sudoku service, which leaves messages as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Codec;

impl tonic::codec::Codec for Codec {
    type Encode = Answer;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Codec {
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

impl Decoder for Codec {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, message: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        let length = message.remaining();
        if length > COPIED_BYTES_MAX {
            return Ok(Some(message.copy_to_bytes(length)));
        }
        let mut copy = vec![0; length];
        message.copy_to_slice(&mut copy);
        Ok(Some(copy.into()))
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(BUFFER_BYTES, BATCH_BYTES)
    }
}
