//! Bytes of any kind are decoded as requests, and read as the server reads them.

#![no_main]

#[path = "../../tests/wire/agree.rs"]
mod agree;
#[path = "../../examples/prove/answers.rs"]
#[expect(dead_code, reason = "the examples use the rest")]
mod answers;

use std::fmt::Debug;

use libfuzzer_sys::fuzz_target;
use prost::{DecodeError, Message};
use sudoku_validator::rpc::pb::sudoku as pb;

fuzz_target!(|bytes: &[u8]| {
    agree::agree(bytes);
    let one = decode::<pb::ValidateRequest>(bytes);
    let many = decode::<pb::ValidateManyRequest>(bytes);
    // Field 1 of both is a board, so that what one of them takes for a message the other does too.
    match (one, many) {
        (Ok(one), Ok(many)) => match &many.boards[..] {
            [] => assert_eq!(one.board, None),
            [board] => assert_eq!(one.board.as_ref(), Some(board)),
            _ => assert!(one.board.is_some()),
        },
        (Err(_), Err(_)) => {}
        (one, many) => panic!("{one:?}, but {many:?}"),
    }
});

/// Decodes a message, and when it is one, encodes and decodes it once more.
fn decode<M: Message + Default + PartialEq + Debug>(bytes: &[u8]) -> Result<M, DecodeError> {
    let message = M::decode(bytes)?;
    let encoded = message.encode_to_vec();
    assert!(encoded.len() <= bytes.len(), "{message:?} was made of {} bytes", bytes.len());
    assert_eq!(M::decode(&encoded[..]).as_ref(), Ok(&message));
    Ok(message)
}
