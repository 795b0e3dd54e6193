"""What `prove` streams, and whether it is answered rightly.

No call is made here: both Python clients share it.
"""

import itertools
import math
import pathlib
import sys
import threading
import time

from google.protobuf import json_format, text_format
from google.protobuf.message import Message

from sudoku.v1 import sudoku_pb2 as pb

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tests/cases"))
import oracle
import texts

# A connection of its own for each channel, where the library would share; and one that
# is soon tried again, since a restart is soon over.
OPTIONS = [
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_reconnect_backoff_ms", 1000),
]
CALL_SECONDS_MAX = 10
STREAM_SECONDS_MAX = 120
TRIES_MAX = 200
RETRY_SECONDS = 0.05

SMALL_RUNS = 5
SMALL_MESSAGES = 50_000
PAUSE_SECONDS = 2
SPEED_SECONDS = 5
GRACE_SECONDS = 30


def outcome(expected):
    return json_format.ParseDict(expected, pb.Outcome())


def request(boards):
    return pb.ValidateManyRequest(boards=[pb.Board(cells=cells) for cells in boards])


def pair(boards):
    """A message of boards, and the right answer."""
    outcomes = [outcome(oracle.outcome(cells)) for cells in boards]
    return request(boards), pb.ValidateManyResponse(outcomes=outcomes)


def mixed(boards_per_message):
    """Messages that differ, of boards of which most are valid, as in normal use."""
    circle = itertools.cycle(MIXED)
    return [pair(list(itertools.islice(circle, boards_per_message))) for _ in MIXED]


MIXED = [
    texts.CLASSIC,
    texts.SOLVED,
    texts.CONFLICTING,
    texts.EMPTY,
    texts.CLASSIC.replace(".", "0"),
    texts.SOLVED[:40] + "5" + texts.SOLVED[41:],
    texts.board({(0, 0): 5, (4, 4): 5}),
]

# Message k of 1 + k % 3 boards, of which board i is in conflict if k + i is even.
FEW = [
    pair([(texts.CONFLICTING, texts.CLASSIC)[(k + i) % 2] for i in range(1 + k % 3)])
    for k in range(6)
]

CALLS = [
    (
        pb.ValidateRequest(board=sent.boards[0]),
        pb.ValidateResponse(verdict=answer.outcomes[0].verdict),
    )
    for sent, answer in map(pair, [[texts.CLASSIC], [texts.CONFLICTING]])
]


class Tally:
    """Counts what is right and what is wrong."""

    def __init__(self):
        self.passed = self.failed = 0

    def count(self, right, times=1):
        if right:
            self.passed += times
        else:
            self.failed += times

    def compare(self, name, found, expected):
        """Counts an answer, or text on why there is none, and prints a wrong one."""
        self.count(found == expected)
        if found != expected:
            print(f"{name}: {in_one_line(found)}, expected {in_one_line(expected)}")

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed"


def in_one_line(answer):
    if isinstance(answer, Message):
        answer = text_format.MessageToString(answer, as_utf8=True, as_one_line=True)
    return answer


def close(*tallies):
    """Prints the closing line, and ends the program."""
    whole = Tally()
    for tally in tallies:
        whole.count(True, tally.passed)
        whole.count(False, tally.failed)
    print(whole)
    sys.exit(whole.failed > 0 or whole.passed == 0)


class Stream:
    """Numbered messages, up to a count or for some seconds, and how they are answered.

    Message k and its right answer are pair k of a list that repeats. When the stream
    breaks, `requests` goes on from the first message without an answer.
    """

    WRONG_PRINTED_MAX = 10

    def __init__(self, pairs, count=math.inf, seconds=math.inf):
        self.pairs, self.count = pairs, count
        self.start = time.monotonic()
        self.end = self.start + seconds
        self.seconds_max = STREAM_SECONDS_MAX + (seconds if count == math.inf else 0)
        self.sent = self.answered = 0
        self.tally = Tally()
        # The library may still draw from a broken stream while it draws from the next.
        self.lock = threading.Lock()

    def requests(self):
        number = self.answered
        while number < self.count and (
            time.monotonic() < self.end or number < self.sent
        ):
            with self.lock:
                self.sent = max(self.sent, number + 1)
            yield self.pairs[number % len(self.pairs)][0]
            number += 1

    def check(self, response):
        expected = self.pairs[self.answered % len(self.pairs)][1]
        if self.tally.failed < self.WRONG_PRINTED_MAX:
            self.tally.compare(f"message {self.answered}", response, expected)
        else:
            self.tally.count(response == expected)
        self.answered += 1

    def may_resume(self):
        return time.monotonic() < self.end + GRACE_SECONDS

    def finish(self, status):
        """Judges how it ended, and returns whether every answer came and was right."""
        self.seconds = time.monotonic() - self.start
        due = self.sent if self.count == math.inf else self.count
        if self.answered != due or status != "OK":
            print(f"{self.answered} answers to {due} messages, {status}")
            self.tally.count(False, max(1, abs(due - self.answered)))
        return self.tally.failed == 0
