//! Bytes that come in pieces, made of a head that tells a length, and so many bytes after it: the
//! frames of HTTP/2, and the messages of gRPC.

/// Finds the heads of `N` bytes.
#[derive(Debug)]
pub(crate) struct Heads<const N: usize> {
    head: [u8; N],
    /// How much of the head has come.
    head_bytes: usize,
    /// How much is to come after it.
    bytes_left: usize,
    /// How many bytes have come after heads.
    body_bytes: u64,
}

impl<const N: usize> Heads<N> {
    pub(crate) fn new() -> Self {
        Self { head: [0; N], head_bytes: 0, bytes_left: 0, body_bytes: 0 }
    }

    /// Whether what has come ends with a part of a head.
    pub(crate) fn is_in_head(&self) -> bool {
        self.head_bytes > 0
    }

    /// How many bytes have come, without the heads.
    pub(crate) fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    /// Goes over the next bytes. `found` is told each head that is complete, and tells how many bytes
    /// come after it. An error of it comes with the number of bytes before its head.
    pub(crate) fn read<E>(
        &mut self,
        bytes: &[u8],
        mut found: impl FnMut([u8; N]) -> Result<usize, E>,
    ) -> Result<(), (usize, E)> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let skipped = self.bytes_left.min(rest.len());
            self.bytes_left -= skipped;
            self.body_bytes += skipped as u64;
            rest = &rest[skipped..];
            let missing = &mut self.head[self.head_bytes..];
            let taken = missing.len().min(rest.len());
            missing[..taken].copy_from_slice(&rest[..taken]);
            self.head_bytes += taken;
            rest = &rest[taken..];
            if self.head_bytes == N {
                self.head_bytes = 0;
                let before = (bytes.len() - rest.len()).saturating_sub(N);
                self.bytes_left = found(self.head).map_err(|error| (before, error))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_may_come_in_any_pieces() {
        let bytes = [0, 3, 9, 9, 9, 0, 0, 0, 1, 9, 0, 2, 9];
        for piece in 1..=bytes.len() {
            let mut heads = Heads::<2>::new();
            let mut lengths = Vec::new();
            for bytes in bytes.chunks(piece) {
                let found = |[_, length]: [u8; 2]| {
                    lengths.push(length);
                    Ok::<_, ()>(length.into())
                };
                heads.read(bytes, found).unwrap();
            }
            assert_eq!((lengths.as_slice(), heads.body_bytes()), (&[3, 0, 1, 2][..], 5), "{piece}");
        }
    }

    #[test]
    fn an_error_tells_how_much_comes_before_its_head() {
        let mut heads = Heads::<2>::new();
        let refuse = |[flag, length]: [u8; 2]| if flag == 1 { Err(()) } else { Ok(length.into()) };
        assert_eq!(heads.read(&[0, 1, 9, 1, 0, 9], refuse), Err((3, ())));
        let mut heads = Heads::<2>::new();
        heads.read(&[1], refuse).unwrap();
        assert!(heads.is_in_head());
        assert_eq!(heads.read(&[0, 9], refuse), Err((0, ())));
    }
}
