#!/usr/bin/env python3
"""Fails unless each of h2spec's cases passes at a server: h2spec.py CASES NAME HOST:PORT [FLAG...]

Many cases are a request and then a frame that may not follow it. h2spec writes them one by one, and
a server that has answered and closed the stream before the second one comes may ignore it (RFC 9113,
section 5.1), but fails the case. Which comes first is chance, with plain hyper too. So h2spec talks
through a relay that holds back what it writes until it pauses: a server gets a case as a whole.
"""

import asyncio
import sys
import tempfile
from xml.etree import ElementTree

# Far longer than h2spec takes from one frame to the next, on a busy machine too.
PAUSE_SECONDS = 0.02
# For the answer to one case, where only a case that fails waits so long, and for all of them.
CASE_SECONDS_MAX = 5
SECONDS_MAX = 300
READ_BYTES_MAX = 65536


async def hand_on(source, sink, pause_seconds):
    """Copies to the end of `source`, in pieces with a pause after each."""
    held = b""
    try:
        while True:
            try:
                reading = source.read(READ_BYTES_MAX)
                read = await asyncio.wait_for(reading, pause_seconds if held else None)
            except asyncio.TimeoutError:
                sink.write(held)
                held = b""
            else:
                if not read:
                    break
                held += read
    except ConnectionError:
        # A reset ends a connection like any other end: h2spec takes only some resets for one.
        pass
    sink.write(held)
    sink.close()


async def relay(server):
    """Listens for h2spec in front of a server and gives the port."""
    async def serve(reader, writer):
        try:
            from_server, to_server = await asyncio.open_connection(*server)
        except OSError:
            # The server has died: h2spec, which sees the connection end, has its cases fail.
            return writer.close()
        await asyncio.gather(hand_on(reader, to_server, PAUSE_SECONDS),
                             hand_on(from_server, writer, 0))

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    return listening.sockets[0].getsockname()[1]


async def h2spec(server, flags, report):
    """Runs all cases and gives what h2spec prints."""
    port = await relay(server)
    command = ["h2spec", "--strict", "--port", str(port), "--timeout", str(CASE_SECONDS_MAX),
               "--junit-report", report, *flags]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
    try:
        output = await asyncio.wait_for(process.communicate(), SECONDS_MAX)
    finally:
        if process.returncode is None:
            process.kill()
    return b"".join(output).decode()


def failures(report):
    """The number of cases, and the name of each that did not pass, with what came of it."""
    cases, failed = 0, {}
    for suite in ElementTree.parse(report).iter("testsuite"):
        for number, case in enumerate(suite.iter("testcase"), 1):
            cases += 1
            # One that is skipped, because an answer has no body, proves nothing.
            if len(case):
                failed[f"{case.get('package')}/{number}"] = case[0].text or case[0].tag
    return cases, failed


def main():
    cases_expected, name, address, *flags = sys.argv[1:]
    host, port = address.rsplit(":", 1)
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        output = asyncio.run(h2spec((host, int(port)), flags, report.name))
        try:
            cases, failed = failures(report.name)
        except ElementTree.ParseError:
            sys.exit(f"{name}: h2spec gave no report:\n{output}")
    for case, outcome in failed.items():
        print(f"{name}: {case} did not pass:\n{outcome}")
    print(f"{name}: {cases - len(failed)} passed, {len(failed)} failed", flush=True)
    if cases != int(cases_expected):
        sys.exit(f"{name}: h2spec ran {cases} cases, not {cases_expected}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
