"""The benchmark of routes goes every route of a tiny library, through the doors that a user would take."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
NEVER_COMPARED = {"open", "search, warm", "HTTP, watched, warm", "page, watched, warm", "MCP, within 2 s"}
NEVER_SEARCHED = {"open", "first sync", "refresh, nothing changed", "refresh, one edit", "edit seen by the watcher"}


def test_every_route_is_traced_to_where_it_leads() -> None:
    command = [sys.executable, "-m", "benchmarks.routes", "--json"]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    traces = json.loads(done.stdout)
    assert len(traces) == 13
    assert {route for route, trace in traces.items() if trace["hops"] is None} == NEVER_COMPARED
    assert {route for route, trace in traces.items() if trace["before_search"] is None} == NEVER_SEARCHED
    for trace in traces.values():
        assert trace["rooms"] <= trace["files"] <= trace["functions"]
        assert trace["room_calls"] <= trace["file_calls"]
        assert trace["way"][-1:] in ([], ["index/sync.py:sync"])


def test_a_table_shows_the_first_figures_beside_todays() -> None:
    command = [sys.executable, "-m", "benchmarks.routes", "--doors", "command"]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("| command line |"))
    assert row.startswith("| command line | 468 → ")
