//! The way for every CPU: it adds.
//!
//! A digit is worth a one in a place of its own, four bits wide. The sum of a unit then has the count
//! of each digit side by side, and none of them reaches into the next, since a unit has nine cells.
//! Where a count is over one, a digit repeats. There is no branch before the end, so that what the
//! board looks like does not matter.

use super::{Found, Repeats};

/// What a byte that is no cell adds: more than all counts together, and so little that nine of them
/// fit. Where there is one, one of these bits is set.
const NO_CELL: u64 = 1 << 57;
const NO_CELLS: u64 = !(NO_CELL - 1);

/// The bits of a sum that say whether a count of a digit is over one.
const OVER_ONE: u64 = 0xEE_EEEE_EEE0;

/// What each byte adds to the sums of its three units.
static WORTH: [u64; 256] = {
    let mut worth = [NO_CELL; 256];
    worth[b'.' as usize] = 0;
    worth[b'0' as usize] = 0;
    let mut digit = 1;
    while digit <= 9 {
        worth[b'0' as usize + digit] = 1 << (4 * digit);
        digit += 1;
    }
    worth
};

pub(super) fn find(cells: &[u8; 81]) -> Found {
    let sums = sums(cells);
    let all = sums.iter().fold(0, |all, sum| all | sum);
    if all & (OVER_ONE | NO_CELLS) == 0 {
        Found::Nothing
    } else if all & NO_CELLS != 0 {
        Found::NoCell
    } else {
        Found::Repeats(repeats(&sums))
    }
}

/// The sums of all units, by their ordinals.
#[inline]
fn sums(cells: &[u8; 81]) -> [u64; 27] {
    let mut sums = [0; 27];
    let (rows, others) = sums.split_at_mut(9);
    let (columns, boxes) = others.split_at_mut(9);
    for (row, cells) in cells.chunks_exact(9).enumerate() {
        for (third, cells) in cells.chunks_exact(3).enumerate() {
            let mut sum = 0;
            for (column, cell) in (3 * third..).zip(cells) {
                let worth = WORTH[usize::from(*cell)];
                columns[column] += worth;
                sum += worth;
            }
            rows[row] += sum;
            boxes[row / 3 * 3 + third] += sum;
        }
    }
    sums
}

// Out of the way of valid boards, which most are.
#[cold]
fn repeats(sums: &[u64; 27]) -> Repeats {
    let mut repeats = Repeats::default();
    for (unit, (sum, digits)) in sums.iter().zip(&mut repeats.digits).enumerate() {
        let mut over_one = sum & OVER_ONE;
        while over_one != 0 {
            let digit = over_one.trailing_zeros() / 4;
            *digits |= 1 << digit;
            over_one &= !(0xF << (4 * digit));
            repeats.units |= 1 << unit;
        }
    }
    repeats
}
