#!/usr/bin/env python3
"""Validates Sudoku boards: example.py ADDRESS [FILE]

FILE has one board of 81 cells a line.
"""

import collections
import itertools
import json
import sys

import grpc
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from sudoku.v1 import sudoku_pb2 as pb
from sudoku.v1 import sudoku_pb2_grpc

# As many as the server takes, unless its operator chose otherwise. One message of many
# boards is far cheaper than many messages of one.
BOARDS_PER_MESSAGE = 1000

# The library tries again by itself when a server is away for a moment. No call has a
# side effect, so that is always safe.
SERVICE_CONFIG = {
    "methodConfig": [
        {
            "name": [{}],
            "retryPolicy": {
                "maxAttempts": 4,
                "initialBackoff": "0.1s",
                "maxBackoff": "1s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ]
}


def connect(address, *options):
    options += (("grpc.service_config", json.dumps(SERVICE_CONFIG)),)
    if address.startswith("unix:"):
        # The library would send the path as :authority, which HTTP/2 does not allow.
        options += (("grpc.default_authority", "localhost"),)
    return grpc.insecure_channel(address, options)


def check_health(channel):
    """Ends the program unless the server takes calls: better to hear it here."""
    request = health_pb2.HealthCheckRequest(service="sudoku.v1.SudokuService")
    response = health_pb2_grpc.HealthStub(channel).Check(request, timeout=5)
    if response.status != health_pb2.HealthCheckResponse.SERVING:
        sys.exit("the server takes no calls now")


def validate(stub, cells):
    """Prints the conflicts of one board, or why the text is no board."""
    request = pb.ValidateRequest(board=pb.Board(cells=cells))
    try:
        # Without a deadline, a call to a server that hangs would hang as well.
        verdict = stub.Validate(request, timeout=5).verdict
    except grpc.RpcError as error:
        if error.code() is not grpc.StatusCode.INVALID_ARGUMENT:
            raise
        print_malformed(error)
        return
    # A board that breaks the rules is a normal answer, never an error.
    for conflict in verdict.conflicts:
        unit = pb.Unit.Name(conflict.unit).removeprefix("UNIT_").lower()
        cells = ", ".join(f"({cell.row}, {cell.column})" for cell in conflict.cells)
        print(f"{unit} {conflict.index} has digit {conflict.digit} at {cells}")


def print_malformed(error):
    """The message is for people, and may change; the details are for programs."""
    print(error.details())
    info, bad_request = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in rpc_status.from_call(error).details:
        if detail.Unpack(info):
            place = [
                f"{k} {info.metadata[k]}"
                for k in ("row", "column")
                if k in info.metadata
            ]
            print(", ".join([f"reason {info.reason}", *place]))
        elif detail.Unpack(bad_request):
            for violation in bad_request.field_violations:
                print(f"field {violation.field}")


def requests(lines):
    """The boards of a file in messages, read only as fast as they are sent."""
    while batch := list(itertools.islice(lines, BOARDS_PER_MESSAGE)):
        boards = [pb.Board(cells=line.rstrip("\n")) for line in batch]
        yield pb.ValidateManyRequest(boards=boards)


def validate_many(stub, path):
    """Counts the valid, invalid and malformed boards of a file."""
    counts = collections.Counter()
    with open(path, encoding="utf-8", errors="replace") as lines:
        # The library draws the requests in a thread of its own, so they go out while
        # the answers come in. To send all of them first could block for ever: a server
        # whose answers nobody reads stops reading, too.
        #
        # A stream that breaks with UNAVAILABLE can be resumed from the first message
        # without an answer. This program gives up; `restart` in prove.py does not.
        for response in stub.ValidateMany(requests(lines), timeout=600):
            for outcome in response.outcomes:
                if outcome.HasField("malformed"):
                    counts["malformed"] += 1
                else:
                    counts["valid" if outcome.verdict.valid else "invalid"] += 1
    print(
        f"{counts.total()} boards, {counts['valid']} valid,"
        f" {counts['invalid']} invalid, {counts['malformed']} malformed"
    )


def main(address, path=None):
    with connect(address) as channel:
        check_health(channel)
        stub = sudoku_pb2_grpc.SudokuServiceStub(channel)
        validate(
            stub,
            "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
        )
        validate(stub, "53--7----")
        if path:
            validate_many(stub, path)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except grpc.RpcError as error:
        sys.exit(f"{error.code().name}: {error.details()}")
