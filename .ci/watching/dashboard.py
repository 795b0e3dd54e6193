"""Checks the Grafana dashboard, as far as that goes without Grafana, and writes its queries as
rules for `promtool check rules`: dashboard.py RULES
"""

import itertools
import json
import pathlib
import re
import sys

from prometheus import DASHBOARD, filled_in

SELECTORS = re.compile(r"\b[a-z_]+(\{[^}]*\})")
LABELS = re.compile(r"\{[^}]*\}|\b(?:by|on|ignoring|without) \([^)]*\)")
METRICS = re.compile(r"\b(?:up|(?:grpc|process|sudoku)_\w+)\b")
REQUIRED = 'job=~"$job", instance=~"$instance"'
TYPES = {"stat", "timeseries", "heatmap"}


def faults_of(panel):
    """What is wrong with a panel."""
    if not panel.get("title"):
        yield "no title"
    if panel["type"] == "row":
        return
    if panel["type"] not in TYPES:
        yield f"type {panel['type']}"
    if not panel.get("description"):
        yield "no description"
    if not panel["fieldConfig"]["defaults"].get("unit"):
        yield "no unit"
    if panel.get("datasource") != {"type": "prometheus", "uid": "${datasource}"}:
        yield "another datasource than the variable"
    if not panel.get("targets"):
        yield "no query"
    for target in panel.get("targets", ()):
        expr = target["expr"]
        if not target.get("legendFormat"):
            yield f"no legend: {expr}"
        for labels in SELECTORS.findall(expr):
            if not labels.startswith("{" + REQUIRED):
                yield f"not by job and instance: {labels}"
        if len(METRICS.findall(LABELS.sub("", expr))) != len(SELECTORS.findall(expr)):
            yield f"a metric without a selector: {expr}"
        ranges = set(re.findall(r"\[([^]]*)\]", expr)) - {"$__rate_interval"}
        if ranges:
            yield f"a range of its own: {ranges}"
        # A counter says nothing by itself.
        bare = re.sub(r"\b(?:rate|increase)\([^)]*\)", "", expr)
        if re.search(r"_(?:total|bucket|sum|count)\{", bare):
            yield f"a counter without rate or increase: {expr}"


def faults_of_variables(dashboard):
    variables = {v["name"]: v for v in dashboard["templating"]["list"]}
    if list(variables) != ["datasource", "job", "instance"]:
        yield f"variables {list(variables)}"
    for name in ("job", "instance"):
        v = variables[name]
        if (v["multi"], v["includeAll"], v["allValue"], v["refresh"]) != (True, True, ".+", 2):
            yield f"variable {name}: not multi, or not all by .+, or not new for each time range"
    if dashboard["editable"]:
        yield "editable"


def faults_of_places(panels):
    """Panels that lie on one another, or beyond the edge."""
    taken = {}
    for panel in panels:
        x, y, w, h = (panel["gridPos"][key] for key in "xywh")
        if x + w > 24:
            yield f"{panel['title']}: beyond the edge"
        for place in itertools.product(range(x, x + w), range(y, y + h)):
            if (other := taken.setdefault(place, panel["title"])) != panel["title"]:
                yield f"{panel['title']} and {other} overlap"
                break
    if len({panel["id"] for panel in panels}) != len(panels):
        yield "an id is there twice"


def main(rules_path):
    dashboard = json.loads(DASHBOARD.read_text())
    panels = dashboard["panels"]
    faults = [f"{p.get('title')}: {fault}" for p in panels for fault in faults_of(p)]
    faults += faults_of_variables(dashboard)
    faults += faults_of_places(panels)
    if faults:
        sys.exit("\n".join(["FAILED", *faults]))
    queries = [t["expr"] for panel in panels for t in panel.get("targets", ())]
    rules = [{"record": f"query:{n}", "expr": filled_in(q)} for n, q in enumerate(queries)]
    groups = {"groups": [{"name": "dashboard", "rules": rules}]}
    # JSON is YAML.
    pathlib.Path(rules_path).write_text(json.dumps(groups))
    print(f"{len(panels)} panels, {len(queries)} queries: {len(panels)} passed, 0 failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
