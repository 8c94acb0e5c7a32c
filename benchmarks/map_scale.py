"""Is the map quick at any scale? A folder, its index and 8,000 tokens.

A folder enters; it is copied, because one of its documents is edited. Measured are: the first map after an index was
made, which also makes the catalogue that later ones use; `pinakes map --no-sync` in new processes, from their start to
the last byte; maps in a process that is there, each with another budget, so that none is just remembered; with another
focus each; after an edit of a sentence, as a watching server meets it, comparing the one file left out; and after a new
link. The best of the rounds counts, and processor time stands beside it, because the machine may have other work;
promises are kept by the lower one. Memory is the largest a process had.

    python -m benchmarks.map_scale FOLDER [--kept FOLDER] [--rounds 5]
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median

from benchmarks.clock import Work, say
from pinakes.library import Library, open_library
from pinakes.outline import MapRequest

BUDGET_TOKENS = 8000
_BUDGETS = count(BUDGET_TOKENS, -1)
"""Another one for each map."""


@dataclass(frozen=True, slots=True)
class _Row:
    what: str
    rounds: tuple[tuple[float, float], ...]
    """Seconds that passed, and seconds of processors."""
    promised_s: float | None = None

    @property
    def is_kept(self) -> bool:
        return self.promised_s is None or min(map(min, self.rounds)) <= self.promised_s

    def __str__(self) -> str:
        passed, used = zip(*self.rounds, strict=True)
        promised = f"{1000 * self.promised_s:,.0f} ms" if self.promised_s else ""
        figures = (min(passed), median(passed), min(used))
        return f"| {self.what} | {' | '.join(f'{1000 * one:,.0f} ms' for one in figures)} | {promised} |"


def _timed(work: Work, rounds: int = 1) -> tuple[tuple[float, float], ...]:
    found = []
    for _ in range(rounds):
        gc.collect()
        used, started = _processor_s(), time.perf_counter()
        work()
        found.append((time.perf_counter() - started, _processor_s() - used))
    return tuple(found)


def _processor_s() -> float:
    """Of this process and of those it has waited for."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, who))


def main() -> int:
    """Measure and print; exit 1 when a promise is not kept."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    options.add_argument("folder", type=Path)
    options.add_argument("--kept", type=Path, help="where the copy and its index stay for the next run")
    options.add_argument("--rounds", type=int, default=5)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="pinakes-map-") as scratch:
        rows, notes = measure(given.folder, given.kept or Path(scratch), given.rounds)
    print("| map of 8,000 tokens | best | median | processor time | promised |\n|---|---:|---:|---:|---:|")
    print("\n".join(map(str, rows)))
    print(f"\n{notes}")
    return 0 if all(row.is_kept for row in rows) else 1


def measure(folder: Path, home: Path, rounds: int) -> tuple[list[_Row], str]:
    """The rows, and what they were measured over."""
    root, store = home / "documents", home / "index"
    if not root.exists():
        say("copy")
        shutil.copytree(folder, root)
    pinakes = [sys.executable, "-m", "pinakes"]
    where = ["--root", str(root), "--store", str(store)]
    # Modules are compiled once, as they are where somebody installs the package.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment.setdefault("PYTHONPYCACHEPREFIX", str(home / "compiled"))

    def run(*command: str) -> None:
        subprocess.run([*pinakes, *command, *where], check=True, capture_output=True, env=environment)

    def cold() -> None:
        run("map", "--no-sync", "--budget", str(next(_BUDGETS)))

    say("index")
    run("sync")
    say("new processes")
    first, started = _timed(cold), _timed(cold, rounds)
    cold_bytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    say("one process")
    with open_library(root, {"store": store}) as library:
        drawn = library.map(request=MapRequest(BUDGET_TOKENS))
        rows = [
            _Row("the first one, which makes the catalogue", first),
            _Row("a new process: `pinakes map --no-sync`", started, 0.6),
            *_warm(library, rounds),
        ]
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    notes = (
        f"{drawn.total_documents:,} documents, {drawn.total_sections:,} sections; memory at most:"
        f" {cold_bytes / 1024:,.0f} MB to make the index and in new processes, {own / 1024:,.0f} MB in the one process"
    )
    return rows, notes


def _warm(library: Library, rounds: int) -> Iterator[_Row]:
    """In this process, with everything read that a map reads once."""

    def ask(focus: str = "") -> None:
        library.map(request=MapRequest(next(_BUDGETS)), focus=focus).text()

    paths = sorted(library.corpus().digests())
    edited, linked = paths[0], paths[len(paths) // 2]
    topics = iter([library.document(path).title for path in paths[:: max(1, len(paths) // (rounds + 2))]])
    ask()
    yield _Row("another budget", _timed(ask, rounds), 0.3)
    ask(next(topics))
    yield _Row("another focus", _timed(lambda: ask(next(topics)), rounds), 0.3)
    yield _Row("after an edited sentence", _edited(library, edited, "A sentence.", ask, rounds), 0.15)
    library.answer_sooner(3600.0)
    link = f"See [there](/{linked})."
    yield _Row("after a new link, in a server", _edited(library, edited, link, ask, 1))
    library.answer_sooner(0.0)
    yield _Row("after a new link, ranks made again", _timed(ask))


def _edited(library: Library, path: str, text: str, ask: Work, rounds: int) -> tuple[tuple[float, float], ...]:
    """Maps after an edit each; the file is put back at the end."""
    file = library.root / path
    before = file.read_bytes()
    found: list[tuple[float, float]] = []
    for number in range(rounds):
        file.write_bytes(before + f"\n\n{text} {'again ' * number}\n".encode())
        library.corpus().refresh([path])
        found += _timed(ask)
    file.write_bytes(before)
    return tuple(found)


if __name__ == "__main__":
    raise SystemExit(main())
