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

import oracle

HERE = pathlib.Path(__file__).parent
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


def read(name, text, cells=None):
    """A case that is a board; `cells` are its 81 cells where the text is not just them."""
    verdict = oracle.verdict(oracle.conflicts(cells or text))
    return {"name": name, "cells": text, "outcome": verdict}


def malformed(name, text, reason, description, **place):
    fault = oracle.malformed(reason, **place)
    fault["malformed"]["description"] = description
    return {"name": name, "cells": text, "outcome": fault}


def character(name, text, shown, row, column):
    """A case with an invalid character, `shown` as the description shows it."""
    description = f"invalid character {shown} at row {row}, column {column}"
    return malformed(name, text, "INVALID_CHARACTER", description, row=row, column=column)


def cell_count(name, text, found):
    description = f"wrong shape: found {found} cells in one run, expected 81"
    return malformed(name, text, "WRONG_SHAPE", description)


def line_length(name, text, row, found):
    description = f"wrong shape: found {found} cells in row {row}, expected 9"
    return malformed(name, text, "WRONG_SHAPE", description, row=row)


def line_count(name, text, found):
    description = f"wrong shape: found {found} lines of 9 cells, expected 9"
    return malformed(name, text, "WRONG_SHAPE", description)


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


def shapes():
    """Texts of the right characters and the wrong shape."""
    lines = rows(EMPTY).split("\n")

    def with_line(i, line):
        return "\n".join(lines[:i] + [line] + lines[i + 1 :])

    cases = [
        cell_count("empty text", "", 0),
        cell_count("a line break alone", "\n", 0),
        cell_count("one cell", "1", 1),
        cell_count("nine cells", "123456789", 9),
        cell_count("nine cells and a line break", "123456789\n", 9),
        cell_count("80 cells", EMPTY[1:], 80),
        cell_count("80 cells and a line break", EMPTY[1:] + "\r\n", 80),
        cell_count("82 cells", EMPTY + ".", 82),
        cell_count("89 cells, as long as nine lines", "." * 89, 89),
        cell_count("two boards in one run", EMPTY * 2, 162),
        line_length("81 cells and two line breaks", EMPTY + "\n\n", 0, 81),
        line_length("two line breaks alone", "\n\n", 0, 0),
        line_length("81 cells after a line break", "\n" + EMPTY, 0, 0),
        line_length("two boards in two lines", EMPTY + "\n" + EMPTY, 0, 81),
        line_length("nine lines after an empty one", "\n" + rows(EMPTY), 0, 0),
        line_length("an empty line in the middle", with_line(4, ""), 4, 0),
        line_length("81 cells in nine ragged lines",
                    "\n".join([lines[0] + ".", lines[1][1:]] + lines[2:]), 0, 10),
        line_length("a short line and later a long one",
                    "\n".join([lines[0], ".." ] + lines[2:8] + ["." * 12]), 1, 2),
        line_length("27 lines of three", "\n".join(["..."] * 27), 0, 3),
        line_length("two lines, the second short", "\n".join([lines[0], "."]), 1, 1),
        line_length("eight lines, the last short", "\n".join(lines[:7] + ["."]), 7, 1),
        line_count("two lines of nine", "\n".join(lines[:2]), 2),
        line_count("eight lines", "\n".join(lines[:8]), 8),
        line_count("eight lines by \\r\\n", "\r\n".join(lines[:8]) + "\r\n", 8),
        line_count("ten lines", "\n".join(lines + lines[:1]), 10),
        line_count("nine lines and two line breaks", rows(EMPTY) + "\n\n", 10),
        line_count("nine lines and two line breaks, \\r\\n", rows(EMPTY, "\r\n") + "\r\n\r\n", 10),
        line_count("ten lines, the tenth short", "\n".join(lines + ["."]), 10),
        line_count("18 lines", "\n".join(lines * 2), 18),
    ]
    for i in (0, 4, 8):
        cases.append(line_length(f"line {i} with eight cells", with_line(i, "." * 8), i, 8))
        cases.append(line_length(f"line {i} with ten cells", with_line(i, "." * 10), i, 10))
    return cases


def characters():
    """Texts with a character that is no cell: each at the first, a middle and the last place."""
    faults = [
        ("a letter", "x", "'x' (U+0078)"),
        ("a dash", "-", "'-' (U+002D)"),
        ("an asterisk", "*", "'*' (U+002A)"),
        ("an underscore", "_", "'_' (U+005F)"),
        ("a bar", "|", "'|' (U+007C)"),
        ("a space", " ", "' ' (U+0020)"),
        ("a tab", "\t", "'\\t' (U+0009)"),
        ("a comma", ",", "',' (U+002C)"),
        ("a slash, before 0 in ASCII", "/", "'/' (U+002F)"),
        ("a colon, after 9 in ASCII", ":", "':' (U+003A)"),
        ("an apostrophe", "'", "'\\'' (U+0027)"),
        ("a quotation mark", '"', "'\"' (U+0022)"),
        ("a NUL", "\0", "'\\0' (U+0000)"),
        ("a DEL", "\x7f", "'\\u{7f}' (U+007F)"),
        ("a lone \\r", "\r", "'\\r' (U+000D)"),
        ("a form feed", "\f", "'\\u{c}' (U+000C)"),
        ("a line separator", "\u2028", "'\\u{2028}' (U+2028)"),
        ("a next line", "\u0085", "'\\u{85}' (U+0085)"),
        ("a byte order mark", "\ufeff", "'\\u{feff}' (U+FEFF)"),
        ("a no-break space", "\u00a0", "'\\u{a0}' (U+00A0)"),
        ("a superscript two", "²", "'²' (U+00B2)"),
        ("a fullwidth five", "５", "'５' (U+FF15)"),
        ("an Arabic-Indic five", "٥", "'٥' (U+0665)"),
        ("a Devanagari five", "५", "'५' (U+096B)"),
        ("a Roman numeral", "Ⅴ", "'Ⅴ' (U+2164)"),
        ("a middle dot", "·", "'·' (U+00B7)"),
        ("an emoji", "🎲", "'🎲' (U+1F3B2)"),
    ]
    cases = []
    for name, fault, shown in faults:
        for place in (0, 40, 80):
            row, column = divmod(place, 9)
            run = EMPTY[:place] + fault + EMPTY[place + 1 :]
            cases.append(character(f"{name} at {place} of a run", run, shown, row, column))
        lines = rows(EMPTY[:40] + fault + EMPTY[41:])
        cases.append(character(f"{name} in the middle of lines", lines, shown, 4, 4))
    x, dash = "'x' (U+0078)", "'-' (U+002D)"
    cases += [
        character("the first of two faults wins", EMPTY[:10] + "-" + EMPTY[:20] + "x", dash, 1, 1),
        character("a fault wins over too few cells", "12x", x, 0, 2),
        character("a fault wins over too many cells", EMPTY + "....x", x, 9, 4),
        character("a fault after a short line wins", "...\n..x\n", x, 1, 2),
        character("a fault after nine lines wins", rows(EMPTY) + "\nx", x, 9, 0),
        character("a fault past the ninth place of a line", "............x\n" + EMPTY, x, 0, 12),
        character("characters count, not bytes", "５x" + EMPTY, "'５' (U+FF15)", 0, 0),
        character("a fault after 80 cells and a line break", EMPTY[1:] + "\nx", x, 1, 0),
        character("\\r at the very end", EMPTY + "\r", "'\\r' (U+000D)", 9, 0),
        character("\\r\\r\\n at the very end", EMPTY + "\r\r\n", "'\\r' (U+000D)", 9, 0),
        character("\\n\\r between lines", rows(EMPTY, "\n\r"), "'\\r' (U+000D)", 1, 0),
        character("lines by \\r alone", rows(EMPTY, "\r"), "'\\r' (U+000D)", 1, 0),
        character("a byte order mark in front", "\ufeff" + EMPTY, "'\\u{feff}' (U+FEFF)", 0, 0),
        character("a space at the end", EMPTY + " ", "' ' (U+0020)", 9, 0),
        character("a space at the end of a line", rows(EMPTY, " \n"), "' ' (U+0020)", 0, 9),
        character("commas between cells", ",".join(EMPTY), "',' (U+002C)", 0, 1),
        character("a drawn board", "+---+\n|53.|", "'+' (U+002B)", 0, 0),
    ]
    return cases


FILES = {f.__name__: f for f in (units, cells, boundaries, boards, formats, shapes, characters)}


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
