"""Texts that are no boards, each with its fault written out by hand."""

import oracle
from texts import EMPTY, rows


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
    description = f"wrong shape: found {found} lines, expected 9"
    return malformed(name, text, "WRONG_SHAPE", description)


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


INVALID = [
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


def characters():
    """Texts with a character that is no cell: each at the first, a middle and the last place."""
    cases = []
    for name, fault, shown in INVALID:
        for place in (0, 40, 80):
            row, column = divmod(place, 9)
            run = EMPTY[:place] + fault + EMPTY[place + 1 :]
            cases.append(character(f"{name} at {place} of a run", run, shown, row, column))
        lines = rows(EMPTY[:40] + fault + EMPTY[41:])
        cases.append(character(f"{name} in the middle of lines", lines, shown, 4, 4))
    return cases + places()


def places():
    """Where the first fault of several stands, and what counts as a place."""
    x, dash = "'x' (U+0078)", "'-' (U+002D)"
    return [
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


FILES = (shapes, characters)
