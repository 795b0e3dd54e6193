#!/usr/bin/env python3
"""Runs every command of README.md's console blocks, in order, and compares what it prints.

`cargo run` starts the server, which then serves the commands after it. A command that is shown with
output must print just that; one without must end with status 0.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
SECONDS_MAX = 900


def commands():
    """Each command with the output that is shown below it."""
    for block in re.findall(r"^```console\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def serve(command):
    """Starts the server and waits until it is ready."""
    server = subprocess.Popen(command.split(), cwd=ROOT, stderr=subprocess.PIPE, text=True)
    for line in server.stderr:
        print(line, end="")
        if " ready " in line:
            return server
    sys.exit(f"{command!r} ended with status {server.wait()} and was never ready")


def main():
    servers, failed, passed = [], 0, 0
    for command, expected in commands():
        print(f"$ {command}", flush=True)
        if command.startswith("cargo run"):
            servers.append(serve(command))
            passed += 1
            continue
        done = subprocess.run(["bash", "-c", command], cwd=ROOT, timeout=SECONDS_MAX, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(done.stdout)
        right = done.stdout.strip() == expected.strip() if expected else done.returncode == 0
        passed, failed = passed + right, failed + (not right)
        if not right:
            print(f"status {done.returncode}; README.md shows:\n{expected}")
    for server in servers:
        server.terminate()
        server.stderr.read()
        if server.wait() != 0:
            failed += 1
            print(f"the server ended with status {server.returncode}")
    print(f"README: {passed} passed, {failed} failed")
    sys.exit(failed > 0 or not servers)


if __name__ == "__main__":
    main()
