"""Checks what a collector passed on of the calls of client.py: check.py FILE PORT"""

import collections
import json
import sys

passed = 0


def check(what, found, right):
    global passed
    if found != right:
        sys.exit(f"FAILED {what}: {found}, expected {right}")
    passed += 1
    print(f"{what}: {found}")


SERVICE = "sudoku.v1.SudokuService/"
SERVER, CLIENT, ERROR = "SPAN_KIND_SERVER", "SPAN_KIND_CLIENT", "STATUS_CODE_ERROR"
# Of the traced calls, in their order: the name of the server's span, its method, status and boards,
# and what the client calls it.
CALLS = [
    (SERVICE + "Validate", SERVICE + "Validate", "OK", "1", "Validate"),
    (SERVICE + "Validate", SERVICE + "Validate", "INVALID_ARGUMENT", "1", "Validate"),
    ("grpc", "_OTHER", "UNIMPLEMENTED", None, "Solve"),
    (SERVICE + "ValidateMany", SERVICE + "ValidateMany", "OK", "6", "ValidateMany"),
]


def read(path):
    with open(path, encoding="utf-8") as lines:
        found = collections.defaultdict(list)
        for line in map(json.loads, lines):
            found[line["what"]].append(line)
    return found["spans"], found["log_records"]


def check_server_span(call, span, port):
    name, method, status, boards, _ = call
    what = f"server, {name} {status}"
    check(f"{what}, name and kind", (span["name"], span["kind"]), (name, SERVER))
    check(f"{what}, service", span["resource"]["service.name"], "sudoku-validator")
    attributes = dict(span["attributes"])
    peer = attributes.pop("network.peer.address"), int(attributes.pop("network.peer.port")) > 0
    check(f"{what}, peer", peer, ("127.0.0.1", True))
    right = {
        "rpc.system.name": "grpc",
        "rpc.method": method,
        "rpc.response.status_code": status,
        "server.address": "127.0.0.1",
        "server.port": port,
    }
    if boards:
        right["sudoku.boards"] = boards
    # What clients ask wrongly is no error, but for a method that there is not.
    if error := status == "UNIMPLEMENTED":
        right["error.type"] = status
        right["rpc.method_original"] = SERVICE + "Solve"
    check(f"{what}, attributes", attributes, right)
    check(f"{what}, status", span["status"], {"code": ERROR} if error else {})


def times_of(span):
    return int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])


def check_tree(spans, port):
    """All but the span of the call that is not traced are one tree."""
    ids = {span["span_id"]: span for span in spans}
    roots = [span for span in spans if not span["parent_span_id"]]
    (root,) = [span for span in roots if span["resource"]["service.name"] == "client"]
    (alone,) = [span for span in roots if span is not root]
    check_server_span(CALLS[0], alone, port)
    tree = [span for span in spans if span is not alone]
    check("spans of the tree", len(tree), 1 + 2 * len(CALLS))
    check("traces", {span["trace_id"] for span in tree}, {root["trace_id"]})
    check("the other trace is another", alone["trace_id"] != root["trace_id"], True)
    servers = sorted((s for s in tree if s["kind"] == SERVER), key=lambda s: s["startTimeUnixNano"])
    for call, server in zip(CALLS, servers, strict=True):
        check_server_span(call, server, port)
        client = ids[server["parent_span_id"]]
        name, kind = f"/{SERVICE}{call[4]}", CLIENT
        check(f"its parent, client's {name}", (client["name"], client["kind"]), (name, kind))
        check("the parent of that", client["parent_span_id"], root["span_id"])
        check("its service", client["resource"]["service.name"], "client")
        (called, answered), (began, ended) = times_of(client), times_of(server)
        # The client may have its answer before the server has taken note that it is written.
        check("it begins within its parent", called <= began <= min(ended, answered), True)
    return [alone, *servers]


def check_log(lines, servers):
    """Each call has the line of its end, in its trace."""
    ended = [line for line in lines if line["body"]["stringValue"] == "ended"]
    ids = lambda items: sorted((item["trace_id"], item["span_id"]) for item in items)
    check("log, ids of the lines `ended`", ids(ended), ids(servers))
    check("log, service", {e["resource"]["service.name"] for e in ended}, {"sudoku-validator"})
    (ready,) = [line for line in lines if line["body"]["stringValue"] == "ready"]
    check("log, trace of `ready`", (ready["trace_id"], ready["severityText"]), ("", "INFO"))


if __name__ == "__main__":
    all_spans, all_lines = read(sys.argv[1])
    check_log(all_lines, check_tree(all_spans, sys.argv[2]))
    print(f"{passed} passed, 0 failed")
