#!/usr/bin/env python3
"""Proves that a server keeps the contract:

prove.py conformance ADDRESS FILE...   every case, through both RPCs
prove.py small-messages ADDRESS        many messages of one board, on fresh connections
prove.py restart ADDRESS SECONDS       calls and a stream, while the server restarts
prove.py speed ADDRESS                 boards a second, one by one and by the thousand
"""

import concurrent.futures
import contextlib
import itertools
import sys
import time

import grpc

import cases
import example
import judge
from sudoku.v1 import sudoku_pb2 as pb
from sudoku.v1 import sudoku_pb2_grpc


@contextlib.contextmanager
def connect(address):
    """A stub with a connection of its own, once it is there."""
    with example.connect(address, *judge.OPTIONS) as channel:
        ready = grpc.channel_ready_future(channel)
        ready.result(timeout=judge.CALL_SECONDS_MAX)
        yield sudoku_pb2_grpc.SudokuServiceStub(channel)


def conformance(address, *paths):
    proof = cases.Conformance(paths)
    with connect(address) as stub:
        for case in itertools.chain(*proof.messages):
            proof.check_case("Validate", case, validate(stub, case.cells))
        proof.close(send(stub, proof))


def validate(stub, cells):
    request = pb.ValidateRequest(board=pb.Board(cells=cells))
    try:
        response = stub.Validate(request, timeout=judge.CALL_SECONDS_MAX)
        return pb.Outcome(verdict=response.verdict)
    except grpc.RpcError as error:
        return cases.outcome_of_error(error)


def send(stub, stream, pause_seconds=0):
    """Sends messages and checks the answers, until an end; returns its status."""
    try:
        # The library draws the requests in a thread of its own: a pause of this loop
        # does not hold them up.
        for response in stub.ValidateMany(
            stream.requests(), timeout=stream.seconds_max, wait_for_ready=True
        ):
            stream.check(response)
            if stream.answered == 1:
                time.sleep(pause_seconds)
    except grpc.RpcError as error:
        return error.code().name
    return "OK"


def small_messages(address):
    tally = judge.Tally()
    for run in range(judge.SMALL_RUNS):
        stream = judge.Stream(judge.mixed(1), count=judge.SMALL_MESSAGES)
        with connect(address) as stub:
            status = send(stub, stream, judge.PAUSE_SECONDS)
        tally.count(stream.finish(status))
        print(f"run {run}: {stream.tally.passed} right answers, {status}")
    judge.close(tally)


def restart(address, seconds):
    seconds = float(seconds)
    stream = judge.Stream(judge.FEW, seconds=seconds)
    with connect(address) as stub, concurrent.futures.ThreadPoolExecutor() as pool:
        calls = pool.submit(call_again_and_again, stub, seconds)
        resumes = 0
        status = send(stub, stream)
        while status == "UNAVAILABLE" and stream.may_resume():
            resumes += 1
            time.sleep(judge.RETRY_SECONDS)
            status = send(stub, stream)
        stream.finish(status)
        tally = calls.result()
    print(
        f"calls: {tally.passed + tally.failed}, stream messages: {stream.sent},"
        f" resumes: {resumes}"
    )
    judge.close(tally, stream.tally)


def call_again_and_again(stub, seconds):
    tally = judge.Tally()
    end = time.monotonic() + seconds
    for number, (request, expected) in enumerate(itertools.cycle(judge.CALLS)):
        if time.monotonic() >= end:
            return tally
        tally.compare(f"call {number}", call(stub, request), expected)


def call(stub, request):
    for _ in range(judge.TRIES_MAX):
        try:
            return stub.Validate(
                request, timeout=judge.CALL_SECONDS_MAX, wait_for_ready=True
            )
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                return error.code().name
            time.sleep(judge.RETRY_SECONDS)
    return "UNAVAILABLE"


def speed(address):
    tally = judge.Tally()
    rates = []
    for boards in (1, 1000):
        stream = judge.Stream(judge.mixed(boards), seconds=judge.SPEED_SECONDS)
        with connect(address) as stub:
            tally.count(stream.finish(send(stub, stream)))
        rates.append(stream.answered * boards / stream.seconds)
    print(
        "one by one: {:.0f} boards/s, by the thousand: {:.0f} boards/s".format(*rates)
    )
    judge.close(tally)


def main(arguments):
    match arguments:
        case ["conformance", address, _, *_]:
            conformance(address, *arguments[2:])
        case ["small-messages", address]:
            small_messages(address)
        case ["restart", address, seconds]:
            restart(address, seconds)
        case ["speed", address]:
            speed(address)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
