"""What Prometheus knows, and the queries of the dashboard and of the rules."""

import json
import pathlib
import re
import time
import urllib.parse
import urllib.request

WAIT_SECONDS_MAX = 30
DASHBOARD = pathlib.Path(__file__).parents[2] / "deploy/grafana/sudoku-validator.json"
# What Grafana makes of variables, for scrapes every second.
VARIABLES = {"$job": "sudoku-validator", "$instance": ".+", "$__rate_interval": "5s"}


class Prometheus:
    def __init__(self, address):
        self.address = address

    def get(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"http://{self.address}/api/v1/{path}?{query}") as response:
            return json.load(response)["data"]

    def query(self, expr, **parameters):
        """The labels of each series, and its value now."""
        found = self.get("query", query=expr, **parameters)["result"]
        return [(series["metric"], float(series["value"][1])) for series in found]

    def query_range(self, expr, start, end, step):
        """The labels of each series, and its values by time."""
        found = self.get("query_range", query=expr, start=start, end=end, step=step)["result"]
        return [
            (series["metric"], {at: float(value) for at, value in series["values"]})
            for series in found
        ]

    def firing(self):
        """The alerts that fire, by name."""
        alerts = self.get("alerts")["alerts"]
        return {a["labels"]["alertname"]: a for a in alerts if a["state"] == "firing"}

    def scraped_after(self, moment):
        """Waits for a scrape that began after a moment."""
        # Of anything but a plain selector, this would be the time of the query.
        wait_for(lambda: any(at > moment for _, at in self.query("timestamp(up)")))


def wait_for(condition):
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while not (found := condition()):
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.1)
    return found


def in_the_end(value, right):
    """What a value is once it is right, or after waiting too long for that."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while (found := value()) != right and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def whole(expr):
    """A query on what counters have come to, where it was on what they grow by.

    For a server that began with the load, that is all of the load, exactly.
    """
    return re.sub(r"\b(?:rate|increase)\((\w+\{[^}]*\})\[[^]]*\]\)", r"\1", expr)


def selected(expr):
    """The metrics of a query, which without them would give nothing, as if all were well."""
    return set(re.findall(r"(\w+)\{", expr))


def panels():
    """The panels of the dashboard that have queries."""
    found = json.loads(DASHBOARD.read_text())["panels"]
    return [panel for panel in found if panel["type"] != "row"]


def filled_in(expr):
    for name, value in VARIABLES.items():
        expr = expr.replace(name, value)
    return expr


def legend(target, labels):
    return re.sub(r"{{(\w+)}}", lambda name: labels.get(name[1], ""), target["legendFormat"])
