#!/usr/bin/env python3
"""Runs every command in the console blocks of README.md and docs/, in order, and compares what it prints.

`cargo run` starts the server, which then serves the commands after it. A command that is shown with
output must print just that; one without must end with status 0.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
SECONDS_MAX = 1800


def commands():
    """Each command with the output that is shown below it."""
    pages = "".join((ROOT / page).read_text() for page in ["README.md", "docs/limits.md", "docs/operating.md"])
    for block in re.findall(r"^```console\n(.*?)^```$", pages, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def serve(command):
    """Starts the server and waits until it is ready."""
    environment = {k: v for k, v in os.environ.items() if k != "SUDOKU_LOG_FORMAT"}
    server = subprocess.Popen(command.split(), cwd=ROOT, stderr=subprocess.PIPE, text=True,
                              env=environment | {"RUST_LOG": "info"})
    for line in server.stderr:
        print(line, end="")
        if " ready " in line:
            return server
    sys.exit(f"{command!r} ended with status {server.wait()} and was never ready")


def run(command, expected):
    """Whether a command does what its page shows."""
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, timeout=SECONDS_MAX, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout)
    right = done.stdout.strip() == expected.strip() if expected else done.returncode == 0
    if not right:
        print(f"status {done.returncode}; the page shows:\n{expected}")
    return right


def main():
    servers, results = [], []
    try:
        for command, expected in commands():
            print(f"$ {command}", flush=True)
            if command.startswith("cargo run"):
                servers.append(serve(command))
            else:
                results.append(run(command, expected))
    finally:
        for server in servers:
            server.terminate()
            server.stderr.read()
            results.append(server.wait() == 0)
    print(f"README: {results.count(True)} passed, {results.count(False)} failed")
    sys.exit(not servers or not all(results))


if __name__ == "__main__":
    main()
