"""`python -m benchmarks.recent FOLDER`: three ways to make an edited document searchable by its words, side by side.

*memory* holds the last few documents in Python and scores them as the engine does. *second index* puts them into an
index of the engine's that lives in memory. *commit* hands every change to the engine's files. Each way starts from a
copy of the same index and meets the same edits, one at a time. Its answers are then compared with those of an index
built anew: how many of the first ten are the same, and how far the scores of the edited documents are off.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from benchmarks.clock import say
from benchmarks.folder import Folder, open_folder
from benchmarks.search.grow import lay_out, passages_each
from benchmarks.table import machine
from pinakes.config import load_config
from pinakes.index import ignore_progress
from pinakes.index.reading import USUAL, read_entry
from pinakes.index.sync import link, sync
from pinakes.own_folder import OwnFolder
from pinakes.ports import Reader, Store
from pinakes.records import DOCS, Change, Entry, Feed, ParsedQuestion, Scored, Stamp, best_first
from pinakes.sources import FolderSource
from pinakes.store import open_sqlite
from pinakes.words import open_words, parse_question
from pinakes.words.ask import best, question
from pinakes.words.engine import add_rows, open_searcher, schema
from pinakes.words.fields import rows
from pinakes.words.manifest import read_manifest
from pinakes.words.tokenize import Terms, as_written, english
from pinakes.words.update import update

if TYPE_CHECKING:
    from tantivy import Searcher

SIZES = (20_000, 150_000)
EDITS = 15
"""As many as are held in memory before the engine gets them."""
QUESTIONS = 100
LIMIT = 100
FIRST = 10


class Way(Protocol):
    """One way to keep words up to date."""

    def update(self, reader: Reader) -> None: ...

    def match(self, asked: ParsedQuestion) -> Sequence[Scored]: ...


class Memory:
    """What the library does."""

    def __init__(self, folder: Path) -> None:
        self._words = open_words(OwnFolder(folder, 2))

    def update(self, reader: Reader) -> None:
        self._words.update(reader)

    def match(self, asked: ParsedQuestion) -> Sequence[Scored]:
        return self._words.now.match(asked, None, LIMIT)


class Commit(Memory):
    """One commit of the engine for every change."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._folder = folder

    def update(self, reader: Reader) -> None:
        update(OwnFolder(self._folder), reader)


class SecondIndex:
    """An index in memory for the documents that changed since the files were written."""

    def __init__(self, folder: Path) -> None:
        manifest = read_manifest(OwnFolder(folder))
        assert manifest is not None
        self._generation = manifest.generation
        self._searcher, self._schema = open_searcher(OwnFolder(folder).folder(manifest.folder))
        self._recent: Searcher | None = None
        self._replaced: frozenset[int] = frozenset()
        self._stem = english()

    def update(self, reader: Reader) -> None:
        from tantivy import Index

        feed: Feed = reader.feed(self._generation)
        index = Index(schema())
        writer = index.writer(15_000_000, 1)
        prose, code = Terms(english()), Terms(as_written)
        for numbered in reader.documents_by_number(feed.changed):
            add_rows(writer, numbered.number, tuple(rows(numbered, prose, code)))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._recent = index.searcher()
        self._replaced = frozenset((*feed.changed, *feed.gone))

    def match(self, asked: ParsedQuestion) -> Sequence[Scored]:
        query = question(self._schema, asked, self._stem)
        found = best(self._searcher, query, LIMIT, self._replaced)
        if self._recent is not None:
            found += best(self._recent, query, LIMIT, frozenset())
        return best_first(found)[:LIMIT]


WAYS: dict[str, Callable[[Path], Way]] = {"memory": Memory, "second index": SecondIndex, "commit": Commit}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was measured of one way."""

    name: str
    edit_s: float
    """From a stored edit to the first answer that knows it, median."""
    slowest_s: float
    match_s: float
    """A question afterwards, median."""
    same_first: float
    """Share of the first ten that a new index finds too."""
    score_error: float
    """How far scores of edited documents are off from those of a new index, relative, mean."""


def main(arguments: list[str] | None = None) -> int:
    """Read the arguments, build, measure, print; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recent", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder that holds Markdown; it is only read")
    parser.add_argument("--sections", type=int, nargs="+", default=SIZES, metavar="N", help="sizes (default: both)")
    wanted = parser.parse_args(arguments)
    folder = open_folder(wanted.folder.resolve())
    print("| sections | way | edit to answer, ms | slowest, ms | question, ms | same first ten | scores off by |")
    print("|---:|---|---:|---:|---:|---:|---:|")
    for size in wanted.sections:
        with tempfile.TemporaryDirectory(prefix="pinakes-bench-") as scratch:
            for one in measure(folder, size, Path(scratch)):
                print(
                    f"| {size:,} | {one.name} | {1000 * one.edit_s:.1f} | {1000 * one.slowest_s:.1f} "
                    f"| {1000 * one.match_s:.2f} | {one.same_first:.1%} | {one.score_error:.1%} |",
                    flush=True,
                )
    print(f"\n{machine()}.")
    return 0


def measure(folder: Folder, size: int, scratch: Path) -> list[Outcome]:
    """Build a library of about `size` sections and try every way on it."""
    source = FolderSource(folder.root, load_config(folder.root).sources)
    documents = max(1, round(size / passages_each(source, folder.markdown.raws)))
    root = scratch / "corpus"
    say(f"{size:,} sections: writing and indexing {documents:,} documents")
    lay_out(folder.markdown.raws, documents, root)
    outcomes = []
    for name, way in WAYS.items():
        own, place = scratch / f"store {name}", scratch / "words" / name
        store = open_sqlite(OwnFolder(own))  # a copy would not be believed
        sync(FolderSource(root, load_config(root).sources), store)
        open_words(OwnFolder(place, 2)).update(store)
        store.close()
        say(f"{size:,} sections: {name}")
        outcomes.append(_measured(name, way(place), own, FolderSource(root, load_config(root).sources)))
    return outcomes


def _measured(name: str, way: Way, place: Path, source: FolderSource) -> Outcome:
    store = open_sqlite(OwnFolder(place))
    stamps = source.scan().stamps
    asked = [parse_question(title) for title in _titles(store)]
    for one in asked:
        way.match(one)
    chosen = stamps[:: max(1, len(stamps) // EDITS)][:EDITS]
    took = []
    for number, stamp in enumerate(chosen):
        word = f"zebrafish{number}"
        _edit(store, source, stamp, word)
        started = time.perf_counter()
        way.update(store)
        found = way.match(parse_question(word))
        took.append(time.perf_counter() - started)
        assert found, f"{name}: the edit is not found"
    seconds = []
    for one in asked:
        started = time.perf_counter()
        way.match(one)
        seconds.append(time.perf_counter() - started)
    same, error = _compared(way, store, place / "new words", asked, len(chosen))
    store.close()
    return Outcome(name, statistics.median(took), max(took), statistics.median(seconds), same, error)


def _edit(store: Store, source: FolderSource, stamp: Stamp, word: str) -> None:
    """Store the document with one more paragraph; the file itself is as before afterwards."""
    file = source.root / stamp.ref.path
    before = file.read_bytes()
    file.write_bytes(before + f"\n\nOne more paragraph about {word}.\n".encode())
    try:
        entry = read_entry(source, stamp, "", USUAL)
    finally:
        file.write_bytes(before)
    assert isinstance(entry, Entry)
    with store.transaction():
        store.write(Change(put=(entry,)))
        link(store, DOCS, ignore_progress)


def _titles(store: Store) -> list[str]:
    numbers = store.feed(0).changed
    some = numbers[:: max(1, len(numbers) // QUESTIONS)][:QUESTIONS]
    return [one.document.title for one in store.documents_by_number(some) if one.document.title]


def _compared(way: Way, store: Store, folder: Path, asked: Sequence[ParsedQuestion], edits: int) -> tuple[float, float]:
    whole = open_words(OwnFolder(folder, 2))
    whole.update(store)
    shared, errors = [], []
    for one in asked:
        right, found = whole.now.match(one, None, LIMIT), way.match(one)
        first = {hit.chunk for hit in right[:FIRST]}
        if first:
            shared.append(len(first & {hit.chunk for hit in found[:FIRST]}) / len(first))
    for number in range(edits):
        one = parse_question(f"zebrafish{number} paragraph")
        right, scores = whole.now.match(one, None, 1), dict(way.match(one))
        errors.append(abs(scores.get(right[0].chunk, 0.0) - right[0].score) / right[0].score)
    return statistics.mean(shared), statistics.mean(errors)


if __name__ == "__main__":
    sys.exit(main())
