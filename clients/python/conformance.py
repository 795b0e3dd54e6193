#!/usr/bin/env python3
"""Sends every case through both RPCs and compares the outcomes: conformance.py ADDRESS FILE..."""

import json
import pathlib
import sys

import grpc
from google.protobuf import json_format
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from sudoku.v1 import sudoku_pb2 as pb
from sudoku.v1 import sudoku_pb2_grpc


def cases(path):
    """The boards of a file by message, each with its name and its outcome."""
    if path.suffix == ".json":
        cases = json.loads(path.read_text())
        return [[(f"{path.stem}: {c['name']}", c["cells"], c["outcome"]) for c in cases]]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [
        [(f"{path.stem}: {c['id']}", cells, outcome_of_line(expected))
         for cells, expected in zip(c["boards"], c["expect"], strict=True)]
        for c in lines
    ]


def outcome_of_line(expected):
    """An expectation in short form, as an Outcome in proto3 JSON."""
    if "malformed" in expected:
        fault = {"reason": "MALFORMED_REASON_" + expected["malformed"]}
        fault |= {k: expected[k] for k in ("row", "column") if expected[k] is not None}
        return {"malformed": fault}
    conflicts = [
        {**c, "unit": "UNIT_" + c["unit"], "cells": [{"row": r, "column": col} for r, col in c["cells"]]}
        for c in expected["conflicts"]
    ]
    return {"verdict": {"valid": expected["valid"], "conflicts": conflicts}}


def validate(stub, cells):
    """The answer of Validate as an Outcome."""
    try:
        response = stub.Validate(pb.ValidateRequest(board=pb.Board(cells=cells)), timeout=10)
        return pb.Outcome(verdict=response.verdict)
    except grpc.RpcError as error:
        if error.code() != grpc.StatusCode.INVALID_ARGUMENT:
            raise
        return pb.Outcome(malformed=malformed(error))


def malformed(error):
    """What the details of an error tell of a malformed board, once they are found to agree."""
    info, bad_request = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in rpc_status.from_call(error).details:
        detail.Unpack(info) or detail.Unpack(bad_request)
    (violation,) = bad_request.field_violations
    assert violation.field == "board.cells", violation
    assert violation.description == error.details(), violation
    assert info.domain == "sudoku.v1", info
    return pb.MalformedBoard(
        reason=f"MALFORMED_REASON_{info.reason}",
        description=error.details(),
        **{key: int(index) for key, index in info.metadata.items()},
    )


def same(found, expected):
    """Whether an outcome is as expected; a description only where one is expected."""
    expected = json_format.ParseDict(expected, pb.Outcome())
    if found.HasField("malformed") and not expected.malformed.description:
        found.malformed.ClearField("description")
    return found == expected


# Over a Unix socket, the library would send the path as :authority, which HTTP/2 does not allow.
OPTIONS = [("grpc.default_authority", "localhost")]


def main(address, *paths):
    messages = [message for path in paths for message in cases(pathlib.Path(path))]
    assert messages, "no cases"
    passed = failed = 0
    with grpc.insecure_channel(address, options=OPTIONS) as channel:
        stub = sudoku_pb2_grpc.SudokuServiceStub(channel)
        requests = [pb.ValidateManyRequest(boards=[pb.Board(cells=cells) for _, cells, _ in message])
                    for message in messages]
        responses = list(stub.ValidateMany(iter(requests), timeout=60))
        for message, response in zip(messages, responses, strict=True):
            for (name, cells, expected), many in zip(message, response.outcomes, strict=True):
                for rpc, found in (("Validate", validate(stub, cells)), ("ValidateMany", many)):
                    if same(found, expected):
                        passed += 1
                    else:
                        failed += 1
                        print(f"{name}, {rpc}: {found}, expected {expected}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
