#!/usr/bin/env python3
"""Proves that a server keeps the contract, with asyncio:

prove.py conformance ADDRESS FILE...   every case, through both RPCs
prove.py small-messages ADDRESS        many messages of one board, on fresh connections
prove.py restart ADDRESS SECONDS       calls and a stream, while the server restarts
prove.py speed ADDRESS                 boards a second, one by one and by the thousand
"""

import asyncio
import contextlib
import itertools
import pathlib
import sys
import time

import grpc

import example
from sudoku.v1 import sudoku_pb2 as pb
from sudoku.v1 import sudoku_pb2_grpc

sys.path.append(str(pathlib.Path(__file__).parents[1] / "python"))
import cases
import judge


# How a stream has ended whose true status the library does not tell.
HIDDEN = "hidden"


@contextlib.asynccontextmanager
async def connect(address):
    """A stub with a connection of its own, once it is there."""
    async with example.connect(address, *judge.OPTIONS) as channel:
        await asyncio.wait_for(channel.channel_ready(), judge.CALL_SECONDS_MAX)
        yield sudoku_pb2_grpc.SudokuServiceStub(channel)


async def conformance(address, *paths):
    proof = cases.Conformance(paths)
    async with connect(address) as stub:
        for case in itertools.chain(*proof.messages):
            proof.check_case("Validate", case, await validate(stub, case.cells))
        proof.close(await send(stub, proof))


async def validate(stub, cells):
    request = pb.ValidateRequest(board=pb.Board(cells=cells))
    try:
        response = await stub.Validate(request, timeout=judge.CALL_SECONDS_MAX)
        return pb.Outcome(verdict=response.verdict)
    except grpc.RpcError as error:
        return cases.outcome_of_error(error)


async def send(stub, stream, pause_seconds=0):
    """Sends messages and checks the answers, until an end; returns its status."""
    try:
        # The library draws the requests in a task of its own: a pause of this loop does
        # not hold them up.
        async for response in stub.ValidateMany(
            stream.requests(), timeout=stream.seconds_max, wait_for_ready=True
        ):
            stream.check(response)
            if stream.answered == 1:
                await asyncio.sleep(pause_seconds)
    except grpc.RpcError as error:
        # When a write fails as the stream breaks, the library hides the true status
        # behind one of its own (grpc/grpc#36066).
        hidden = error.details() == "Internal error from Core"
        return HIDDEN if hidden else error.code().name
    return "OK"


async def small_messages(address):
    tally = judge.Tally()
    for run in range(judge.SMALL_RUNS):
        stream = judge.Stream(judge.mixed(1), count=judge.SMALL_MESSAGES)
        async with connect(address) as stub:
            status = await send(stub, stream, judge.PAUSE_SECONDS)
        tally.count(stream.finish(status))
        print(f"run {run}: {stream.tally.passed} right answers, {status}")
    judge.close(tally)


async def restart(address, seconds):
    seconds = float(seconds)
    stream = judge.Stream(judge.FEW, seconds=seconds)
    async with connect(address) as stub:
        calls = asyncio.create_task(call_again_and_again(stub, seconds))
        resumes = 0
        status = await send(stub, stream)
        while status in ("UNAVAILABLE", HIDDEN) and stream.may_resume():
            resumes += 1
            await asyncio.sleep(judge.RETRY_SECONDS)
            status = await send(stub, stream)
        stream.finish(status)
        tally = await calls
    print(
        f"calls: {tally.passed + tally.failed}, stream messages: {stream.sent},"
        f" resumes: {resumes}"
    )
    judge.close(tally, stream.tally)


async def call_again_and_again(stub, seconds):
    tally = judge.Tally()
    end = time.monotonic() + seconds
    for number, (request, expected) in enumerate(itertools.cycle(judge.CALLS)):
        if time.monotonic() >= end:
            return tally
        tally.compare(f"call {number}", await call(stub, request), expected)


async def call(stub, request):
    for _ in range(judge.TRIES_MAX):
        try:
            return await stub.Validate(
                request, timeout=judge.CALL_SECONDS_MAX, wait_for_ready=True
            )
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                return error.code().name
            await asyncio.sleep(judge.RETRY_SECONDS)
    return "UNAVAILABLE"


async def speed(address):
    tally = judge.Tally()
    rates = []
    for boards in (1, 1000):
        stream = judge.Stream(judge.mixed(boards), seconds=judge.SPEED_SECONDS)
        async with connect(address) as stub:
            tally.count(stream.finish(await send(stub, stream)))
        rates.append(stream.answered * boards / stream.seconds)
    print(
        "one by one: {:.0f} boards/s, by the thousand: {:.0f} boards/s".format(*rates)
    )
    judge.close(tally)


def main(arguments):
    match arguments:
        case ["conformance", address, _, *_]:
            return conformance(address, *arguments[2:])
        case ["small-messages", address]:
            return small_messages(address)
        case ["restart", address, seconds]:
            return restart(address, seconds)
        case ["speed", address]:
            return speed(address)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
