//! Which digits repeat in which units: what the whole check comes down to, in one pass over the text.
//!
//! The plain way is `plain`, and says what every other way must find. `avx512` is for the CPUs
//! that have the instructions.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod plain;

#[cfg(target_arch = "x86_64")]
use avx512::Avx512;

/// What there is to find in 81 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A valid board.
    Nothing,
    /// A board with conflicts.
    Repeats(Repeats),
    /// A byte that is no cell: neither a digit nor `.`.
    NoCell,
}

/// The digits that stand more than once in a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// A bit for each unit that has any, by its ordinal.
    pub units: u32,
    /// In such a unit, bit *d* for the digit *d*, of which there is one at the least; elsewhere nothing.
    /// There are 27 units, and room for 32, as wide as the widest registers.
    pub digits: [u16; 32],
}

/// A way to find them.
pub type Find = fn(&[u8; 81]) -> Found;

/// Finds them in the fastest way that this CPU has.
#[inline]
pub(super) fn find(cells: &[u8; 81]) -> Found {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx512) = Avx512::detect() {
        return avx512.find(cells);
    }
    plain::find(cells)
}

/// All ways that this CPU has, by name: for tests, which hold each to the same answers, and for
/// benchmarks.
#[doc(hidden)]
pub fn ways() -> impl Iterator<Item = (&'static str, Find)> {
    let plain: (_, Find) = ("plain", plain::find);
    #[cfg(target_arch = "x86_64")]
    let avx512 = Avx512::detect().map(|_| {
        let find =
            |cells: &_| Avx512::detect().map_or_else(|| plain::find(cells), |it| it.find(cells));
        ("avx512", find as Find)
    });
    #[cfg(not(target_arch = "x86_64"))]
    let avx512 = None;
    std::iter::once(plain).chain(avx512)
}
