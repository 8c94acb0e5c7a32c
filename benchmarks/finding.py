"""How long until words and meaning can be asked for, and how long does a question take?

A folder and a store that agrees with it enter; figures leave. As a program (`python -m benchmarks.finding STORE`) it
indexes a store in a process of its own, so that the memory it needs is its own, and prints one JSON object.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from benchmarks.child import peak_bytes
from benchmarks.clock import Times, once
from benchmarks.folder import Folder
from benchmarks.syncing import copied_in, store_in
from benchmarks.table import Figure, Group
from pinakes.config import load_config
from pinakes.index import ignore_progress
from pinakes.index.reading import USUAL, read_entry
from pinakes.index.sync import link
from pinakes.neural import load_embedder
from pinakes.own_folder import OwnFolder
from pinakes.ports import Embedder, Source, Store
from pinakes.records import DOCS, Change, Entry, Scope, Stamp
from pinakes.sources import FolderSource
from pinakes.store import open_sqlite
from pinakes.vectors import open_vectors
from pinakes.vectors.file import VectorFile
from pinakes.words import open_words, parse_question
from pinakes.words.index import TantivyWords

_PROJECT = Path(__file__).resolve().parents[1]
T = TypeVar("T")

_QUESTIONS = 200
_BEST = 100
"""Sections that are asked for: as many as search fuses."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """What words and vectors of everything took."""

    words_s: float
    vectors_s: float
    cpu_s: float
    rows: int
    peak_bytes: int


def measure_finding(folder: Folder, scratch: Path, rounds: int) -> Group:
    """Index what the sync left in its store, change a file of its copy, and ask."""
    store = store_in(scratch)
    made = _in_a_process(store)
    per = folder.markdown.per
    rows = [
        Figure("words of everything", made.words_s, "s", per, note="after the sync"),
        Figure(
            "vectors of everything",
            made.vectors_s,
            "s",
            per,
            note=f"static embedder, {made.rows:,} texts; {made.cpu_s:.1f} s of processor time for words and vectors, "
            f"peak resident memory {made.peak_bytes / 1e6:,.0f} MB",
        ),
        _change_row(folder, scratch, rounds),
        *_question_rows(store),
    ]
    return Group("Finding", tuple(rows))


def _in_a_process(store: Path) -> Indexed:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_PROJECT), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "benchmarks.finding", str(store)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    return Indexed(**json.loads(done.stdout))


def index(place: Path) -> Indexed:
    """Bring words and vectors up to date with the store in `place`."""
    store = open_sqlite(OwnFolder(place), read_only=True)
    words, vectors, embedder = (
        open_words(OwnFolder(place / "words")),
        open_vectors(OwnFolder(place / "vectors")),
        load_embedder(),
    )
    words_s = once(lambda: words.update(store))
    vectors_s = once(lambda: vectors.update(store, embedder))
    store.close()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return Indexed(words_s, vectors_s, used.ru_utime + used.ru_stime, vectors.now.rows, peak_bytes())


def _change_row(folder: Folder, scratch: Path, rounds: int) -> Figure:
    """A paragraph more in a middle-sized document of the copy, until words and meaning know it.

    The folder is not compared with the store: that is what a sync does besides, and has a row of its own.
    """
    root, place = copied_in(scratch)
    _in_a_process(place)
    sizes = sorted((len(raw.data), raw.stamp.ref.path) for raw in folder.markdown.raws)
    size, path = sizes[len(sizes) // 2]
    store = open_sqlite(OwnFolder(place))
    source = FolderSource(root, load_config(root).sources)
    stamp = next(stamp for stamp in source.scan().stamps if stamp.ref.path == path)
    words, vectors = open_words(OwnFolder(place / "words")), open_vectors(OwnFolder(place / "vectors"))
    parts = _Parts(store, words, vectors, load_embedder(), source, stamp)
    parts.run(root / path, "to begin with")
    took = [parts.run(root / path, f"number {turn}") for turn in range(max(3, rounds))]
    store.close()
    wall = Times(tuple(sum(seconds) for seconds, _ in took))
    cpu = statistics.median(sum(seconds) for _, seconds in took)
    told = ", ".join(
        f"{name} {1000 * statistics.median(seconds[at] for seconds, _ in took):.1f} ms"
        for at, name in enumerate(("reading, storing and linking", "words", "vectors"))
    )
    return Figure(
        "one file changed, until it is found",
        wall.median,
        "s",
        f"{len(folder.stamps):,} files",
        note=f"a paragraph more in a document of {size / 1000:.1f} kB, in a running process; {wall.told}; {told}; "
        f"{1000 * cpu:.1f} ms of processor time; without comparing the folder",
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """What has to happen to one changed file."""

    store: Store
    words: TantivyWords
    vectors: VectorFile
    embedder: Embedder
    source: Source
    stamp: Stamp

    def run(self, file: Path, paragraph: str) -> tuple[list[float], list[float]]:
        """Change it; seconds and processor seconds of each part."""
        with file.open("a", encoding="utf-8") as open_file:
            open_file.write(f"\n\nOne more paragraph, {paragraph}.\n")
        works: list[Callable[[], None]] = [
            self._take_in,
            lambda: self.words.update(self.store),
            lambda: self.vectors.update(self.store, self.embedder),
        ]
        cpu, wall = [], []
        for work in works:
            gc.collect()
            started, before = time.perf_counter(), time.process_time()
            work()
            cpu.append(time.process_time() - before)
            wall.append(time.perf_counter() - started)
        return wall, cpu

    def _take_in(self) -> None:
        entry = read_entry(self.source, self.stamp, "", USUAL)
        assert isinstance(entry, Entry)
        with self.store.transaction():
            self.store.write(Change(put=(entry,)))
            link(self.store, DOCS, ignore_progress)


def _question_rows(place: Path) -> list[Figure]:
    """Headings of the documents themselves as questions, everywhere and in a part of the documents."""
    store = open_sqlite(OwnFolder(place), read_only=True)
    words, vectors, embedder = (
        open_words(OwnFolder(place / "words")),
        open_vectors(OwnFolder(place / "vectors")),
        load_embedder(),
    )
    numbers = store.feed(0).changed
    step = max(1, len(numbers) // _QUESTIONS)
    titles = [
        section.title
        for one in store.documents_by_number(numbers[::step][:_QUESTIONS])
        for section in one.document.sections[1:2]
        if section.title
    ] or ["nothing"]
    part = Scope(frozenset(numbers[: max(1, len(numbers) // 50)]))
    asked = [embedder.encode([title])[0] for title in titles]
    per = f"{len(titles):,} headings, {vectors.now.rows:,} vectors"
    rows = []
    for name, scope in (("everywhere", None), ("in a fiftieth of the documents", part)):
        by_words = _median(
            [(parse_question(title), scope) for title in titles], lambda one: words.now.match(*one, _BEST)
        )
        by_meaning = _median([(vector, scope) for vector in asked], lambda one: vectors.now.nearest(*one, _BEST))
        rows += [
            Figure(f"by words, {name}", by_words, "s", per, note=f"median; the best {_BEST}"),
            Figure(f"by meaning, {name}", by_meaning, "s", per, note=f"median; the best {_BEST}, exact"),
        ]
    store.close()
    return rows


def _median(questions: Sequence[T], ask: Callable[[T], object]) -> float:
    ask(questions[0])
    times = []
    for question in questions:
        started = time.perf_counter()
        ask(question)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


if __name__ == "__main__":
    print(json.dumps(asdict(index(Path(sys.argv[1])))))
