"""Mixed boards, the messages that hold them, and how long the answers are."""

import random

SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def mixed(count, seed=0):
    """Boards with 0 to 81 cells emptied, of which after the first one in ten has a digit changed."""
    dice = random.Random(seed)
    boards = []
    for number in range(count):
        digits = dice.sample("123456789", 9)
        cells = [digits[int(digit) - 1] for digit in SOLVED]
        for _ in range(dice.randrange(82)):
            cells[dice.randrange(81)] = "."
        if (number + seed) % 10 == 9:
            cells[dice.randrange(81)] = dice.choice("123456789")
        boards.append("".join(cells))
    return boards


def framed(boards):
    """A request with these boards, as it stands in a stream."""
    message = b"".join(b"\x0a\x53\x0a\x51" + board.encode() for board in boards)
    return b"\0" + len(message).to_bytes(4, "big") + message


def response_bytes(boards):
    """How long the answer to a message is, as it stands in a stream."""
    return 5 + sum(map(outcome_bytes, boards))


UNITS = [[9 * row + column for column in range(9)] for row in range(9)]
UNITS += [list(column) for column in zip(*UNITS)]
UNITS += [[9 * (box // 3 * 3 + cell // 3) + box % 3 * 3 + cell % 3 for cell in range(9)]
          for box in range(9)]


def outcome_bytes(board):
    conflicts = 0
    for unit in UNITS:
        held = [board[place] for place in unit]
        repeats = (held.count(digit) for digit in "123456789")
        conflicts += sum(2 + 6 + 6 * times for times in repeats if times > 1)
    verdict = 2 + conflicts
    return with_length(with_length(verdict))


def with_length(length):
    """The bytes of a field with so many."""
    return 1 + (1 if length < 128 else 2) + length
