"""The cases that every client reads, and how they fare in both RPCs.

No call is made here: both Python clients share it.
"""

import itertools
import json
import pathlib
import typing

import grpc
from google.protobuf import json_format
from google.rpc import error_details_pb2
from grpc_status import rpc_status

import judge
from sudoku.v1 import sudoku_pb2 as pb


class Case(typing.NamedTuple):
    name: str
    cells: str
    expected: pb.Outcome
    described: bool = True  # Whether the expected outcome has a description.


def cases(path):
    """The cases of a file, by message."""
    path = pathlib.Path(path)
    if path.suffix == ".json":
        yield [
            Case(f"{path.stem}: {c['name']}", c["cells"], judge.outcome(c["outcome"]))
            for c in json.loads(path.read_text())
        ]
        return
    for line in path.read_text().splitlines():
        c = json.loads(line)
        yield [
            Case(f"{path.stem}: {c['id']}", cells, outcome_in_short(expected), False)
            for cells, expected in zip(c["boards"], c["expect"], strict=True)
        ]


def outcome_in_short(expected):
    """The outcome that a line of shared/cases writes in short form."""
    if "malformed" in expected:
        place = {k: expected[k] for k in ("row", "column") if expected[k] is not None}
        return judge.outcome(judge.oracle.malformed(expected["malformed"], **place))
    conflicts = [
        {
            **conflict,
            "unit": f"UNIT_{conflict['unit']}",
            "cells": [
                {"row": row, "column": column} for row, column in conflict["cells"]
            ],
        }
        for conflict in expected["conflicts"]
    ]
    return judge.outcome(
        {"verdict": {"valid": expected["valid"], "conflicts": conflicts}}
    )


def outcome_of_error(error):
    """The outcome that an error of Validate tells; as text, what else it was."""
    try:
        if error.code() is not grpc.StatusCode.INVALID_ARGUMENT:
            raise ValueError("not the error of a malformed board")
        info = error_details_pb2.ErrorInfo()
        bad_request = error_details_pb2.BadRequest()
        status = rpc_status.from_call(error)
        for detail in status.details if status else ():
            detail.Unpack(info) or detail.Unpack(bad_request)
        violations = [(v.field, v.description) for v in bad_request.field_violations]
        if violations != [("board.cells", error.details())]:
            raise ValueError(f"violations {violations}")
        if info.domain != "sudoku.v1":
            raise ValueError(f"domain {info.domain!r}")
        fault = judge.oracle.malformed(info.reason, **info.metadata)
        fault["malformed"]["description"] = error.details()
        return judge.outcome(fault)
    except (ValueError, json_format.ParseError) as doubt:
        return f"{error.code().name} ({error.details()}): {doubt}"


# What an outcome is compared with that answers no case.
SURPLUS = Case("surplus", "", pb.Outcome())


class Conformance:
    """The cases of some files, one message a file, and how they fare in both RPCs."""

    def __init__(self, paths):
        self.messages = [message for path in paths for message in cases(path)]
        self.answered = 0
        self.seconds_max = judge.STREAM_SECONDS_MAX
        self.tallies = {"Validate": judge.Tally(), "ValidateMany": judge.Tally()}

    def requests(self):
        return (
            judge.request(case.cells for case in message) for message in self.messages
        )

    def check(self, response):
        message = next(iter(self.messages[self.answered :]), [])
        self.answered += 1
        for case, found in itertools.zip_longest(message, response.outcomes):
            self.check_case("ValidateMany", case or SURPLUS, found or "no answer")

    def check_case(self, rpc, case, found):
        if not case.described and isinstance(found, pb.Outcome):
            if found.HasField("malformed"):
                found.malformed.ClearField("description")
        self.tallies[rpc].compare(f"{case.name}, {rpc}", found, case.expected)

    def close(self, status):
        """Judges how ValidateMany ended, and ends the program."""
        for case in itertools.chain(*self.messages[self.answered :]):
            self.check_case("ValidateMany", case, f"no answer, {status}")
        for rpc, tally in self.tallies.items():
            print(f"{rpc}: {tally}")
        judge.close(*self.tallies.values())
