//! What a client costs that sends its messages in crumbs.
//!
//! A frame that waits to be read takes far more than a byte, so that the 64 KiB which may wait on a
//! stream could take many megabytes. Clients send small frames too, where a message ends or a window
//! is full, but few of all.

use std::io;

use crate::heads::Heads;

/// A DATA frame of fewer bytes is small. The message of one board takes 90.
const SMALL_BYTES: u32 = 64;

/// What a small one costs. Others pay for it: each 1, and a large one 1 for each KiB, since a proxy that
/// passes messages on cuts a small frame off a few large ones.
const COST: u32 = 16;
const PAYING_BYTES: u32 = 1_024;

/// What is paid in advance: so many small frames may come at once.
const CREDIT_MAX: u32 = 1_024 * COST;

const HEAD_BYTES: usize = 9;
const DATA: u8 = 0;
const END_STREAM: u8 = 1;

/// Counts the small frames of a connection.
pub(super) struct SmallFrames {
    frames: Heads<HEAD_BYTES>,
    credit: u32,
}

impl SmallFrames {
    pub(super) fn new() -> Self {
        Self { frames: Heads::new(), credit: CREDIT_MAX }
    }

    /// Goes over the next bytes.
    ///
    /// # Errors
    ///
    /// When too many of the frames are small.
    pub(super) fn read(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Self { frames, credit } = self;
        let counted = frames.read(bytes, |[a, b, c, kind, flags, ..]| {
            let bytes = u32::from_be_bytes([0, a, b, c]);
            // The last of a stream may be as small as it likes: there are no more of these than
            // streams.
            let is_small = bytes < SMALL_BYTES && flags & END_STREAM == 0;
            if kind == DATA {
                let paid = (bytes / PAYING_BYTES).max(1);
                let left = if is_small { credit.checked_sub(COST) } else { Some(*credit + paid) };
                *credit = left.ok_or("too many small DATA frames")?.min(CREDIT_MAX);
            }
            Ok(bytes as usize)
        });
        counted.map_err(|(_, fault): (_, &str)| io::Error::other(fault))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(bytes: u16, flags: u8) -> Vec<u8> {
        let [a, b] = bytes.to_be_bytes();
        [&[0, a, b, DATA, flags, 0, 0, 0, 1], &vec![0; bytes.into()][..]].concat()
    }

    #[test]
    fn small_frames_may_be_one_in_seventeen() {
        let mut frames = SmallFrames::new();
        let honest = [data(1, 0), data(64, 0).repeat(16)].concat();
        frames.read(&honest.repeat(10_000)).unwrap();
        frames.read(&data(63, 0).repeat(1_024)).unwrap();
        frames.read(&data(63, 0)).unwrap_err();
    }

    /// What Envoy sends of large messages when its client's window is a byte larger than the server's.
    #[test]
    fn one_large_frame_pays_for_a_small_one() {
        let mut frames = SmallFrames::new();
        let passed_on = [data(1, 0), data(16_384, 0)].concat();
        for _ in 0..2_000 {
            frames.read(&passed_on).unwrap();
        }
        frames.read(&data(63, 0).repeat(1_024)).unwrap();
        frames.read(&data(63, 0)).unwrap_err();
    }

    #[test]
    fn the_last_of_a_stream_may_be_small() {
        SmallFrames::new().read(&data(1, END_STREAM).repeat(100_000)).unwrap();
    }

    #[test]
    fn frames_that_are_not_data_pay_for_nothing() {
        let mut frames = SmallFrames::new();
        let unknown = [0, 0, 0, 250, 0, 0, 0, 0, 0].repeat(COST as usize);
        for _ in 0..1_024 {
            frames.read(&[data(1, 0), unknown.clone()].concat()).unwrap();
        }
        frames.read(&data(1, 0)).unwrap_err();
    }
}
