"""The texts that cases are made of."""

NINE = range(9)

CLASSIC = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
CONFLICTING = "8" + CLASSIC[1:]
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
EMPTY = "." * 81


def board(digits, base=EMPTY):
    """The text of `base` with the digits of {(row, column): digit} put in."""
    cells = list(base)
    for (row, column), digit in digits.items():
        cells[row * 9 + column] = str(digit)
    return "".join(cells)


def rows(cells, line_break="\n"):
    return line_break.join(cells[i : i + 9] for i in range(0, 81, 9))
