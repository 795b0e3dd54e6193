#!/usr/bin/env python3
"""Sends every case as JSON, through both RPCs, and compares the JSON that comes back:
json_cases.py HOST:PORT FILE..."""

import http.client
import json
import pathlib
import sys

SECONDS_MAX = 30


def post(connection, rpc, body):
    """The status, and each line of the answer."""
    connection.request("POST", f"/sudoku.v1.SudokuService/{rpc}", json.dumps(body))
    response = connection.getresponse()
    lines = response.read().decode().splitlines()
    return response.status, [json.loads(line) for line in lines]


def malformed(status):
    """The outcome that a google.rpc.Status of Validate tells."""
    details = {detail.pop("@type"): detail for detail in status["details"]}
    info = details.pop("type.googleapis.com/google.rpc.ErrorInfo")
    request = details.pop("type.googleapis.com/google.rpc.BadRequest")
    violation = {"field": "board.cells", "description": status["message"]}
    if details or request != {"fieldViolations": [violation]}:
        raise ValueError(f"unexpected details: {request} {details}")
    if status["code"] != 3 or info["domain"] != "sudoku.v1":
        raise ValueError(f"unexpected status: {status}")
    fault = {"reason": f"MALFORMED_REASON_{info['reason']}", "description": status["message"]}
    place = {key: int(value) for key, value in info.get("metadata", {}).items()}
    return {"malformed": {**fault, **place}}


def validate(connection, cells):
    try:
        status, [answer] = post(connection, "Validate", {"board": {"cells": cells}})
        return {200: lambda: answer, 400: lambda: malformed(answer)}[status]()
    except (KeyError, ValueError) as doubt:
        return repr(doubt)


def main(address, *paths):
    connection = http.client.HTTPConnection(address, timeout=SECONDS_MAX)
    files = [json.loads(pathlib.Path(path).read_text()) for path in paths]
    _, answers = post(
        connection,
        "ValidateMany",
        [{"boards": [{"cells": case["cells"]} for case in cases]} for cases in files],
    )
    failed = 0
    total = 0
    for cases, answer in zip(files, answers, strict=True):
        for case, outcome in zip(cases, answer["outcomes"], strict=True):
            alone = validate(connection, case["cells"])
            for rpc, found in ("ValidateMany", outcome), ("Validate", alone):
                total += 1
                if found != case["outcome"]:
                    failed += 1
                    print(f"{case['name']}, {rpc}: {found}, expected {case['outcome']}")
    print(f"{total - failed} passed, {failed} failed")
    sys.exit(failed > 0 or total == 0)


main(*sys.argv[1:])
