"""Calls of every kind and end, at a known pace, and what a server must have counted of them.

Messages are bytes here, so that every one is counted as it went over the wire.
"""

import collections
import contextlib
import math
import pathlib
import queue
import socket
import sys
import threading
import time

import grpc
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from sudoku.v1 import sudoku_pb2 as pb

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tests/cases"))
import texts

VALIDATE = "/sudoku.v1.SudokuService/Validate"
VALIDATE_MANY = "/sudoku.v1.SudokuService/ValidateMany"
HEALTH = "/grpc.health.v1.Health/"
REFLECTION = "/grpc.reflection.{}.ServerReflection/ServerReflectionInfo"
CALL_SECONDS_MAX = 30

# A text of each kind.
TEXTS = {
    "valid": texts.CLASSIC,
    "invalid": texts.CONFLICTING,
    "INVALID_CHARACTER": texts.CLASSIC[:80] + "x",
    "WRONG_SHAPE": texts.CLASSIC[:80],
}


def one(kind):
    return pb.ValidateRequest(board=pb.Board(cells=TEXTS[kind])).SerializeToString()


def many(kinds):
    boards = [pb.Board(cells=TEXTS[kind]) for kind in kinds]
    return pb.ValidateManyRequest(boards=boards).SerializeToString()


def kind_of(outcome):
    if outcome.HasField("malformed"):
        return pb.MalformedReason.Name(outcome.malformed.reason).removeprefix(
            "MALFORMED_REASON_"
        )
    return "valid" if outcome.verdict.valid else "invalid"


class Counts:
    """What a server must have counted."""

    def __init__(self):
        self.lock = threading.Lock()
        self.ended = collections.Counter()  # by method and status, as the next two
        self.received = collections.Counter()
        self.sent = collections.Counter()
        self.boards = collections.Counter(dict.fromkeys(TEXTS, 0))
        self.shed = self.connections = self.refused = 0

    def end(self, path, status, received, sent):
        with self.lock:
            self.ended[path[1:], status] += 1
            self.received[path[1:], status] += received
            self.sent[path[1:], status] += sent

    def answered(self, kinds):
        with self.lock:
            self.boards.update(kinds)


class Load:
    def __init__(self, address, certificate):
        self.address = address
        self.credentials = grpc.ssl_channel_credentials(certificate)
        self.counts = Counts()

    @contextlib.contextmanager
    def connect(self):
        # A connection of its own, where the library would share.
        options = [("grpc.use_local_subchannel_pool", 1)]
        with grpc.secure_channel(self.address, self.credentials, options) as channel:
            grpc.channel_ready_future(channel).result(timeout=CALL_SECONDS_MAX)
            with self.counts.lock:
                self.counts.connections += 1
            yield channel

    def call(self, channel, path, message, expected="OK", counted=None):
        """A unary call, and its answer."""
        status, answer = "OK", b""
        try:
            answer = channel.unary_unary(path)(message, timeout=CALL_SECONDS_MAX)
        except grpc.RpcError as error:
            status = error.code().name
        assert status == expected, f"{path}: {status}, expected {expected}"
        # A call that is turned away is not read.
        received = 0 if status == "RESOURCE_EXHAUSTED" else len(message)
        self.counts.end(counted or path, status, received, len(answer))
        return answer

    def validate(self, channel, kind):
        malformed = kind not in ("valid", "invalid")
        expected = "INVALID_ARGUMENT" if malformed else "OK"
        answer = self.call(channel, VALIDATE, one(kind), expected)
        if not malformed:
            verdict = pb.ValidateResponse.FromString(answer).verdict
            assert verdict.valid == (kind == "valid"), kind
        self.counts.answered([kind])

    def stream(self, channel, messages, end="OK", pause_seconds=0.0, last=None, hold=None):
        """A stream of messages of boards, each sent when the one before is answered.

        `last` is a message that is not answered; `hold` is done before the stream ends.
        """
        requests = queue.SimpleQueue()
        # The server's own clock ends it: the library's would race it.
        metadata = [("grpc-timeout", "300m")] if end == "DEADLINE_EXCEEDED" else None
        call = channel.stream_stream(VALIDATE_MANY)(iter(requests.get, None), metadata=metadata)
        received = sent = 0
        for kinds in messages:
            time.sleep(pause_seconds)
            message = many(kinds)
            requests.put(message)
            answer = next(call)
            outcomes = pb.ValidateManyResponse.FromString(answer).outcomes
            assert [kind_of(outcome) for outcome in outcomes] == kinds
            self.counts.answered(kinds)
            received += len(message)
            sent += len(answer)
        if hold:
            hold()
        if last:
            requests.put(last)
            received += len(last)
        elif end == "CANCELLED":
            call.cancel()
        elif end == "OK":
            requests.put(None)
        assert call.code().name == end, f"{call.code()}, expected {end}"
        requests.put(None)
        self.counts.end(VALIDATE_MANY, end, received, sent)

    def half(self, channel, end, has_begun):
        """A unary call whose message does not come, which ends by its deadline or is given up."""
        never = queue.SimpleQueue()
        metadata = [("grpc-timeout", "300m")] if end == "DEADLINE_EXCEEDED" else None
        call = channel.stream_unary(VALIDATE).future(iter(never.get, None), metadata=metadata)
        if end == "CANCELLED":
            has_begun()
            call.cancel()
        assert call.code().name == end, f"{call.code()}, expected {end}"
        never.put(None)
        self.counts.end(VALIDATE, end, 0, 0)

    def others(self, channel):
        """A call of every other method, and of none."""
        service = health_pb2.HealthCheckRequest(service="sudoku.v1.SudokuService")
        self.call(channel, HEALTH + "Check", service.SerializeToString())
        self.call(channel, HEALTH + "List", b"")
        self.call(channel, "/sudoku.v1.SudokuService/Solve", b"", "UNIMPLEMENTED", "/other")
        watch = channel.unary_stream(HEALTH + "Watch")(b"")
        answer = next(watch)
        watch.cancel()
        assert watch.code() is grpc.StatusCode.CANCELLED
        self.counts.end(HEALTH + "Watch", "CANCELLED", 0, len(answer))
        request = reflection_pb2.ServerReflectionRequest(list_services="*").SerializeToString()
        for version in ("v1", "v1alpha"):
            path = REFLECTION.format(version)
            answers = list(channel.stream_stream(path)(iter([request])))
            self.counts.end(path, "OK", len(request), sum(map(len, answers)))

    @contextlib.contextmanager
    def full_of_connections(self, most, refused):
        """As many silent connections as are taken, and some more, which are refused."""
        host, port = self.address.rsplit(":", 1)
        with contextlib.ExitStack() as stack:
            connect = lambda: stack.enter_context(socket.create_connection((host, int(port))))
            for _ in range(most):
                connect()
            for _ in range(refused):
                connection = connect()
                connection.settimeout(CALL_SECONDS_MAX)
                with contextlib.suppress(ConnectionResetError):
                    assert connection.recv(1) == b""
            self.counts.connections += most
            self.counts.refused += refused
            yield


def ramp(first, last, seconds):
    """When calls are due whose rate rises or falls evenly, in seconds."""
    count = round((first + last) / 2 * seconds)
    for number in range(count):
        if first == last:
            yield number / first
        else:
            slope = (last - first) / seconds
            yield (math.sqrt(first**2 + 2 * slope * number) - first) / slope


def paced(due, work):
    """Works at each time that is due, or as soon after it as can be."""
    start = time.monotonic()
    for number, seconds in enumerate(due):
        time.sleep(max(0.0, start + seconds - time.monotonic()))
        work(number)
