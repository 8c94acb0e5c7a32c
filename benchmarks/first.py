"""From nothing to the first answer, as somebody meets it who has just installed a program; and each later command.

    python -m benchmarks.first FOLDER [--question TEXT] [--rounds N] [--rivals NAME,…] [--memory]

A folder of Markdown enters, a table leaves. Every program begins with the files and no index, in a process of its own,
one after the other: it reads them, cuts them at headings, indexes, and answers one question. Pinakes answers by words
from the first documents and goes on in another process; what that reaches, and when, are rows of their own. Rivals get
plain texts that a line scanner cut, which is less than Pinakes makes of them. *beside* is the time as a multiple of
Pinakes' first answer, *floor* as a multiple of reading, decoding and hashing the files once. A second table has the
bars, which are those of 18,330 files of 79 MB.
"""

from __future__ import annotations

import argparse
import compileall
import hashlib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pinakes
from benchmarks.search import rivals
from benchmarks.search.shelf import Ask, Shelf
from benchmarks.speed_bars import SpeedBar, table
from benchmarks.table import machine
from pinakes.index.plan import BUILDING, READING
from pinakes.library import Library, open_library
from pinakes.records import DOCS
from pinakes.serve.watch_socket import is_kept_current
from pinakes.words import open_words

QUESTION = "how do I keep a secret out of the build log"
RIVALS: dict[str, tuple[Callable[[Shelf], None], Callable[[Shelf], Ask], str]] = {
    "fts5": (rivals.build_fts5, rivals.fts5, "sqlite3"),
    "bm25s": (rivals.build_bm25s, rivals.bm25s, "bm25s"),
    "lancedb": (rivals.build_lancedb, rivals.lancedb_words, "lancedb"),
}
_NAMES = {"fts5": "SQLite FTS5", "bm25s": "bm25s", "lancedb": "LanceDB, full text", "rg": "ripgrep"}
FIRST, WORDS, WHOLE = "Pinakes: first answer, by words", "… all words", "… and vectors and keywords"
UNCHANGED, WATCHED, UNSYNCED = "a command, nothing changed", "a command beside a watcher", "a command with --no-sync"
BARS = {FIRST: 4.0, WORDS: 16.0, WHOLE: 50.0, UNCHANGED: 0.6, WATCHED: 0.3, UNSYNCED: 0.3}
"""Seconds."""
MOST_BYTES = 400e6
"""Of memory, all processes together."""
_LOOK_S = 0.2
_SAMPLE_S = 0.5
_HANG_S = 1800.0
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_DIMENSIONS = 8
"""LanceDB's table has a column of vectors; they are not asked, so they are short."""


def texts(folder: Path) -> Iterator[str]:
    """The sections of every file, cut at lines that begin like a heading."""
    for file in sorted(folder.rglob("*.md")):
        text = file.read_bytes().decode("utf-8", "replace")
        starts = [0, *(found.start() for found in _HEADING.finditer(text) if found.start()), len(text)]
        yield from (text[start:end] for start, end in pairwise(starts))


def rival(name: str, place: Path, folder: Path, question: str) -> None:
    """In a process of its own: index where there is no index, and answer."""
    build, ask, _ = RIVALS[name]
    shelf = Shelf(place)
    if not shelf.indexed(name).exists():
        found = list(texts(folder))
        shelf.passages.write_text("".join(f"{json.dumps(text)}\n" for text in found), encoding="utf-8")
        if name == "lancedb":
            import numpy as np

            np.save(shelf.vectors, np.zeros((len(found), _DIMENSIONS), dtype=np.float32))
        (place / "indexed").mkdir(exist_ok=True)
        build(shelf)
    if not ask(shelf)(question):
        raise SystemExit("It found nothing.")


def floor(folder: Path) -> float:
    """Seconds to read, decode and hash every file once, the better of two times."""
    times = []
    for _ in range(2):
        started = time.perf_counter()
        for file in folder.rglob("*.md"):
            data = file.read_bytes()
            data.decode("utf-8", "replace")
            hashlib.blake2b(data, digest_size=16)
        times.append(time.perf_counter() - started)
    return min(times)


def timed(command: Sequence[str], rounds: int = 1) -> float:
    """The median time of a command from its start to its end."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        times.append(time.perf_counter() - started)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command)}: {done.stderr[-500:]}")
    return statistics.median(times)


class Memory:
    """The most memory that processes with a word in their command line held together, while inside; a page that several
    of them share counts once."""

    def __init__(self, word: str, *, is_sampled: bool) -> None:
        self._is_sampled = is_sampled
        self._word = word.encode()
        self.most = 0
        self._end = threading.Event()

    def __enter__(self) -> Memory:
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(_SAMPLE_S):
            if self._is_sampled:
                self.most = max(self.most, sum(_held(pid) for pid in self.processes()))

    def processes(self) -> list[int]:
        """Those that are there, and their children."""
        found: list[int] = []
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                is_other = entry.name.isdigit() and int(entry.name) != os.getpid()
                if is_other and self._word in (entry / "cmdline").read_bytes():
                    children = (entry / "task" / entry.name / "children").read_text().split()
                    found += [int(entry.name), *map(int, children)]
        return [*dict.fromkeys(found)]


def _held(pid: int) -> int:
    with suppress(OSError):
        found = re.search(r"^Pss: +(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
        return 1024 * int(found[1]) if found else 0
    return 0


def until(holds: Callable[[], bool], started: float) -> float:
    """Look until something holds; seconds since `started`."""
    while not holds():
        if time.perf_counter() - started > _HANG_S:
            raise SystemExit("It does not end.")
        time.sleep(_LOOK_S)
    return time.perf_counter() - started


def has_all_words(library: Library) -> bool:
    """Whether every document that will be indexed is, and the word index has all of them."""
    docs = library.corpus(DOCS)
    # Not `share`, which counts: looking must not slow down what is looked at.
    if not docs.is_indexed or not docs.store.setting(READING) or docs.store.setting(BUILDING):
        return False
    made = open_words(docs.own.folder("words")).generation
    return bool(made) and not docs.store.feed(made).changed


@contextmanager
def watched(command: Sequence[str], library: Library) -> Iterator[None]:
    """A process that keeps the index current, while inside."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: is_kept_current(library) or process.poll() is not None, time.perf_counter())
        if process.poll() is not None:
            raise SystemExit(f"{' '.join(command)} ended.")
        yield
    finally:
        process.terminate()
        process.wait()


def ours(folder: Path, store: Path, options: argparse.Namespace) -> Iterator[tuple[str, float, str]]:
    """What each step took, from nothing on, and a note."""
    place = ["--root", str(folder), "--store", str(store)]
    search = [sys.executable, "-m", "pinakes", "search", options.question, *place]
    with Memory(str(store), is_sampled=options.memory) as memory:
        started = time.perf_counter()
        said = subprocess.run(search, capture_output=True, text=True)
        first = time.perf_counter() - started
        share = re.search(r"[\d,]+ of [\d,]+ documents", said.stdout + said.stderr)
        yield FIRST, first, f"from {share[0]}" if share else "from all documents"
        with open_library(folder, {"store": store}) as library:
            yield WORDS, until(lambda: has_all_words(library), started), ""
            try:
                whole = until(lambda: not memory.processes(), started)
            finally:
                for pid in memory.processes():
                    os.kill(pid, signal.SIGTERM)
    options.most_bytes = memory.most
    note = f"{memory.most / 1e6:,.0f} MB at most, all processes together" if options.memory else ""
    yield WHOLE, whole, note
    with open_library(folder, {"store": store}) as library:
        timed(search)
        yield UNCHANGED, timed(search, options.rounds), f"median of {options.rounds}"
        watching = [sys.executable, "-m", "pinakes", "watch", *place]
        with watched(watching, library):
            yield WATCHED, timed(search, options.rounds), ""
        yield UNSYNCED, timed([*search, "--no-sync"], options.rounds), ""


def others(folder: Path, kept: Path, options: argparse.Namespace) -> Iterator[tuple[str, float | None, str]]:
    for name in options.rivals.split(","):
        if name == "rg":
            if program := shutil.which("rg"):
                words = "|".join(word for word in re.findall(r"\w+", options.question) if len(word) > 3)
                command = [program, "--count", "--ignore-case", "--glob", "*.md", words, str(folder)]
                yield _NAMES[name], timed(command, options.rounds), "lines with any of the words, no ranking, no index"
            else:
                yield _NAMES[name], None, "not installed"
        elif name not in RIVALS:
            raise SystemExit(f"There is no rival “{name}”. There are {', '.join(_NAMES)}.")
        elif find_spec(RIVALS[name][2]) is None:
            yield _NAMES[name], None, f"not installed: pip install {RIVALS[name][2]}"
        else:
            place = kept / name
            place.mkdir()
            child = [sys.executable, "-m", "benchmarks.first", str(folder), "--question", options.question]
            child += ["--child", name, str(place)]
            yield f"{_NAMES[name]}: first answer", timed(child), "reads, cuts at headings, indexes, answers"
            yield f"{_NAMES[name]}: a new process", timed(child, options.rounds), "with its index there"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--question", default=QUESTION)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rivals", default=",".join(_NAMES))
    parser.add_argument("--memory", action="store_true", help="sample the memory, which costs a little time")
    parser.add_argument("--child", nargs=2, metavar=("NAME", "PLACE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.child:
        rival(options.child[0], Path(options.child[1]), folder, options.question)
        return
    # As pip does: else every process would compile what it imports where PYTHONDONTWRITEBYTECODE is set.
    compileall.compile_dir(Path(pinakes.__file__).parent, quiet=1)
    least = floor(folder)
    print(f"{machine()}\n\n| what | time | beside | floor | how |\n|---|---:|---:|---:|---|")
    print(f"| read, decode and hash every file once | {least:.2f} s | | 1.0 | |")
    with tempfile.TemporaryDirectory(prefix="pinakes-first-") as kept:
        first = 0.0
        bars = []
        for what, seconds, note in ours(folder, Path(kept) / "index", options):
            first = first or seconds
            bars.append(SpeedBar(what.removeprefix("Pinakes: "), "s", BARS[what], seconds))
            print(f"| {what} | {seconds:.2f} s | {seconds / first:.2f} | {seconds / least:.1f} | {note} |", flush=True)
        for what, took, note in others(folder, Path(kept), options):
            figures = f"{took:.2f} s | {took / first:.2f} | {took / least:.1f}" if took is not None else "– | | "
            print(f"| {what} | {figures} | {note} |", flush=True)
    megabytes = options.most_bytes / 1e6 if options.memory else None
    print("\n".join(table([*bars, SpeedBar("memory from nothing", "MB", MOST_BYTES / 1e6, megabytes)])))


if __name__ == "__main__":
    main()
