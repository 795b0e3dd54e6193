"""Loads a server that has served nothing, and compares what it and Prometheus have counted with
what was sent and got:

prove.py ADDRESS ADMIN PROMETHEUS CERTIFICATE SECONDS PICTURE
prove.py down PROMETHEUS    when the server has ended
"""

import math
import pathlib
import sys
import time
import urllib.request

import expected
import load
import phases
import picture
from prometheus import Prometheus, filled_in, in_the_end, legend, panels, selected, wait_for, whole

# As .ci/watch starts the server.
CALLS_MAX, CONNECTIONS_MAX, DAYS = 64, 20, 2
SHED, REFUSED = 7, 5
NAMES = {
    "ended": "grpc_server_call_duration_seconds_count",
    "received": "grpc_server_call_rcvd_total_compressed_message_size_bytes_sum",
    "sent": "grpc_server_call_sent_total_compressed_message_size_bytes_sum",
}

passed = 0


def check(what, found, right):
    """Says what was found, and ends the program if it is not right."""
    global passed
    if not right == found:
        sys.exit(f"FAILED {what}: {found}, expected {right}")
    passed += 1
    print(f"{what}: {shown(found)}")


def shown(found):
    """Values in short, but for those of tens of series."""
    match found:
        case dict() if len(found) > 10:
            return f"{len(found)} series, of {sum(found.values()):g}"
        case dict():
            return ", ".join(f"{name} {value:g}" for name, value in found.items())
        case [str(), *_]:
            return f"{len(found)} as expected"
        case [float(value)]:
            return f"{value:g}"
    return found


class Admin:
    def __init__(self, address):
        self.address = address

    def metrics(self):
        """The value of each series."""
        with urllib.request.urlopen(f"http://{self.address}/metrics") as response:
            lines = response.read().decode().splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return {series: float(value) for series, value in pairs}

    def wait_for(self, series, value):
        wait_for(lambda: self.metrics()[series] == value)


def open_of(method):
    return f'sudoku_calls_open{{grpc_method="{method}"}}'


def work(generator, admin, prometheus, seconds):
    """The whole load, with the alerts that end with it. Gives when its phases were."""
    start = time.time()
    phases.run(generator, seconds)
    times = start, time.time()
    begun = lambda: admin.wait_for(open_of(load.VALIDATE[1:]), 1)
    phases.ends_of_calls(generator, begun)
    with phases.full_of_calls(generator, CALLS_MAX, SHED):
        check("alert SudokuCallsNearMax", fires(prometheus, "SudokuCallsNearMax", 1.0), 1.0)
    admin.wait_for("sudoku_connections_open", 0)
    with generator.full_of_connections(CONNECTIONS_MAX, REFUSED):
        name = "SudokuConnectionsNearMax"
        check(f"alert {name}", fires(prometheus, name, 1.0), 1.0)
    admin.wait_for("sudoku_connections_open", 0)
    return times


def fires(prometheus, name, value):
    """Waits until an alert fires with a value, which it may come to by and by, and gives that."""

    def fired():
        alert = prometheus.firing().get(name)
        return alert if alert and float(alert["value"]) == value else None

    return float(wait_for(fired)["value"])


def check_metrics(counts, found):
    """The counters, to the last call."""
    for what, name in NAMES.items():
        series = {k: v for k, v in found.items() if k.startswith(name + "{")}
        label = '{}{{grpc_method="{}",grpc_status="{}"}}'
        right = {label.format(name, *k): n for k, n in getattr(counts, what).items()}
        # Neither less nor more.
        check(f"/metrics, series of {what}", sorted(series), sorted(right))
        for k in sorted(series):
            check(f"/metrics {k}", series[k], right[k])
    started, ended, still = (
        sum(v for k, v in found.items() if k.startswith(name))
        for name in ("grpc_server_call_started_total", NAMES["ended"], "sudoku_calls_open")
    )
    check("/metrics, calls started", started, sum(counts.ended.values()))
    check("/metrics, calls ended", ended, started)
    check("/metrics, calls open", still, 0)
    labels = {k: ("verdict" if k.islower() else "reason") for k in load.TEXTS}
    for kind, label in labels.items():
        name = "sudoku_boards_total" if label == "verdict" else "sudoku_malformed_boards_total"
        series = f'{name}{{{label}="{kind}"}}'
        check(f"/metrics {series}", found[series], counts.boards[kind])


def check_prometheus(counts, prometheus):
    """The same by PromQL."""
    for what, name in NAMES.items():
        found = prometheus.query(f"sum by (grpc_method, grpc_status) ({name})")
        found = {(m["grpc_method"], m["grpc_status"]): v for m, v in found}
        check(f"Prometheus, {what} by method and status", found, dict(getattr(counts, what)))


def check_dashboard(right, prometheus, start):
    """Each query as Grafana makes it gives something; on all of the load, what it was."""
    right = right.panels()
    check("dashboard, panels", [p["title"] for p in panels()], list(right))
    for panel in panels():
        title, series, highest = panel["title"], {}, 0
        for target in panel["targets"]:
            expr = filled_in(target["expr"])
            lines = prometheus.query_range(expr, start, time.time(), 1)
            points = [v for _, points in lines for v in points.values() if math.isfinite(v)]
            if not points:
                sys.exit(f"FAILED {title}: no value of {expr}")
            highest = max(highest, *points)
            series |= {legend(target, m): v for m, v in prometheus.query(whole(expr))}
        if highest == 0:
            sys.exit(f"FAILED {title}: nothing above 0")
        # Of what was never called, there is nothing to say.
        series = {k: v for k, v in series.items() if k in right[title] or v > 0}
        if panel["type"] == "heatmap":
            series = {"+Inf": series["+Inf"]}
        check(f"dashboard, {title}", series, right[title])


def check_rules(right, prometheus):
    rules = [r for group in prometheus.get("rules")["groups"] for r in group["rules"]]
    recorded, alerts = right.recorded(), right.alerts()
    for rule in rules:
        name, values = rule["name"], [v for _, v in prometheus.query(whole(rule["query"]))]
        for metric in sorted(selected(rule["query"])):
            check(f"{name}, {metric} is there", bool(prometheus.query(metric)), True)
        if rule["type"] == "recording":
            check(f"rule {name}", values, [recorded.pop(name)])
            check(f"rule {name}, recorded", len(prometheus.query(name)), 1)
        else:
            check(f"alert {name}, query", values, [alerts[name]] if name in alerts else [])
    check("rules, all recorded", recorded, {})
    # Rules may be evaluated some time after the scrape, and as of a time before it.
    firing = in_the_end(lambda: sorted(prometheus.firing()), sorted(alerts))
    check("alerts, firing", firing, sorted(alerts))
    for name, alert in sorted(prometheus.firing().items()):
        summary = alert["annotations"]["summary"]
        check(f"alert {name}, {summary!r} is whole", "<no value>" not in summary, True)


def main(address, admin, prometheus, certificate, seconds, path):
    admin, prometheus = Admin(admin), Prometheus(prometheus)
    start = time.time()
    wait_for(lambda: prometheus.query("up == 1"))
    check("before the load, calls", sum(v for k, v in admin.metrics().items() if "started" in k), 0)
    generator = load.Load(address, pathlib.Path(certificate).read_bytes())
    times = work(generator, admin, prometheus, float(seconds))
    prometheus.scraped_after(time.time())
    instance = prometheus.query("up")[0][0]["instance"]
    right = expected.Expected(
        generator.counts, instance, CONNECTIONS_MAX, CALLS_MAX, CONNECTIONS_MAX, DAYS
    )
    check_metrics(generator.counts, admin.metrics())
    check_prometheus(generator.counts, prometheus)
    check_dashboard(right, prometheus, start)
    check_rules(right, prometheus)
    picture.draw(prometheus, *times, path)
    print(f"{passed} passed, 0 failed")


if __name__ == "__main__":
    if sys.argv[1] == "down":
        check("alert SudokuDown", fires(Prometheus(sys.argv[2]), "SudokuDown", 0.0), 0.0)
    else:
        main(*sys.argv[1:])
