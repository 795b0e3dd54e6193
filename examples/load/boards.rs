/// Boards, always the same ones: 88 % valid, 10 % with a digit twice in a row, 1 % with digits at
/// random and so dozens of conflicts, 1 % malformed. Some are full, some nearly empty.
pub fn boards() -> impl Iterator<Item = String> {
    let mut state: usize = 2026; // of xorshift
    let mut roll = move |sides| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % sides
    };
    std::iter::repeat_with(move || board(&mut roll))
}

fn board(roll: &mut impl FnMut(usize) -> usize) -> String {
    let mut digits = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
    digits.sort_by_cached_key(|_| roll(1_000));
    let (kind, filled) = (roll(100), 1 + roll(9));
    let mut cells = ['.'; 81];
    for (index, cell) in cells.iter_mut().enumerate().filter(|_| roll(9) < filled) {
        // In this order, the digits solve a board.
        *cell = digits[(index / 9 * 3 + index / 27 + index) % 9];
    }
    let here = roll(81);
    match kind {
        0 => cells[here] = 'x',
        1 => cells.iter_mut().filter(|c| **c != '.').for_each(|cell| *cell = digits[roll(9)]),
        2..12 => (cells[here], cells[here / 9 * 9 + (here + 1) % 9]) = (digits[0], digits[0]),
        _ => {}
    }
    cells.iter().collect()
}
