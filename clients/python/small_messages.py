#!/usr/bin/env python3
"""Streams 20,000 messages of one board on a fresh connection, 20 times; in half of the runs the
reader pauses for two seconds: small_messages.py ADDRESS"""

import sys
import time

import grpc

from sudoku.v1 import sudoku_pb2 as pb
from sudoku.v1 import sudoku_pb2_grpc

RUNS = 20
MESSAGES = 20_000
PAUSE_SECONDS = 2
CLASSIC = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


def run(address, pauses):
    """How many right answers came, and how the stream ended."""
    request = pb.ValidateManyRequest(boards=[pb.Board(cells=CLASSIC)])
    expected = pb.ValidateManyResponse(outcomes=[pb.Outcome(verdict=pb.Verdict(valid=True))])
    answers = 0
    fresh = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(address, options=fresh) as channel:
        stub = sudoku_pb2_grpc.SudokuServiceStub(channel)
        try:
            for answer in stub.ValidateMany((request for _ in range(MESSAGES)), timeout=120):
                answers += answer == expected
                if pauses and answers == 1:
                    time.sleep(PAUSE_SECONDS)
        except grpc.RpcError as error:
            return answers, error.code().name
    return answers, "OK"


def main(address):
    failed = 0
    for number in range(RUNS):
        pauses = number % 2 == 1
        answers, status = run(address, pauses)
        whole = answers == MESSAGES and status == "OK"
        failed += not whole
        print(f"run {number}{' with a pause' if pauses else ''}: {answers} answers, {status}")
    print(f"{RUNS - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
