#!/usr/bin/env python3
"""Streams collections of puzzles, one board of 81 cells a line and all of them valid, a hundred
boards a message; then as many mutations of them, which the oracle judges too:

puzzles.py ADDRESS MUTATIONS FILE...
"""

import pathlib
import random
import sys

import grpc
from google.protobuf import json_format

from sudoku.v1 import sudoku_pb2 as pb
from sudoku.v1 import sudoku_pb2_grpc

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tests/cases"))
import oracle

BOARDS_PER_MESSAGE = 100


def outcomes(stub, texts):
    messages = (
        texts[i : i + BOARDS_PER_MESSAGE]
        for i in range(0, len(texts), BOARDS_PER_MESSAGE)
    )
    requests = (
        pb.ValidateManyRequest(boards=[pb.Board(cells=text) for text in message])
        for message in messages
    )
    for response in stub.ValidateMany(requests, timeout=600):
        yield from response.outcomes


def mutate(rng, cells):
    """Puts up to eight digits in, and with every other board breaks or changes its form."""
    cells = list(cells)
    for _ in range(rng.randrange(9)):
        cells[rng.randrange(81)] = rng.choice("123456789")
    text = "".join(cells)
    kind = rng.randrange(8)
    if kind < 4:
        return text
    if kind < 6:
        line_break = rng.choice(["\n", "\r\n"])
        text = line_break.join(text[i : i + 9] for i in range(0, 81, 9))
        text += rng.choice(["", line_break])
    if kind in (5, 6):
        at = rng.randrange(len(text) + 1)
        piece = rng.choice(
            ["", ".", "7", "\n", "\r", "\r\n", "x", " ", "５", "²", "\ufeff", "🎲"]
        )
        text = text[:at] + piece + text[at + rng.randrange(3) :]
    if kind == 7:
        text += rng.choice(["\n", "\r\n", "\n\n", "\r", " "])
    return text


def main(address, mutations, *paths):
    puzzles = [
        line
        for path in paths
        for line in pathlib.Path(path).read_text().split("\n")
        if line
    ]
    assert puzzles, "no puzzles"
    seed = random.randrange(2**32)
    rng = random.Random(seed)
    mutated = [mutate(rng, rng.choice(puzzles)) for _ in range(int(mutations))]
    failed = malformed = invalid = 0
    with grpc.insecure_channel(address) as channel:
        stub = sudoku_pb2_grpc.SudokuServiceStub(channel)
        for cells, found in zip(puzzles, outcomes(stub, puzzles), strict=True):
            if found != pb.Outcome(verdict=pb.Verdict(valid=True)):
                failed += 1
                print(f"not valid: {cells!r}: {found}")
        for text, found in zip(mutated, outcomes(stub, mutated), strict=True):
            if found.HasField("malformed"):
                malformed += 1
                found.malformed.ClearField("description")
            invalid += found.HasField("verdict") and not found.verdict.valid
            expected = json_format.ParseDict(oracle.outcome(text), pb.Outcome())
            if found != expected:
                failed += 1
                print(f"{text!r}: {found}, expected {expected}")
    print(
        f"seed {seed}: {len(puzzles)} puzzles; {len(mutated)} mutations,"
        f" of them {invalid} invalid and {malformed} malformed"
    )
    print(f"{len(puzzles) + len(mutated) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
