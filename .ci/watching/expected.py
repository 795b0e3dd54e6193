"""What each panel of the dashboard and each rule must give, of all of a load."""

import dataclasses
import math
import pathlib
import tomllib

from load import TEXTS, Counts

CARGO = tomllib.loads((pathlib.Path(__file__).parents[2] / "Cargo.toml").read_text())
VALIDATE = "sudoku.v1.SudokuService/Validate"
ERRORS = ("DEADLINE_EXCEEDED", "INTERNAL", "UNAVAILABLE")
# Why no connection ends in this load.
NO_REASON = ("failed", "keepalive", "idle", "age", "drain", "dropped")


class Between(tuple):
    """Stands for any value from one to another."""

    def __eq__(self, value):
        return self[0] <= value <= self[1]


POSITIVE = Between((1e-9, math.inf))


@dataclasses.dataclass
class Expected:
    counts: Counts
    instance: str
    silent: int
    most_calls: int
    most_connections: int
    days: int

    def by_status(self):
        return summed(self.counts.ended, lambda method, status: status)

    def by_method(self, *statuses):
        """The calls of each method, or those that ended with one of some statuses."""
        chosen = {k: n for k, n in self.counts.ended.items() if not statuses or k[1] in statuses}
        return summed(chosen, lambda method, status: method)

    def errors(self):
        """The share of calls that are errors, by method of the service."""
        errors, all_calls = self.by_method(*ERRORS), self.by_method()
        return {method: count / all_calls[method] for method, count in errors.items()}

    def all_errors(self):
        recorded = self.recorded()
        return recorded["job:sudoku_errors:rate5m"] / recorded["job:sudoku_calls:rate5m"]

    def panels(self):
        """By the panel's title and the legend of each series."""
        counts, boards = self.counts, self.counts.boards
        return {
            "Servers up": {"up": 1},
            "Builds": {CARGO["package"]["version"]: 1},
            "Certificate": {"left": Between((self.days - 0.1, self.days))},
            "Youngest process": {"age": POSITIVE},
            "Calls": {"calls": sum(counts.ended.values())},
            "Errors": {"errors": self.all_errors()},
            "Calls by status": self.by_status(),
            # Methods that are not called are there, and nothing.
            "Calls by method": self.by_method(),
            "Errors by method": self.errors(),
            "Latency of Validate": dict.fromkeys(["p50", "p90", "p99"], POSITIVE),
            "Latency by method, p50": dict.fromkeys(self.by_method(), POSITIVE),
            "Latency by method, p99": dict.fromkeys(self.by_method(), POSITIVE),
            "Latency of Validate, all calls": {"+Inf": self.by_method()[VALIDATE]},
            "Boards by verdict": {kind: boards[kind] for kind in ("valid", "invalid")},
            "Malformed boards": {kind: boards[kind] for kind in TEXTS if kind.isupper()},
            "Bytes": {
                "received": sum(counts.received.values()),
                "sent": sum(counts.sent.values()),
            },
            "Open calls": {self.instance: 0, f"{self.instance}, places": 0, "most": self.most_calls},
            "Open connections": {self.instance: 0, "most": self.most_connections},
            "File descriptors": {self.instance: POSITIVE, "most": POSITIVE},
            "Turned away": {
                "calls shed": counts.shed,
                "connections refused": counts.refused,
                "accept errors": 0,
            },
            "Connections accepted": {"accepted": counts.connections},
            "Connections ended": {
                "closed": counts.connections - self.silent,
                "handshake": self.silent,
                **dict.fromkeys(NO_REASON, 0),
            },
            "CPU": {self.instance: POSITIVE},
            "Memory": {self.instance: Between((1e6, 1e9))},
        }

    def recorded(self):
        """By the name of the rule."""
        of_service = lambda counts: sum(n for m, n in counts.items() if m.startswith("sudoku"))
        return {
            "job:sudoku_calls:rate5m": of_service(self.by_method()),
            "job:sudoku_errors:rate5m": of_service(self.by_method(*ERRORS)),
            "job:sudoku_validate_seconds:p99_rate5m": POSITIVE,
        }

    def alerts(self):
        """Those that the load leaves behind, with what their queries give of all of it."""
        return {
            "SudokuErrors": POSITIVE,
            "SudokuCallsShed": self.counts.shed,
            "SudokuConnectionsRefused": self.counts.refused,
            "SudokuCertificateExpires": POSITIVE,
            "SudokuCertificateExpiresSoon": POSITIVE,
        }


def summed(counts, key):
    sums = {}
    for labels, count in counts.items():
        sums[key(*labels)] = sums.get(key(*labels), 0) + count
    return sums
