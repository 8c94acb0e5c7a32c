"""The promise `WordIndex`, kept by tantivy.

The folder holds ``made.json``, which says what the index was made from and where the engine's files are, those files in
a folder beside it, and a lock. An update adds to the files; an index that is missing, damaged, of another form or of
another store is made anew in another folder while the old one answers, and takes its place when it is whole.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pinakes.errors import StoreBusy, StoreDamaged, StoreError
from pinakes.ports import Reader
from pinakes.records import ChunkId, Feed, Scope, Scored
from pinakes.words.ask import MOST_BITS, bits, chunk_of, place_number, question, within
from pinakes.words.engine import create, engine_errors, open_index, replace_rows, writing
from pinakes.words.fields import rows
from pinakes.words.made import NAME, Made, changed_size, read_made, sizes, write_made
from pinakes.words.query import parse_question
from pinakes.words.tokenize import Form, Terms, as_written, english

if TYPE_CHECKING:
    from tantivy import Index, Query, Schema, Searcher

_FORM = "1"
"""Changes with every change to the terms of a chunk or to the fields they are in, so that older ones are made anew."""
_LOCK = "update.lock"
_WAIT_S = 30.0
_BATCH = 200
"""Documents that are read at a time."""
_MANY = 1000
"""Documents of an update from which it pays to give the engine more memory; places of a scope up to which it is
cheaper to name them all to the engine than to look for them among its best hits; chunks from which a count may be off
by what was removed lately."""
_NEXT_STEP = "Check the folder's permissions and the room on its disk."


@dataclass(frozen=True, slots=True)
class _Opened:
    made: Made
    index: Index
    schema: Schema
    searcher: Searcher


class TantivyWords:
    """Opens files when first asked and looks again when another process has published newer ones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: tuple[int, ...] = ()
        self._opened: _Opened | None = None
        self._form: Form = english()
        self._prose = Terms(self._form)
        self._code = Terms(as_written)

    @property
    def generation(self) -> int:
        """The store's, when this was made; 0 when there is nothing that answers."""
        made = read_made(self._folder, form_name())
        return made.generation if made else 0

    def update(self, reader: Reader) -> None:
        """Catch up with the store; what was there answers until all of the new is whole."""
        with _alone(self._folder):
            try:
                self._catch_up(reader)
            except OSError as error:
                raise StoreError(f"Words cannot be kept in {self._folder}: {error}.", _NEXT_STEP) from error

    def match(self, text: str, scope: Scope | None, limit: int) -> list[Scored]:
        """Section-level chunks by how well they hold the question's words, best first.

        Phrases must be there, exclusions must not; filters in the text are the caller's to turn into a scope. Equal
        scores are in the order of document and ordinal. Raises `StoreDamaged` when the files cannot be used.
        """
        asked = parse_question(text)
        with self._searching() as opened:
            if opened is None or not asked.terms or limit < 1:
                return []
            query = question(opened.schema, asked, self._form)
            if scope is None:
                return _best(opened.searcher, query, limit)
            return _best_within(opened, query, scope, limit)

    def terms(self, text: str) -> dict[str, int]:
        """The question's terms, as asked in lower case, and in how many chunks each occurs; 0 for words never seen."""
        asked = parse_question(text)
        with self._searching() as opened:
            if opened is None:
                return dict.fromkeys(asked.terms, 0)
            stems = {self._form(term): term for term in reversed(asked.terms)}
            return {term: _count(opened, stem) for stem, term in reversed(stems.items())}

    def holding(self, terms: Sequence[str], chunk: ChunkId) -> list[str]:
        """Which of the terms, written like those of `terms`, a chunk contains."""
        held: list[str] = []
        with self._searching() as opened:
            remaining = iter(terms)
            while opened is not None and (some := list(islice(remaining, MOST_BITS))):
                query = bits(opened.schema, [self._form(term) for term in some], chunk)
                for score, _ in opened.searcher.search(query, 1, count=False).hits:
                    held += [term for position, term in enumerate(some) if int(score) >> position & 1]
        return held

    @contextmanager
    def _searching(self) -> Iterator[_Opened | None]:
        try:
            with engine_errors(self._folder):
                yield self._current()
        except StoreDamaged:
            # Without this file the next update starts over, even when the store has not changed.
            with suppress(OSError):
                (self._folder / NAME).unlink(missing_ok=True)
            self._seen, self._opened = (), None
            raise

    def _current(self) -> _Opened | None:
        try:
            found = (self._folder / NAME).stat()
        except OSError:
            self._seen, self._opened = (), None
            return None
        seen = (found.st_ino, found.st_mtime_ns, found.st_size)
        if seen != self._seen:
            self._opened, self._seen = self._open(), seen
        return self._opened

    def _open(self) -> _Opened | None:
        made = read_made(self._folder, form_name())
        if made is None:
            return None
        known = self._opened
        folder = self._folder / made.folder
        if name := changed_size(folder, made):
            raise ValueError(f"{name} is not as it was written")
        if known is not None and known.made.folder == made.folder:
            known.index.reload()
            return _Opened(made, known.index, known.schema, known.index.searcher())
        index = open_index(folder)
        return _Opened(made, index, index.schema, index.searcher())

    def _catch_up(self, reader: Reader) -> None:
        made = read_made(self._folder, form_name())
        if made is not None:
            feed = reader.feed(made.generation)
            if not feed.is_whole and feed.history == made.history:
                if feed.generation == made.generation and not changed_size(self._folder / made.folder, made):
                    return
                try:
                    self._change(made, feed, reader)
                except StoreDamaged:
                    made = None
                else:
                    return
        self._start_over(reader)

    def _change(self, made: Made, feed: Feed, reader: Reader) -> None:
        folder = self._folder / made.folder
        if name := changed_size(folder, made):
            raise StoreDamaged(f"{name} in {folder} is not as it was written.")
        with engine_errors(folder):
            index = open_index(folder)
        self._write(index, folder, feed, reader)

    def _start_over(self, reader: Reader) -> None:
        feed = reader.feed(0)
        taken = {path.name for path in self._folder.iterdir()}
        folder = self._folder / next(name for number in range(1, len(taken) + 2) if (name := str(number)) not in taken)
        with engine_errors(folder):
            index = create(folder)
        self._write(index, folder, feed, reader)
        for path in self._folder.iterdir():
            if path.is_dir() and path != folder:
                shutil.rmtree(path, ignore_errors=True)

    def _write(self, index: Index, folder: Path, feed: Feed, reader: Reader) -> None:
        with writing(index, folder, much=len(feed.changed) > _MANY) as writer:
            for number in feed.gone:
                replace_rows(writer, number, ())
            for start in range(0, len(feed.changed), _BATCH):
                for numbered in reader.numbered(feed.changed[start : start + _BATCH]):
                    found = tuple(rows(numbered, self._prose, self._code))
                    with engine_errors(folder):
                        replace_rows(writer, numbered.number, found)
        made = Made(form_name(), folder.name, feed.generation, feed.history, sizes(folder))
        write_made(self._folder, made)


def form_name() -> str:
    """Names everything that decides by which terms a chunk is found; the stemmer's tables change with its version."""
    import Stemmer

    return f"{_FORM}:{Stemmer.version()}"


def _best(searcher: Searcher, query: Query, limit: int) -> list[Scored]:
    """The best, with ties in the order of document and ordinal: ties at the end are looked at whole."""
    wanted = limit + 8
    while True:
        hits = searcher.search(query, wanted, count=False).hits
        if len(hits) < wanted or round(hits[-1][0], 4) < round(hits[limit - 1][0], 4):
            break
        wanted *= 4
    numbers = searcher.fast_field_values("chunk", [address for _, address in hits])
    scored = [
        Scored(chunk_of(int(number or 0)), round(score, 4)) for (score, _), number in zip(hits, numbers, strict=True)
    ]
    return sorted(scored, key=lambda one: (-one.score, one.chunk))[:limit]


def _best_within(opened: _Opened, query: Query, scope: Scope, limit: int) -> list[Scored]:
    field = "document"
    numbers = scope.documents
    if scope.sections is not None:
        field = "place"
        numbers = frozenset(place_number(document, section) for document, section in scope.sections)
    if not numbers:
        return []
    if len(numbers) > _MANY:
        found = _looked_up(opened.searcher, query, field, numbers, limit)
        if found is not None:
            return found
    return _best(opened.searcher, within(query, field, opened.schema, numbers), limit)


def _looked_up(
    searcher: Searcher, query: Query, field: str, numbers: frozenset[int], limit: int
) -> list[Scored] | None:
    """The best of a large scope from among the best of all, unless too few of those are in it."""
    wanted = limit * 8
    hits = searcher.search(query, wanted, count=False).hits
    places = searcher.fast_field_values(field, [address for _, address in hits])
    inside = [hit for hit, place in zip(hits, places, strict=True) if place in numbers]
    is_all = len(hits) < wanted
    # One more than wanted must be there, and worse, or a tie could go on beyond what was looked at.
    if not is_all and (len(inside) < limit or round(inside[limit - 1][0], 4) <= round(hits[-1][0], 4)):
        return None
    chunks = searcher.fast_field_values("chunk", [address for _, address in inside])
    scored = [
        Scored(chunk_of(int(number or 0)), round(score, 4)) for (score, _), number in zip(inside, chunks, strict=True)
    ]
    return sorted(scored, key=lambda one: (-one.score, one.chunk))[:limit]


def _count(opened: _Opened, term: str) -> int:
    """In how many chunks a term occurs. The engine's own count includes what was removed and not yet merged away."""
    from tantivy import Query

    about = opened.searcher.doc_freq("words", term)
    if not 0 < about < _MANY:
        return about
    found = opened.searcher.search(Query.term_query(opened.schema, "words", term), 1, count=True)
    return int(found.count)  # type: ignore[attr-defined]  # the engine's stubs have forgotten it


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One update at a time, across processes: a transaction on an empty SQLite file, which no kill leaves behind."""
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = sqlite3.connect(folder / _LOCK, timeout=_WAIT_S, isolation_level=None)
            stack.enter_context(closing(lock))
            lock.execute("BEGIN EXCLUSIVE")
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                raise StoreBusy(f"Another process is indexing words into {folder}.", "Try again later.") from error
            raise StoreError(f"Words cannot be kept in {folder}: {error}.", _NEXT_STEP) from error
        yield
