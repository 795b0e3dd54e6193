"""The load that is shown: calls that grow, clients that send what is wrong, streams."""

import concurrent.futures
import contextlib
import itertools
import threading
import time

import load
from load import VALIDATE

# Unary calls of each of the callers, a second.
CALLERS = 2
SLOWEST, FASTEST = 20, 150
# In one burst.
MALFORMED, GARBAGE = 120, 40
STREAMS, MESSAGES_A_STREAM, BOARDS_A_MESSAGE, MESSAGE_SECONDS = 4, 5, 10, 0.1
BOARDS_MAX = 100


def run(generator, seconds):
    """Works for so many seconds, and fails at an answer that is not as expected."""
    plan = [
        *[(0, caller)] * CALLERS,
        (0, others),
        (0.4, bad_clients),
        *[(0.6, streams)] * STREAMS,
    ]
    start = time.monotonic()

    def begin(share, work):
        time.sleep(max(0, start + share * seconds - time.monotonic()))
        with generator.connect() as channel:
            work(generator, channel, seconds)

    with concurrent.futures.ThreadPoolExecutor(len(plan)) as pool:
        for done in [pool.submit(begin, *step) for step in plan]:
            done.result()


def caller(generator, channel, seconds):
    kinds = itertools.cycle(["valid"] * 4 + ["invalid"])
    validate = lambda _: generator.validate(channel, next(kinds))
    load.paced(load.ramp(SLOWEST, FASTEST, 0.3 * seconds), validate)
    load.paced(load.ramp(FASTEST, FASTEST, 0.6 * seconds), validate)
    load.paced(load.ramp(FASTEST, SLOWEST, 0.1 * seconds), validate)


def others(generator, channel, seconds):
    """Every second, all other methods, and what is wrong: a series grows from its second call on."""

    def send(_):
        generator.others(channel)
        generator.validate(channel, "WRONG_SHAPE")
        generator.call(channel, VALIDATE, b"\xff", "INTERNAL")

    load.paced(load.ramp(1, 1, seconds), send)


def bad_clients(generator, channel, seconds):
    kinds = itertools.cycle(["INVALID_CHARACTER", "INVALID_CHARACTER", "WRONG_SHAPE"])

    def send(number):
        generator.validate(channel, next(kinds))
        if number % (MALFORMED // GARBAGE) == 0:
            generator.call(channel, VALIDATE, b"\xff", "INTERNAL")

    load.paced(load.ramp(MALFORMED, MALFORMED, 0.15 * seconds), send)


def streams(generator, channel, seconds):
    """Streams of half a second, one after the other, which end in different ways."""
    kinds = itertools.cycle(["valid"] * 6 + ["invalid"] * 2 + ["INVALID_CHARACTER", "WRONG_SHAPE"])
    too_many = load.many(["valid"] * (BOARDS_MAX + 1))
    ends = itertools.cycle(["OK", "CANCELLED", "OK", "INVALID_ARGUMENT"])
    stop = time.monotonic() + 0.3 * seconds
    while time.monotonic() < stop:
        messages = [
            list(itertools.islice(kinds, BOARDS_A_MESSAGE)) for _ in range(MESSAGES_A_STREAM)
        ]
        end = next(ends)
        last = too_many if end == "INVALID_ARGUMENT" else None
        generator.stream(channel, messages, end, MESSAGE_SECONDS, last)


def ends_of_calls(generator, has_begun):
    """Calls that end by their deadline, or are given up before their message has come."""
    with generator.connect() as channel:
        for _ in range(5):
            generator.half(channel, "DEADLINE_EXCEEDED", has_begun)
            generator.half(channel, "CANCELLED", has_begun)
        generator.stream(channel, [["valid", "WRONG_SHAPE"], []], "DEADLINE_EXCEEDED")


@contextlib.contextmanager
def full_of_calls(generator, most, shed):
    """As many streams as calls are taken, and some more calls, which are turned away."""
    with contextlib.ExitStack() as stack:
        channels = [stack.enter_context(generator.connect()) for _ in range(2)]
        everyone = threading.Barrier(most + 1, timeout=load.CALL_SECONDS_MAX)
        over = threading.Event()

        def hold():
            everyone.wait()
            over.wait()

        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(most))
        # Whatever happens, they end.
        stack.callback(over.set)
        held = [
            pool.submit(generator.stream, channel, [["valid"]], hold=hold)
            for channel in itertools.islice(itertools.cycle(channels), most)
        ]
        everyone.wait()
        for _ in range(shed):
            generator.call(channels[0], VALIDATE, load.one("valid"), "RESOURCE_EXHAUSTED")
            generator.counts.shed += 1
        yield
        over.set()
        for stream in held:
            stream.result()
