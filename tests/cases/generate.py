#!/usr/bin/env python3
"""Writes the cases of this folder: boards, and the outcome that the contract gives each.

Verdicts come from the naive oracle beside this file; faults are written out by hand, and the
oracle must agree. Every file is a JSON list of {"name", "cells", "outcome"}, where the outcome is
a sudoku.v1.Outcome in proto3 JSON, so that a client in any language reads it with its own protobuf
library.

With --check, writes nothing and fails if a file is not what it would write.
"""

import copy
import json
import pathlib
import sys

import faults
import oracle
from texts import CLASSIC, CONFLICTING, EMPTY, NINE, SOLVED, board, rows

HERE = pathlib.Path(__file__).parent


def read(name, text, cells=None):
    """A case that is a board; `cells` are its 81 cells where the text is not just them."""
    verdict = oracle.verdict(oracle.conflicts(cells or text))
    return {"name": name, "cells": text, "outcome": verdict}


def units():
    """A pair in each unit alone, for each digit in turn."""
    cases = []
    for i in NINE:
        digit = i + 1
        cases.append(read(f"row {i} alone", board({(i, 0): digit, (i, 4): digit})))
    for i in NINE:
        digit = 9 - i
        cases.append(read(f"column {i} alone", board({(0, i): digit, (8, i): digit})))
    for i in NINE:
        top, left = i // 3 * 3, i % 3 * 3
        cases.append(read(f"box {i} alone", board({(top, left): 5, (top + 1, left + 1): 5})))
    return cases


def cells():
    """Each cell of the board: alone, and in conflict with its opposite in row, column and box."""
    cases = []
    for place in range(81):
        row, column = divmod(place, 9)
        digit = place % 9 + 1
        here = f"cell ({row}, {column})"
        cases.append(read(f"{here} alone", board({(row, column): digit})))
        others = {
            "row": (row, 8 - column if column != 4 else 0),
            "column": (8 - row if row != 4 else 0, column),
            "box": (row // 3 * 3 + (row + 1) % 3, column // 3 * 3 + (column + 1) % 3),
        }
        for unit, other in others.items():
            cases.append(read(f"{here} repeats in its {unit}",
                              board({(row, column): digit, other: digit})))
    return cases


def boundaries():
    """Pairs that touch across the edges of boxes, and that share no unit or just one."""
    cases = []
    for edge in (3, 6):
        for other in NINE:
            cases.append(read(f"across the edge of columns {edge - 1} and {edge}, row {other}",
                              board({(other, edge - 1): 7, (other, edge): 7})))
            cases.append(read(f"across the edge of rows {edge - 1} and {edge}, column {other}",
                              board({(edge - 1, other): 7, (edge, other): 7})))
        for corner in (3, 6):
            cases.append(read(f"diagonal across the corner at ({edge}, {corner}) is valid",
                              board({(edge - 1, corner - 1): 7, (edge, corner): 7})))
            cases.append(read(f"other diagonal across the corner at ({edge}, {corner}) is valid",
                              board({(edge - 1, corner): 7, (edge, corner - 1): 7})))
    cases.append(read("the end of one row and the start of the next share nothing",
                      board({(0, 8): 1, (1, 0): 1, (4, 8): 2, (5, 0): 2})))
    cases.append(read("main diagonal of one digit conflicts in the three boxes on it",
                      board({(i, i): 4 for i in NINE})))
    return cases


def boards():
    """Whole boards: valid, unsolvable, and with many conflicts."""
    most_of_a_row = {(0, i): i + 1 for i in range(8)}
    cyclic = "".join(str((i * 3 + i // 3 + j) % 9 + 1) for i in NINE for j in NINE)
    four_digits = "".join(str((c + r) % 4 + 1) for r in NINE for c in NINE)
    cases = [
        read("the classic puzzle is valid", CLASSIC),
        read("the classic puzzle solved is valid", SOLVED),
        read("the classic puzzle with 8 in its top left corner", CONFLICTING),
        read("the empty board is valid", EMPTY),
        read("unsolvable but valid", board({**most_of_a_row, (4, 8): 9})),
        read("two 5s share only a row", board({(0, 0): 5, (0, 4): 5})),
        read("two 5s share only a column", board({(0, 0): 5, (8, 0): 5})),
        read("two 5s share only a box", board({(0, 0): 5, (1, 1): 5})),
        read("two 5s share a row and a box", board({(0, 0): 5, (0, 1): 5})),
        read("two 5s share a column and a box", board({(0, 0): 5, (1, 0): 5})),
        read("two 5s share nothing", board({(0, 0): 5, (4, 4): 5})),
        read("a triple in a row is one conflict", board({(3, 0): 2, (3, 4): 2, (3, 8): 2})),
        read("a triple in a column is one conflict", board({(0, 3): 2, (4, 3): 2, (8, 3): 2})),
        read("a triple in a box is one conflict", board({(6, 6): 2, (7, 7): 2, (8, 8): 2})),
        read("two digits repeat in one row, in order of digit",
             board({(2, 0): 9, (2, 4): 9, (2, 1): 1, (2, 5): 1})),
        read("independent conflicts in a row, a column and a box",
             board({(0, 0): 1, (0, 8): 1, (4, 4): 5, (8, 4): 5, (6, 6): 9, (7, 7): 9})),
        read("nine of one digit in a row", board({(5, i): 6 for i in NINE})),
        read("81 of one digit: all 27 units", "1" * 81),
        read("every row the same: columns and boxes", "123456789" * 9),
        read("every column the same: rows and boxes", "".join(str(r + 1) * 9 for r in NINE)),
        read("a full board with no conflict", cyclic),
        read("a full board with one digit changed", board({(4, 4): cyclic[0]}, cyclic)),
        read("four digits everywhere: all 108 conflicts", four_digits),
    ]
    assert len(cases[-1]["outcome"]["verdict"]["conflicts"]) == 108
    assert cases[2]["outcome"]["verdict"]["conflicts"] == [
        {"unit": "UNIT_COLUMN", "index": 0, "digit": 8,
         "cells": [{"row": 0, "column": 0}, {"row": 3, "column": 0}]},
        {"unit": "UNIT_BOX", "index": 0, "digit": 8,
         "cells": [{"row": 0, "column": 0}, {"row": 2, "column": 2}]},
    ]
    return cases


def formats():
    """The same boards in every form that the contract allows."""
    cases = []
    for name, cells in (("valid", CLASSIC), ("conflicting", CONFLICTING)):
        zeros = cells.replace(".", "0")
        mixed = "".join("0" if c == "." and i % 2 else c for i, c in enumerate(cells))
        cases += [
            read(f"{name}, 0 for empty", zeros, cells),
            read(f"{name}, . and 0 mixed", mixed, cells),
            read(f"{name}, one run and \\n", cells + "\n", cells),
            read(f"{name}, one run and \\r\\n", cells + "\r\n", cells),
            read(f"{name}, lines by \\n", rows(cells), cells),
            read(f"{name}, lines by \\n, one more at the end", rows(cells) + "\n", cells),
            read(f"{name}, lines by \\r\\n", rows(cells, "\r\n"), cells),
            read(f"{name}, lines by \\r\\n, one more at the end", rows(cells, "\r\n") + "\r\n", cells),
            read(f"{name}, lines by \\n, \\r\\n at the end", rows(cells) + "\r\n", cells),
            read(f"{name}, lines by both",
                 rows(cells).replace("\n", "\r\n", 4), cells),
            read(f"{name}, lines of 0", rows(zeros), cells),
        ]
    return cases


FILES = {f.__name__: f for f in (units, cells, boundaries, boards, formats, *faults.FILES)}


def main():
    stale = []
    for name, make in FILES.items():
        cases = make()
        names = [case["name"] for case in cases]
        assert len(set(names)) == len(names), f"{name}: two cases of one name"
        for case in cases:
            expected = copy.deepcopy(case["outcome"])
            expected.get("malformed", {}).pop("description", None)
            assert oracle.outcome(case["cells"]) == expected, case["name"]
        lines = ",\n".join(json.dumps(case, ensure_ascii=True) for case in cases)
        text = f"[\n{lines}\n]\n"
        path = HERE / f"{name}.json"
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(path.name)
    stale += [p.name for p in HERE.glob("*.json") if p.stem not in FILES]
    if stale:
        sys.exit(f"not as generate.py writes them: {', '.join(stale)}")


if __name__ == "__main__":
    main()
