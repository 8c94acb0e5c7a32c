"""Vectors of one embedder for one index in a database: brought up to date with a store, and opened to answer.

A set of up to `LARGE` vectors is read into memory once and compared there, exactly; what changes is read again. Of a
larger one nothing is held: see `vectors.postgres.near`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from pinakes.ports import Embedder, Progress, Reader
from pinakes.postgres.database import Database, PostgresConnection, sql
from pinakes.records import Event, Feed
from pinakes.vectors.agreement import Agreement, Agreements, PartialVectors, RanksByDocument
from pinakes.vectors.build import Embedding, EmbeddingCache, PagesOf, append_changes, by_digest
from pinakes.vectors.layout import VectorTable, empty
from pinakes.vectors.postgres.held import HELD, TableName
from pinakes.vectors.postgres.near import NearVectors, forget_near, has_graph, put_near
from pinakes.vectors.postgres.rows import VectorSet, all_sections, batch_rows, joined, read_set, sections_of, without
from pinakes.vectors.snapshot import VectorSnapshot
from pinakes.vectors.stepwise import append_step, carry_over
from pinakes.vectors.writer import SectionBatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGE = 200_000
"""Vectors of a set that no longer lies in memory: 50 to 150 MB of it."""
_LOCK = 1_886_220_904
"""First half of the advisory lock of an index's vectors; the second is the number of the store."""
_WAIT_MS = 15_000
_STEP_WAIT_MS = 500
"""How long a step waits for another process: whoever takes steps in the background may be told to stop."""


def _silently(event: Event) -> None:
    """Whoever gives no `progress` wants none."""


class PostgresVectors:
    """The vectors of one embedder. Threads may share it."""

    is_damaged = False
    """Never: what a transaction wrote is whole."""

    def __init__(
        self,
        database: Database,
        store: int,
        name: str,
        cache: EmbeddingCache | None = None,
        pages_of: PagesOf | None = None,
    ) -> None:
        """`name` is the embedder's; `cache` remembers texts embedded before, `pages_of` reads and embeds many documents
        faster than one process does."""
        self._database = database
        self._store = store
        self._name = name
        self._cache = cache
        self._pages_of = pages_of
        self._agreements = Agreements()

    @property
    def opened(self) -> VectorTable | None:
        """All of them, where they are few enough to lie in memory."""
        with self._database.snapshot(index=self._store) as connection:
            known = self._set(connection)
            return None if known is None or known.is_large else self._held(connection, known)

    @property
    def now(self) -> VectorSnapshot:
        """What answers a question from beginning to end."""
        with self._database.snapshot(index=self._store) as connection:
            known = self._set(connection)
            if known is None:
                return VectorSnapshot(empty("", 1, 0))
            if known.is_large:
                return NearVectors(self._database, self._store, known, self._name)
            return VectorSnapshot(self._held(connection, known))

    def is_made_by(self, embedder: Embedder) -> bool:
        """Whether questions that `embedder` encodes may be put to them."""
        with self._database.snapshot(index=self._store) as connection:
            known = self._set(connection)
        return known is not None and (self._name, known.dimensions) == (embedder.name, embedder.dimensions)

    def part_of(self, whole: PostgresVectors) -> PartialVectors | None:
        """What of these agrees with `whole`, which another embedder made; None when either is not there, or large."""
        agreed = self._agreements.of(self.opened, whole.opened)
        return agreed.part if agreed else None

    def prepare(self) -> None:
        """Nothing: the database has an index of its own."""

    def update(self, reader: Reader, embedder: Embedder, progress: Progress = _silently) -> None:
        """Catch up with the store; what was there answers until all of the new is whole."""
        with self._database.snapshot(index=self._store) as connection:
            known = self._set(connection)
        if known is not None and known.dimensions == embedder.dimensions:
            feed = reader.feed(known.generation)
            if (feed.generation, feed.history) == (known.generation, known.history):
                return
        with self._changing(_WAIT_MS) as connection:
            _Change(connection, self._store, embedder).follow(
                reader, Embedding(embedder, self._cache), self._pages_of, progress
            )

    def grow(
        self,
        reader: Reader,
        embedder: Embedder,
        whole: PostgresVectors,
        ranks: Callable[[], RanksByDocument],
        progress: Progress = _silently,
    ) -> bool:
        """Take one more step towards having what `whole` has, which another embedder made: the most central sections
        first. Returns whether it is worth while to catch `whole` up with the store and come again."""
        if self._needs(embedder, whole) is None:
            return False
        with self._changing(_STEP_WAIT_MS) as connection:
            agreed = self._needs(embedder, whole)  # somebody else may have done it in the meantime
            if agreed is None:
                return False
            change = _Change(connection, self._store, embedder)
            return change.step(reader, agreed, Embedding(embedder, self._cache), ranks, progress)

    @contextmanager
    def _changing(self, wait_ms: int) -> Iterator[PostgresConnection]:
        with self._database.transaction(f"SET LOCAL lock_timeout = {wait_ms}", self._store) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (_LOCK, self._store))
            yield connection

    def _set(self, connection: PostgresConnection) -> VectorSet | None:
        return read_set(connection, self._store, self._name)

    def _held(self, connection: PostgresConnection, known: VectorSet) -> VectorTable:
        """From memory, after what changed since was read; raises `StoreError`."""
        name = TableName(self._database.url, known.id)
        before = HELD.get(name)
        if before is not None and before.header.update == known.version:
            return before
        found = None if before is None else self._followed(connection, known, before)
        if found is None:
            found = all_sections(connection, self._store, known, self._name)
        HELD.put(name, found, found.matrix.nbytes)
        return found

    def _followed(self, connection: PostgresConnection, known: VectorSet, before: VectorTable) -> VectorTable | None:
        """Those in memory with what changed; None where that takes as long as to read them all."""
        rows = connection.execute(
            "SELECT documents FROM vector_changes WHERE made_by = %s AND version > %s", (known.id, before.header.update)
        ).fetchall()
        if len(rows) != known.version - before.header.update:
            return None
        documents = sorted({document for (some,) in rows for document in some})
        fresh = sections_of(connection, self._store, known, self._name, documents)
        kept = joined(without(before, documents), fresh)
        return replace(kept, header=replace(fresh.header, rows=kept.header.rows, sections=kept.header.sections))

    def _needs(self, embedder: Embedder, whole: PostgresVectors) -> Agreement | None:
        """Where to go on; None when there is nothing to do, and for a large set, to which no steps lead."""
        with self._database.snapshot(index=self._store) as connection:
            known = self._set(connection)
            if known is not None and known.is_large:
                return None
            mine = None if known is None else self._held(connection, known)
        usable = mine if mine is not None and mine.header.dimensions == embedder.dimensions else None
        return self._agreements.next_step(usable, whole.opened, empty(embedder.name, embedder.dimensions, 1))


class _Change:
    """One change of a set, inside its transaction."""

    def __init__(self, connection: PostgresConnection, store: int, embedder: Embedder) -> None:
        self._connection = connection
        self._store = store
        self._embedder = embedder
        self._known = read_set(connection, store, embedder.name) or self._made()
        self._added: list[tuple[SectionBatch, NDArray[np.int8]]] = []
        self._is_fresh = False
        """Whether nothing of the set is there any more, so that rows need not wait."""
        self._rows = 0
        self._documents: set[int] = set()

    def follow(self, reader: Reader, embedding: Embedding, pages_of: PagesOf | None, progress: Progress) -> None:
        """Make the set agree with the store."""
        known = self._known
        feed = reader.feed(known.generation)
        at_hand: dict[bytes, NDArray[np.int8]] = {}
        if known.dimensions != self._embedder.dimensions:
            self._clear()
            feed = reader.feed(0)
        elif not known.generation or feed.is_whole or feed.history != known.history:
            # Another store in the same place, one that no longer knows what happened since, or a part of the vectors.
            kept = all_sections(self._connection, self._store, known, self._embedder.name)
            at_hand = by_digest(kept, np.flatnonzero(kept.live))
            self._clear()
            feed = reader.feed(0)
        before = self._affected(feed)
        using = replace(embedding, at_hand=at_hand, pages_of=pages_of)
        live = append_changes(reader, feed, before, self, using, progress)
        self._remove(before, live)
        self._put()
        self._note(feed.generation, feed.history)

    def step(
        self,
        reader: Reader,
        agreed: Agreement,
        embedding: Embedding,
        ranks: Callable[[], RanksByDocument],
        progress: Progress,
    ) -> bool:
        """See `PostgresVectors.grow`."""
        if self._known.dimensions != self._embedder.dimensions:
            self._clear()
        carry_over(agreed, self)
        if not self._added:
            append_step(reader, agreed, self, embedding, ranks, progress)
        added = sum(len(batch.sections) for batch, _ in self._added)
        self._remove(agreed.finer, agreed.kept)
        self._put()
        is_whole, of = added == len(agreed.waiting), agreed.whole.header
        self._note(*((of.generation, of.history) if is_whole else (0, "")))
        return bool(added) or is_whole or reader.feed(of.generation).generation != of.generation

    def add(self, layer: SectionBatch, matrix: NDArray[np.int8]) -> None:
        """Put sections and their vectors to those that are there; all at once at the end, unless nothing is there."""
        self._added.append((layer, matrix))
        if self._is_fresh:
            self._put()

    def _affected(self, feed: Feed) -> VectorTable:
        """What there is of the documents that the feed speaks of."""
        if self._is_fresh:
            return empty(self._embedder.name, self._embedder.dimensions, 1)
        documents = [*feed.changed, *feed.gone]
        return sections_of(self._connection, self._store, self._known, self._embedder.name, documents)

    def _remove(self, before: VectorTable, live: NDArray[np.bool_]) -> None:
        dead = np.flatnonzero(before.live & ~live[: len(before.live)])
        if not len(dead):
            return
        sections = before.sections[dead]
        self._documents.update(sections["document"].tolist())
        self._rows -= len(before.rows_of(dead)[0])
        for table in ("section_vectors", "near_vectors"):
            self._run(
                f"DELETE FROM {table} one USING unnest(%s::bigint[], %s::int[]) AS gone (document, ordinal) WHERE"
                " store = %s AND made_by = %s AND one.document = gone.document AND one.ordinal = gone.ordinal",
                sections["document"].tolist(), sections["ordinal"].tolist(), self._store, self._known.id,
            )  # fmt: skip

    def _put(self) -> None:
        if not self._added:
            return
        with self._connection.cursor() as cursor, cursor.copy("COPY section_vectors FROM STDIN") as copy:
            for batch, matrix in self._added:
                for row in batch_rows(batch, matrix):
                    copy.write_row((self._store, self._known.id, *row))
        if self._known.is_large:
            put_near(self._connection, self._store, self._known, self._added)
        for batch, matrix in self._added:
            self._rows += len(matrix)
            self._documents.update(batch.sections["document"].tolist())
        self._added = []

    def _clear(self) -> None:
        for table in ("section_vectors", "near_vectors"):
            self._run(f"DELETE FROM {table} WHERE store = %s AND made_by = %s", self._store, self._known.id)
        self._run("DELETE FROM vector_changes WHERE made_by = %s", self._known.id)
        self._known = replace(self._known, dimensions=self._embedder.dimensions, rows=0, is_large=False)
        self._is_fresh = True

    def _note(self, generation: int, history: str) -> None:
        """The set as it is now. One that has become large is put into the graph, or taken out again."""
        known = self._known
        rows, version = known.rows + self._rows, known.version + (2 if self._is_fresh else 1)
        is_large = has_graph(known) and rows > (LARGE // 2 if known.is_large else LARGE)
        if is_large and not known.is_large:
            put_near(self._connection, self._store, known, None)
        elif known.is_large and not is_large:
            forget_near(self._connection, self._store, known)
        self._run(
            "UPDATE vector_sets SET dimensions = %s, generation = %s, history = %s, rows = %s, version = %s,"
            " is_large = %s WHERE id = %s",
            known.dimensions, generation, history, rows, version, is_large, known.id,
        )  # fmt: skip
        if not self._is_fresh and len(self._documents) <= _MOST_TOLD:
            self._run(
                "INSERT INTO vector_changes (store, made_by, version, documents) VALUES (%s, %s, %s, %s)",
                self._store, known.id, version, sorted(self._documents),
            )  # fmt: skip
            self._run("DELETE FROM vector_changes WHERE made_by = %s AND version < %s", known.id, version - _TOLD)

    def _made(self) -> VectorSet:
        self._run(
            "INSERT INTO vector_sets (store, embedder, dimensions, generation, history, rows, version, is_large)"
            " VALUES (%s, %s, %s, 0, '', 0, 0, false)",
            self._store, self._embedder.name, self._embedder.dimensions,
        )  # fmt: skip
        found = read_set(self._connection, self._store, self._embedder.name)
        assert found is not None
        return found

    def _run(self, statement: str, *values: Any) -> None:
        self._connection.execute(sql(statement), values or None)


_TOLD = 200
"""Changes that whoever holds a set in memory may have missed, and need not read all of it again."""
_MOST_TOLD = 2000
"""Documents of a change; after more everything is read again."""
