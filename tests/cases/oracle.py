"""The contract once more, as plainly as it can be written, for what is not in the cases."""

NINE = range(9)

# The units in the order of the contract, each as its cells in reading order.
UNITS = (
    [("UNIT_ROW", i, [(i, column) for column in NINE]) for i in NINE]
    + [("UNIT_COLUMN", i, [(row, i) for row in NINE]) for i in NINE]
    + [("UNIT_BOX", i, [(i // 3 * 3 + k // 3, i % 3 * 3 + k % 3) for k in NINE]) for i in NINE]
)


def conflicts(cells):
    """Every conflict on a board of 81 cells, as sudoku.v1.Conflict in proto3 JSON."""
    found = []
    for unit, index, places in UNITS:
        for digit in "123456789":
            holders = [(r, c) for r, c in places if cells[r * 9 + c] == digit]
            if len(holders) > 1:
                found.append({
                    "unit": unit,
                    "index": index,
                    "digit": int(digit),
                    "cells": [{"row": r, "column": c} for r, c in holders],
                })
    return found


def outcome(text):
    """The sudoku.v1.Outcome of any text in proto3 JSON, without the description of a fault."""
    text = text.replace("\r\n", "\n")
    lines = text.removesuffix("\n").split("\n")
    for row, line in enumerate(lines):
        for column, character in enumerate(line):
            if character not in ".0123456789":
                if len(lines) == 1:
                    row, column = divmod(column, 9)
                return malformed("INVALID_CHARACTER", row=row, column=column)
    if len(lines) == 1:
        if len(lines[0]) != 81:
            return malformed("WRONG_SHAPE")
    else:
        for row, line in enumerate(lines[:9]):
            if len(line) != 9:
                return malformed("WRONG_SHAPE", row=row)
        if len(lines) != 9:
            return malformed("WRONG_SHAPE")
    return verdict(conflicts("".join(lines)))


def verdict(found):
    return {"verdict": {"valid": not found, **({"conflicts": found} if found else {})}}


def malformed(reason, **place):
    return {"malformed": {"reason": f"MALFORMED_REASON_{reason}", **place}}
