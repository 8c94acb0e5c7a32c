"""How long does a reader wait for the map? From process start to last byte, and in a process that is already there.

A folder and its filled store enter, figures leave.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from benchmarks.clock import Times, Work, in_turns, repeated
from benchmarks.folder import Folder
from benchmarks.table import Figure, Group, ratio
from pinakes.library import Library, open_library
from pinakes.outline import Map, MapRequest
from pinakes.tokens import count_tokens

BUDGET_TOKENS = 8000


def measure_mapping(folder: Folder, store: Path, rounds: int, *, keywords: bool) -> Group:
    """The map from cold processes that take turns, then in this one."""
    per = f"{len(folder.stamps):,} files"
    cold = _cold(folder.root, store, rounds, keywords=keywords)
    with open_library(folder.root, {"store": store, "keywords.enabled": keywords}) as library:
        return Group(
            "Map, with its index there",
            (
                Figure(
                    "python alone",
                    cold["python"].median,
                    "s",
                    "",
                    note=f"process start to end; {cold['python'].told}",
                ),
                _cold_row("pinakes map", cold, "compared with the folder first", per),
                _cold_row("pinakes map --no-sync", cold, "answered from the index", per),
                _warm_row("whole map", library, 0, rounds),
                _warm_row(f"map of {BUDGET_TOKENS:,} tokens", library, BUDGET_TOKENS, rounds),
            ),
        )


def _cold(root: Path, store: Path, rounds: int, *, keywords: bool) -> dict[str, Times]:
    ask = [sys.executable, "-m", "pinakes", "map", "--root", str(root), "--store", str(store)]
    # Without keywords in the index, the first map would begin to make them, and that is not what is timed.
    environment = {**os.environ, "PINAKES_KEYWORDS_ENABLED": "true" if keywords else "false"}
    commands = {
        "python": [sys.executable, "-c", "pass"],
        "pinakes map": ask,
        "pinakes map --no-sync": [*ask, "--no-sync"],
    }

    starts: dict[str, Work] = {name: partial(_start, command, environment) for name, command in commands.items()}
    in_turns(starts, 1)  # compiled modules and the disk cache
    return in_turns(starts, rounds)


def _start(command: list[str], environment: dict[str, str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)


def _cold_row(name: str, cold: dict[str, Times], note: str, per: str) -> Figure:
    times = cold[name]
    return Figure(
        name,
        times.median,
        "s",
        per,
        ratio(times.median, cold["python"].median, "python alone"),
        f"process start to last byte, {BUDGET_TOKENS:,} tokens, {note}; {times.told}",
    )


def _warm_row(name: str, library: Library, budget: int, rounds: int) -> Figure:
    drawn: Map = library.map(request=MapRequest(budget_tokens=budget))
    text = drawn.text()
    times = repeated(lambda: library.map(request=MapRequest(budget_tokens=budget)).text(), rounds)
    per = f"{drawn.total_documents:,} documents, {drawn.total_sections:,} sections"
    note = f"in-process, read from the store each time; {count_tokens(text):,} tokens; {times.told}"
    return Figure(name, times.median, "s", per, note=note)
