"""How long is the way through the house? `python -m benchmarks.routes` traces every route of a small library.

Nothing enters: three documents are written to a folder that is removed at the end. A table leaves, first figures beside
today's: distinct functions and files that ran, lines in those files, rooms, calls into another file and into another
room, the deepest stack of our own frames, calls from the door to `index.sync.sync`, and functions that run before
`search.search` is entered. `--ways` adds the calls between the door and the comparison.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.clock import say
from benchmarks.routes.doors import DOORS
from benchmarks.routes.first import FIRST, MEASURES, REVIEW

PAGES = {
    "README.md": "# Harbour\n\nThe harbour office. See [tides](tides.md) and [[cranes]].\n",
    "tides.md": "---\ntags: [sea]\n---\n# Tides\n\nHigh water comes twice a day.\n\n## Tables\n\n"
    "Tide tables are printed every January.\n\n```python\ndef high_water(day): ...\n```\n\n[Gone](nowhere.md)\n",
    "cranes.md": "# Cranes\n\nA crane lifts forty tonnes. Back to the [harbour](README.md).\n",
}
SETTINGS = '[neural]\nmodel = "static"\n\n[watch]\nquiet_ms = 60\n'
_LONGEST_S = 300


def main(arguments: list[str] | None = None) -> int:
    """Trace and print; exit 2 when a route could not be gone."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--doors", nargs="+", choices=DOORS, default=DOORS, help="only these processes")
    parser.add_argument("--ways", action="store_true", help="print the calls from each door to the comparison")
    parser.add_argument("--json", action="store_true", help="print plain data")
    options = parser.parse_args(arguments)
    traces: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="pinakes-routes-") as scratch:
        for door in options.doors:
            say(f"the routes of {door}")
            traces |= _traced(door, Path(scratch) / door)
    if options.json:
        print(json.dumps(traces, indent=1))
        return 0
    print(table(traces))
    if options.ways:
        for route, trace in traces.items():
            print(f"\n{route}\n" + "\n".join(f"  {step}" for step in trace["way"]) if trace["way"] else "", end="")
    return 0


def _traced(door: str, scratch: Path) -> dict[str, dict[str, Any]]:
    """The figures of the routes of one process, over a library of its own."""
    folder = scratch / "docs"
    folder.mkdir(parents=True)
    for name, text in {**PAGES, "pinakes.toml": SETTINGS}.items():
        (folder / name).write_text(text, encoding="utf-8")
    figures = scratch / "figures.json"
    command = [sys.executable, "-m", "benchmarks.routes.doors", door, str(folder), str(figures)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=_LONGEST_S)
    if not figures.exists():
        say(f"{door} failed: {done.stderr}")
        raise SystemExit(2)
    found: dict[str, dict[str, Any]] = json.loads(figures.read_text(encoding="utf-8"))
    return found


def table(traces: dict[str, dict[str, Any]]) -> str:
    """A row for each route; a cell has the first figure, today's, and their ratio."""
    lines = [
        "first → now (ratio); the last column has the files and functions of the review that began it",
        "",
        f"| route | {' | '.join(MEASURES.values())} | review |",
        f"|---|{'---:|' * len(MEASURES)}---|",
    ]
    for route, trace in traces.items():
        first = FIRST.get(route, {})
        cells = [_cell(first.get(measure), trace[measure]) for measure in MEASURES]
        lines.append(f"| {route} | {' | '.join(cells)} | {REVIEW.get(route, '')} |")
    return "\n".join(lines)


def _cell(first: int | None, now: int | None) -> str:
    if now is None:
        return "–"
    return f"{first:,} → {now:,} ({now / first:.2f})" if first else f"{now:,}"


if __name__ == "__main__":
    sys.exit(main())
