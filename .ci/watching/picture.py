"""Draws what Prometheus has of a load, in the order of the dashboard."""

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot, ticker

from prometheus import filled_in, legend, panels

# By the titles of the dashboard's panels; two in one have the same unit.
SMALL = [
    ("Calls a second, by status", ["Calls by status"]),
    ("Latency of Validate", ["Latency of Validate"]),
    ("Boards a second, by verdict", ["Boards by verdict", "Malformed boards"]),
    ("Open connections and calls", ["Open connections", "Open calls"]),
    ("Bytes a second", ["Bytes"]),
    ("CPU, of a core", ["CPU"]),
]
COLORS = ["#3b75af", "#d98032", "#519e3e", "#b23a48", "#7d65a8", "#7f7f7f"]
INK, GRID = "#333333", "#e4e4e4"


# What never comes to this share of the highest of its panel would be a line at the bottom.
SHOWN_MIN = 0.02


def lines(prometheus, title, start, end):
    """The series of a panel: name, times and values."""
    panel = next(p for p in panels() if p["title"] == title)
    for target in panel["targets"]:
        for labels, points in prometheus.query_range(filled_in(target["expr"]), start, end, 1):
            name = legend(target, labels)
            if name == labels.get("instance"):
                name = title.removeprefix("Open ")
            # The most that are taken is far above, and small calls take a place each.
            if name.split(", ")[-1] not in ("most", "places"):
                yield name, [at - start for at in points], list(points.values())


def draw_panel(axes, heading, series):
    series = sorted(series, key=lambda line: -max(line[2]))
    highest = max(series[0][2])
    series = [line for line in series if max(line[2]) >= SHOWN_MIN * highest]
    for color, (name, times, values) in zip(COLORS, series, strict=False):
        axes.plot(times, values, color=color, linewidth=1.5, label=name)
    axes.set_title(heading, loc="left", fontsize=10, color=INK, pad=22)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.tick_params(length=0, labelsize=8, colors=INK)
    axes.spines[:].set_visible(False)
    axes.spines["bottom"].set(visible=True, color=GRID)
    if len(series) == 1:
        return
    legends = axes.legend(
        fontsize=7,
        frameon=False,
        labelcolor=INK,
        ncols=len(series),
        loc="lower left",
        bbox_to_anchor=(-0.02, 0.98),
        borderpad=0,
        handlelength=1,
        handletextpad=0.4,
        columnspacing=1,
    )
    # It may be wider than the panel.
    legends.set_in_layout(False)


def draw(prometheus, start, end, path):
    figure, grid = pyplot.subplots(2, 3, figsize=(12, 5.6), sharex=True)
    for axes, (heading, titles) in zip(grid.flat, SMALL, strict=True):
        series = [line for title in titles for line in lines(prometheus, title, start, end)]
        draw_panel(axes, heading, series)
        axes.set_xlim(0, end - start)
    # A slow call among a few is many times the others.
    grid[0][1].set_yscale("log")
    grid[0][1].set_ylim(1e-5, 1e-2)
    grid[0][1].yaxis.set_minor_locator(ticker.NullLocator())
    grid[0][1].yaxis.set_major_formatter(lambda seconds, _: f"{seconds * 1e6:.0f} µs")
    grid[1][1].yaxis.set_major_formatter(lambda count, _: f"{count / 1000:.0f} kB")
    grid[1][2].yaxis.set_major_formatter(lambda cores, _: f"{cores * 100:.1f} %")
    for axes in grid[1]:
        axes.set_xlabel("seconds", fontsize=8, color=INK)
    figure.tight_layout(h_pad=1.5, w_pad=2)
    figure.savefig(path, dpi=100)
