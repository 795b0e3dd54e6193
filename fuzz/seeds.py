#!/usr/bin/env python3
"""Writes hand-made inputs for each target: seeds.py FOLDER."""

import gzip
import json
import pathlib
import sys

CASES = pathlib.Path(__file__).parents[1] / "tests/cases"
END, PAUSE = 8, bytes([7, 0])
VALIDATE, MANY, CHECK, WATCH, LIST, REFLECT, REFLECT_ALPHA, UNKNOWN = (bytes([i]) for i in range(8))
GZIPPED = bytes([1 + 8])


def texts(file):
    return [case["cells"].encode() for case in json.loads((CASES / file).read_text())]


def boards():
    for text in texts("boards.json"):
        yield from (b"0" + text, b"1" + text, b"6" + text, b"2" + text)
    for file in ("formats.json", "shapes.json", "characters.json"):
        yield from (kind + text for text in texts(file) for kind in (b"0", b"3"))


def field(number, payload):
    return bytes([number * 8 + 2, len(payload)]) + payload


def request(*texts):
    return b"".join(field(1, field(1, text)) for text in texts)


VALID, _, CONFLICTING, *_ = texts("boards.json")


def requests():
    yield from (b"", request(b""), request(VALID), request(CONFLICTING, VALID, b"x"))
    yield from (field(1, b""), request(VALID)[:40], request(b"\xff"), request("é".encode()))
    yield field(1, field(1, b"1") + field(1, b"2") + b"\x10\x01") + field(2, b"later")
    # A tag and a length that are longer than needed; a group; a wrong wire type; field 0.
    yield from (b"\x8a\x00\x82\x00\x0a\x00", b"\x13\x08\x01\x14", b"\x08\x01", b"\x02\x00")
    yield from (b"\x0a\xff\xff\xff\xff\x0f", b"\x0d1234\x091234567", b"\xff" * 10)


def step(kind, payload=b"", end=0, back=0):
    return bytes([kind | end | back << 4, len(payload)]) + payload


def call(kind, more=b"", end=0):
    return step(0, kind + more, end)


def message(payload, end=0, compressed=b"\0", back=0):
    return step(1, compressed + payload, end, back)


def header(name, value):
    return bytes([0, len(name)]) + name + bytes([len(value)]) + value


def frame(kind, payload, flags=0, connection=True, back=0):
    return step(6 if connection else 5, bytes([kind, flags]) + payload, 0, back)


def answered_steps():
    lines = b"\n".join([b"." * 9] * 9)
    malformed = (b"12", b"", VALID[1:] + b"x", lines[1:], lines[:-1], lines + b"\r\n\n")
    for text in (VALID, CONFLICTING, lines, *malformed):
        yield call(VALIDATE) + message(request(text), END)
        yield call(MANY) + message(request(text, text)) + PAUSE + step(2, text * 2, END)
    yield call(MANY) + step(2, VALID * 3, END)
    for kind in (CHECK, WATCH, LIST, REFLECT, REFLECT_ALPHA, UNKNOWN):
        yield call(kind) + message(b"") + PAUSE + step(3, b"", END)
    for name in (b"", b"sudoku.v1.SudokuService", b"other"):
        yield call(CHECK) + message(field(1, name), END)
        yield call(WATCH) + message(field(1, name), END) + PAUSE + frame(3, bytes(4), 0, False)
    for kind in (REFLECT, REFLECT_ALPHA):
        ask = (field(7, b""), field(3, b"sudoku/v1/sudoku.proto"), field(4, b"sudoku.v1.Board"))
        yield call(kind) + b"".join(message(part) for part in ask) + step(3, b"", END)
    zipped = gzip.compress(request(CONFLICTING), mtime=0)
    yield call(GZIPPED) + message(zipped, END, b"\1")
    yield call(GZIPPED) + message(gzip.compress(bytes(5000), mtime=0), END, b"\1")
    yield call(GZIPPED) + message(zipped[:-9], END, b"\1") + call(MANY) + message(zipped, 0, b"\1")
    yield call(VALIDATE, header(b"grpc-timeout", b"1n"), END)
    yield call(VALIDATE, header(b"grpc-timeout", b"99999999H")) + message(request(VALID), END)
    yield call(bytes([16]), b"", END) + call(bytes([32]), b"", END) + call(bytes([48]), b"", END)
    yield call(VALIDATE) + message(request(VALID)) + message(request(VALID), END)
    yield call(VALIDATE, b"", END) + call(MANY, b"", END)
    yield call(MANY) + step(3, b"\0\0\0\7\0" + request(VALID)) + step(4, header(b"a", b"b"), END)
    yield call(MANY) * 9 + message(request(VALID), 0, b"\0", 8) + frame(3, bytes(4), 0, False, 2)


def odd_steps():
    ping, window = frame(6, b"12345678"), (2**31 - 1).to_bytes(4, "big")
    yield ping + ping + frame(6, b"12345678", 1) + frame(4, b"", 1)
    # No window for answers, then one.
    no_window, wide = b"\0\4\0\0\0\0", b"\0\4\0\1\0\0"
    stream = call(MANY) + message(request(CONFLICTING)) + PAUSE + message(request(VALID), END)
    yield frame(4, no_window) + stream + PAUSE + frame(4, wide)
    yield frame(4, no_window) + stream + frame(8, b"\0\0\0\5", 0, False) + PAUSE + frame(8, window)
    yield frame(4, no_window[:-1] + b"2") + call(REFLECT) + message(field(7, b"")) + message(b"")
    yield frame(4, b"\0\1\0\0\0\0\0\2\0\0\0\0\0\3\0\0\0\0\0\5\0\0\x40\0\0\6\0\0\0\1")
    yield call(MANY) + frame(2, b"\0\0\0\0\1", 0, False) + frame(8, bytes(4), 0, False)
    yield call(MANY) + frame(3, b"\0\0\0\x08", 0, False) * 2 + message(b"")
    yield (call(MANY) + frame(3, b"\0\0\0\x08", 0, False)) * 30
    yield frame(7, bytes(8)) + call(VALIDATE) + message(request(VALID), END)
    yield call(VALIDATE) + frame(7, bytes(7) + b"\2bye") + message(request(VALID), END)
    # HEADERS without an end, and CONTINUATION.
    block = header(b":method", b"POST") + header(b":scheme", b"http") + header(b":path", b"/x")
    yield step(5, b"\1\0" + block) + step(5, b"\x09\0" + header(b"te", b"trailers")) + step(5, b"\x09\4")
    yield step(5, b"\1\0" + block) + ping
    # Padding and priority, Huffman coding, changes to the dynamic table.
    yield step(5, b"\1\x2c\3" + b"\0\0\0\0\x10" + block + bytes(3)) + step(5, b"\0\x09\2\0\0\0\0\0\0\0")
    yield step(4, b"\x83\x86\x44\x84\x62\x3e\x8a\x7f\x01\x86\xa0\xe4\x1d\x13\x9d\x09", END)
    yield step(4, b"\x3f\xe1\x1f\x20\x83\x86\x40\1a\1b\xbe\xbe\4\1/", END) + step(4, b"\xff\xff\xff\xff\xff")
    yield frame(0, b"x") + frame(9, b"") + frame(5, bytes(8)) + frame(250, b"x")


def connections():
    yield from (kind + steps for steps in answered_steps() for kind in (b"2", b"3"))
    yield from (kind + steps for steps in odd_steps() for kind in (b"2", b"3"))
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    yield from (b"0", b"0" + preface, b"0" + preface[:9], b"0" + preface + bytes(9), b"1")
    yield b"0GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
    yield b"0POST /sudoku.v1.SudokuService/Validate HTTP/1.0\r\ncontent-length: 0\r\n\r\n"
    yield b"0\x16\3\1\0\5\1\0\0\1\0"
    yield b"1\0\0\1\0\0\0\0\0\1x" + b"\xff" * 9
    yield b"1\0\0\x08\6\0\0\0\0\0abcdefgh\0\0\0\4\1\0\0\0\0\0\0\4\x08\0\0\0\0\0\0\0\0\1"


def main():
    for target, inputs in ("board", boards()), ("request", requests()), ("connection", connections()):
        folder = pathlib.Path(sys.argv[1], target)
        folder.mkdir(parents=True, exist_ok=True)
        for number, content in enumerate(inputs):
            (folder / f"seed-{number}").write_bytes(content)


if __name__ == "__main__":
    main()
