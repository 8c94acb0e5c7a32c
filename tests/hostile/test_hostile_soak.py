"""A server for a long time, with edits going on and clients asking: no error, memory and descriptors stay flat.

Takes as long as PINAKES_SOAK_MINUTES says, and is left out without it. Its figures are printed.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from kits.damage import laid_out_library
from kits.http import Server, serving
from kits.waiting import until

MINUTES = float(os.environ.get("PINAKES_SOAK_MINUTES", "0"))
CLIENTS = 4
EDIT_S = 0.5
SAMPLE_S = 10.0
PAUSE_S = 0.05

pytestmark = pytest.mark.skipif(not MINUTES or not os.path.isdir("/proc/self/fd"), reason="PINAKES_SOAK_MINUTES is 0")

REQUESTS: dict[str, Callable[[random.Random], str]] = {
    "search": lambda chance: f"/search?query=how+does+storage+{chance.randrange(50)}+work",
    "read": lambda chance: f"/read?address=storage/page-{5 * chance.randrange(8)}.md",
    "map": lambda chance: f"/map?budget={chance.choice((500, 2000))}",
    "links": lambda _: "/links?address=network/page-1.md",
    "check": lambda _: "/check",
    "status": lambda _: "/status",
}


class Sample(NamedTuple):
    """The server at a moment; memory in megabytes."""

    memory: int
    own: int
    """What it allocated."""
    mapped: int
    """Files of programs, models and indexes, as far as they are in memory."""
    threads: int
    descriptors: int


class Soak:
    """What the clients and the editor share, and what they saw."""

    def __init__(self, server: Server, root: Path) -> None:
        self.server = server
        self.root = root
        self.ending = threading.Event()
        self.took: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.edits = 0

    def client(self, number: int) -> None:
        chance = random.Random(number)
        while not self.ending.wait(PAUSE_S):
            kind = chance.choice((*REQUESTS, "search", "search", "search"))
            began = time.monotonic()
            try:
                answer = self.server.get(REQUESTS[kind](chance))
            except OSError as error:
                self.errors.append(f"{kind}: {error!r}")
                continue
            self.took[kind].append(time.monotonic() - began)
            if answer.status != 200:
                self.errors.append(f"{kind}: {answer.status} {answer.body[:300]!r}")

    def editor(self) -> None:
        """Writes, changes and removes documents of its own, and changes those that are asked for."""
        chance = random.Random(99)
        while not self.ending.wait(EDIT_S):
            self.edits += 1
            page = self.root / "storage" / f"page-{5 * chance.randrange(8)}.md"
            page.write_text(
                f"{page.read_text().splitlines()[0]}\n\nEdited {self.edits}: storage works.\n\n## Details\n\nx\n"
            )
            new = self.root / "new" / f"{self.edits % 40}.md"
            new.parent.mkdir(exist_ok=True)
            if new.exists():
                new.unlink()
            else:
                new.write_text(f"# New {self.edits}\n\nSee [storage](../storage/page-0.md). Word{self.edits}.\n")

    def sample(self) -> Sample:
        process = Path("/proc", str(self.server.process.pid))
        facts = dict(one.split(":", 1) for one in (process / "status").read_text().splitlines())
        memory, own, mapped = (int(facts[name].split()[0]) // 1024 for name in ("VmRSS", "RssAnon", "RssFile"))
        return Sample(memory, own, mapped, int(facts["Threads"]), len(list((process / "fd").iterdir())))


def test_a_server_stays_as_it_is_for_a_long_time(tmp_path: Path) -> None:
    root = laid_out_library(tmp_path / "root")
    with serving(root) as server:
        until(lambda: server.get("/search", query="storage").status == 200, "indexed")
        soak = Soak(server, root)
        threads = [threading.Thread(target=soak.client, args=(number,)) for number in range(CLIENTS)]
        threads.append(threading.Thread(target=soak.editor))
        for thread in threads:
            thread.start()
        samples: list[Sample] = []
        until_s = time.monotonic() + 60 * MINUTES
        while time.monotonic() < until_s:
            soak.ending.wait(min(SAMPLE_S, 60 * MINUTES / 20))
            samples.append(soak.sample())
            with open(tmp_path / "samples", "a", encoding="ascii") as kept:
                kept.write(f"{' '.join(map(str, samples[-1]))}\n")
        soak.ending.set()
        for thread in threads:
            thread.join()
        said = "".join(server.said)
    (tmp_path / "log").write_text(said)
    sys.stdout.write(f"{figures(soak, samples)}\n")
    assert soak.errors == []
    assert "Traceback" not in said, said[max(said.index("Traceback") - 500, 0) :][:5000]
    quarter = max(1, len(samples) // 4)
    quarters = [samples[at * quarter : (at + 1) * quarter] for at in range(4)]
    memory = [statistics.median(one.memory for one in part) for part in quarters]
    assert memory[3] <= 1.15 * memory[1] + 20, memory
    descriptors = [statistics.median(one.descriptors for one in part) for part in quarters]
    assert descriptors[3] <= descriptors[1] + 10, descriptors


def figures(soak: Soak, samples: list[Sample]) -> str:
    """A line for each kind of request, and memory and descriptors at each quarter."""
    lines = [f"{MINUTES:g} minutes, {CLIENTS} clients, {soak.edits:,} edits, {len(soak.errors)} errors"]
    for kind, took in sorted(soak.took.items()):
        ordered = sorted(took)
        middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
        lines.append(f"{kind}: {len(took):,} requests, p50 {1000 * middle:.0f} ms, p99 {1000 * late:.0f} ms")
    marks = [samples[min(len(samples) - 1, at * len(samples) // 4)] for at in range(5)]
    for name in Sample._fields:
        lines.append(f"{name} at each quarter: {', '.join(str(getattr(one, name)) for one in marks)}")
    return "\n".join(lines)
