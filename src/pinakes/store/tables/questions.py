"""The promise `Reader` for tables, whichever engine keeps them.

An engine says how its tables are read in one state (`reading`) and what the errors of records mean that are made later
(`_made`); every question is then one of those that the other files here answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Concatenate, ParamSpec, TypeVar

from pinakes.records import ChunkId, Feed, Filter, NumberedDocument, Scope, Slice
from pinakes.store.tables import read
from pinakes.store.tables.changes import feed
from pinakes.store.tables.connection import Tables
from pinakes.store.tables.outlines import listing, outlines
from pinakes.store.tables.read import Meta
from pinakes.store.tables.scope import Facets
from pinakes.store.tables.slices import BATCH, numbered, places, slices
from pinakes.store.tables.statements import batched

P = ParamSpec("P")
T = TypeVar("T")


def _question(ask: Callable[Concatenate[Tables, P], T]) -> Callable[Concatenate[TableReader, P], T]:
    """The method that answers from the tables what `ask` answers from a connection."""

    def method(self: TableReader, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.reading() as tables:
            return ask(tables, *args, **kwargs)

    return method


def _stream(ask: Callable[Concatenate[Tables, P], Iterator[T]]) -> Callable[Concatenate[TableReader, P], Iterator[T]]:
    """As `_question`, for many records: rows are fetched at once, records made as they are asked for."""

    def method(self: TableReader, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        with self.reading() as tables:
            records = ask(tables, *args, **kwargs)
        return self._made(records)

    return method


class TableReader:
    """What the stores in tables have in common."""

    def __init__(self) -> None:
        self._asked: dict[str, int] = {}
        """The generation at which a derived part was last asked for: what is kept next was made from no earlier one."""
        self._facets = Facets("", 0)

    def reading(self) -> AbstractContextManager[Tables]:
        """The tables in one state; to the thread that has begun a transaction, those that it has changed."""
        raise NotImplementedError

    def _made(self, records: Iterator[T]) -> Iterator[T]:
        """Records are made as they are asked for, after the connection was given back."""
        raise NotImplementedError

    def _is_settled(self, tables: Tables) -> bool:
        """Whether all that is read there was written for good, and no part of a transaction."""
        raise NotImplementedError

    def _meta(self, tables: Tables) -> Meta:
        """Where the store is."""
        return read.meta(tables)

    @property
    def generation(self) -> int:
        with self.reading() as tables:
            return self._meta(tables).generation

    setting = _question(read.setting)
    counts = _question(read.counts)
    files = _question(read.files)
    failures = _question(read.failures)
    warnings = _question(read.warnings)
    tags = _question(read.tags)
    filter_values = _question(read.filter_values)
    document = _question(read.document)
    chunks = _question(read.chunks)
    listing = _question(listing)
    outlines = _stream(outlines)
    edges = _stream(read.edges)
    names = _question(read.names)
    anchors = _question(read.anchors)
    pending_links = _question(read.pending_links)
    pending_keywords = _question(read.pending_keywords)
    places = _question(places)

    def feed(self, since: int) -> Feed:
        with self.reading() as tables:
            return feed(tables, since, self._meta(tables))

    def derived(self, name: str) -> bytes | None:
        with self.reading() as tables:
            self._asked[name] = self._meta(tables).generation
            return read.derived(tables, name)

    def last_derived(self, name: str) -> tuple[int, bytes] | None:
        with self.reading() as tables:
            self._asked[name] = self._meta(tables).generation
            return read.last_derived(tables, name)

    def documents_by_number(self, numbers: Sequence[int]) -> Iterator[NumberedDocument]:
        """Each few hundred are of one generation; a write in between is in the next feed."""
        for some in batched(numbers, BATCH):
            with self.reading() as tables:
                found = numbered(tables, some)
            yield from self._made(found)

    def slices(self, chunks: Sequence[ChunkId]) -> Mapping[ChunkId, Slice]:
        with self.reading() as tables:
            return slices(tables, chunks, self._present_facets(tables).cited)

    def scope(self, where: Filter) -> Scope | None:
        if where == Filter():
            return None
        with self.reading() as tables:
            return self._present_facets(tables).scope(tables, where)

    def newest(self, where: Filter, limit: int) -> Sequence[ChunkId]:
        with self.reading() as tables:
            numbers = self._present_facets(tables).newest(tables, where, limit)
        return [ChunkId(number, 0) for number in numbers]

    def _present_facets(self, tables: Tables) -> Facets:
        generation, _, history = self._meta(tables)
        if not self._is_settled(tables):
            # It may be undone, and another change may get the same generation.
            return Facets(history, generation)
        if (self._facets.history, self._facets.generation) != (history, generation):
            self._facets = Facets(history, generation)
        return self._facets
