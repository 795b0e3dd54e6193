"""Draws what Prometheus has of a server from its start on, in the order of the dashboard:

picture.py PROMETHEUS FILE
"""

import sys
import time

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot

from prometheus import Prometheus, filled_in, legend, panels

# By the titles of the dashboard's panels; two in one have the same unit.
SMALL = [
    ("Calls a second, by status", ["Calls by status"]),
    ("Latency of Validate", ["Latency of Validate"]),
    ("Boards a second, by verdict", ["Boards by verdict", "Malformed boards"]),
    ("Open connections and calls", ["Open connections", "Open calls"]),
    ("Bytes a second", ["Bytes"]),
    ("CPU, in cores", ["CPU"]),
]
COLORS = ["#3b75af", "#d98032", "#519e3e", "#b23a48", "#7d65a8", "#7f7f7f"]
INK, GRID = "#333333", "#e4e4e4"


def lines(prometheus, title, start, end):
    """The series of a panel: name, times and values."""
    panel = next(p for p in panels() if p["title"] == title)
    for target in panel["targets"]:
        for labels, points in prometheus.query_range(filled_in(target["expr"]), start, end, 1):
            name = legend(target, labels)
            if name == labels.get("instance"):
                name = title.split()[-1]
            # The most, far above, would flatten what there is.
            if name != "most" and any(value > 0 for value in points.values()):
                yield name, [at - start for at in points], list(points.values())


def draw(axes, heading, series):
    for color, (name, times, values) in zip(COLORS, series, strict=False):
        axes.plot(times, values, color=color, linewidth=1.4, label=name)
    axes.set_title(heading, loc="left", fontsize=10, color=INK)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.tick_params(length=0, labelsize=8, colors=INK)
    axes.spines[:].set_visible(False)
    axes.spines["bottom"].set(visible=True, color=GRID)
    if len(series) > 1:
        axes.legend(fontsize=7, frameon=False, loc="upper left", labelcolor=INK)


def main(address, path):
    prometheus = Prometheus(address)
    start = int(prometheus.query("process_start_time_seconds")[0][1])
    end = time.time()
    figure, grid = pyplot.subplots(2, 3, figsize=(12, 5.2), sharex=True)
    for axes, (heading, titles) in zip(grid.flat, SMALL, strict=True):
        series = [line for title in titles for line in lines(prometheus, title, start, end)]
        if not series:
            sys.exit(f"FAILED: nothing to draw of {titles}")
        draw(axes, heading, series)
        axes.set_xlim(0, end - start)
    grid[0][1].yaxis.set_major_formatter(lambda seconds, _: f"{seconds * 1000:g} ms")
    grid[1][1].yaxis.set_major_formatter(lambda count, _: f"{count / 1000:g} kB")
    for axes in grid[1]:
        axes.set_xlabel("seconds", fontsize=8, color=INK)
    figure.tight_layout(h_pad=1.5, w_pad=2)
    figure.savefig(path, dpi=100)
    print(f"{path}: {len(SMALL)} panels of {end - start:.0f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
