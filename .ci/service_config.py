#!/usr/bin/env python3
"""Fails unless gRPC takes the service config of a Markdown file: service_config.py FILE ADDRESS

The first call through a channel fails when its config is no good.
"""

import pathlib
import re
import sys

import grpc

# An empty message: grpc.health.v1.Health/Check of the whole server. SERVING is `08 01`.
SERVING = b"\x08\x01"


def main(file, address):
    config = re.search(r"```json\n(.*?)```", pathlib.Path(file).read_text(), re.DOTALL)[1]
    with grpc.insecure_channel(address, [("grpc.service_config", config)]) as channel:
        answer = channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=10)
    if answer != SERVING:
        sys.exit(f"not SERVING: {answer}")
    print("taken, and SERVING")


if __name__ == "__main__":
    main(*sys.argv[1:])
