//! The way for x86-64 with AVX-512 VBMI: all 27 units at once.
//!
//! A register of 32 lanes of 16 bits has a lane for each unit. In nine steps, each lane gets the next
//! cell of its unit, as a bit for its digit, and looks whether it has had that bit before.

#![expect(unsafe_code, reason = "loads from memory, and calls of what only some CPUs have")]

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_cmpeq_epi8_mask, _mm512_cmple_epu8_mask, _mm512_loadu_si512,
    _mm512_mask_test_epi16_mask, _mm512_maskz_loadu_epi8, _mm512_maskz_mov_epi16,
    _mm512_maskz_permutex2var_epi8, _mm512_or_si512, _mm512_set1_epi8, _mm512_set1_epi16,
    _mm512_setzero_si512, _mm512_sllv_epi16, _mm512_storeu_si512, _mm512_ternarylogic_epi32,
    _mm512_xor_si512,
};

use super::super::unit::CELLS;
use super::{Found, Repeats};

/// Exclusive or with `b'0'` gives each byte another, so that just the digits become 0 to 9, and just a
/// dot 30: so far, that a bit shifted by it falls out of its lane.
const ZERO: i8 = 0x30;
const DOT: i8 = 30;

/// The bytes of the second register that are cells: 81 less 64.
const REST: u64 = (1 << 17) - 1;

/// The low bytes of all lanes, which take a cell. The high ones stay zero, since a shift is by all of
/// its lane.
const LOW_BYTES: u64 = 0x5555_5555_5555_5555;

/// The lanes of units. The others get the first cell each time, which looks like a repeat.
const UNITS: u32 = (1 << 27) - 1;

/// The bits of the digits 1 to 9. An empty cell that is written `0` has bit 0.
const DIGITS: i16 = 0x3FE;

/// `a & b | c`, as the instruction takes it: what was seen, and is there again, or has repeated before.
const AND_OR: i32 = 0xEA;

/// For each step, the places of the cells that the lanes get, in their low bytes: from 64 on, in the
/// second register.
static STEPS: [[u8; 64]; 9] = {
    let mut steps = [[0; 64]; 9];
    let mut step = 0;
    while step < 9 {
        let mut unit = 0;
        while unit < 27 {
            steps[step][2 * unit] = CELLS[unit][step];
            unit += 1;
        }
        step += 1;
    }
    steps
};

/// Proof that the CPU has the instructions.
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi");
        has.then_some(Self(()))
    }

    #[inline]
    pub(super) fn find(self, cells: &[u8; 81]) -> Found {
        let Self(()) = self;
        // SAFETY: the CPU has the instructions that `find` enables, or else there were no `Self`.
        unsafe { find(cells) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn find(cells: &[u8; 81]) -> Found {
    // SAFETY: the 64 bytes are the first of 81, and of the second 64 only the 17 are read that are
    // in the mask.
    let (first, rest) = unsafe {
        let first = _mm512_loadu_si512(cells.as_ptr().cast());
        (first, _mm512_maskz_loadu_epi8(REST, cells[64..].as_ptr().cast()))
    };
    let zero = _mm512_set1_epi8(ZERO);
    let (first, rest) = (_mm512_xor_si512(first, zero), _mm512_xor_si512(rest, zero));
    if are_cells(first) != u64::MAX || are_cells(rest) & REST != REST {
        return Found::NoCell;
    }
    let one = _mm512_set1_epi16(1);
    let (mut seen, mut repeated) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for places in &STEPS {
        // SAFETY: there are 64 bytes.
        let places = unsafe { _mm512_loadu_si512(places.as_ptr().cast()) };
        let values = _mm512_maskz_permutex2var_epi8(LOW_BYTES, first, places, rest);
        let bits = _mm512_sllv_epi16(one, values);
        repeated = _mm512_ternarylogic_epi32::<AND_OR>(seen, bits, repeated);
        seen = _mm512_or_si512(seen, bits);
    }
    match _mm512_mask_test_epi16_mask(UNITS, repeated, _mm512_set1_epi16(DIGITS)) {
        0 => Found::Nothing,
        units => Found::Repeats(Repeats { units, digits: digits(repeated, units) }),
    }
}

/// A bit for each byte that is the value of a cell.
#[target_feature(enable = "avx512f,avx512bw")]
fn are_cells(values: __m512i) -> u64 {
    _mm512_cmple_epu8_mask(values, _mm512_set1_epi8(9))
        | _mm512_cmpeq_epi8_mask(values, _mm512_set1_epi8(DOT))
}

/// The digits of those units, and nothing of other lanes.
#[target_feature(enable = "avx512f,avx512bw")]
fn digits(repeated: __m512i, units: u32) -> [u16; 32] {
    let of_units = _mm512_and_si512(repeated, _mm512_set1_epi16(DIGITS));
    let mut digits = [0; 32];
    // SAFETY: 32 lanes of 16 bits are 64 bytes.
    unsafe {
        _mm512_storeu_si512(digits.as_mut_ptr().cast(), _mm512_maskz_mov_epi16(units, of_units));
    }
    digits
}
