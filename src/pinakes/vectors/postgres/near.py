"""Vectors of a large set, which no process holds: near ones are found by a graph, and then compared exactly.

HNSW gives the nearest of all rows first, and a filter is applied to what it gives: where few rows pass, it would come
to an end with too few. So the search goes on until enough have passed (`hnsw.iterative_scan`), and where a filter lets
few documents through, their vectors are compared one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pinakes.postgres.database import Database, PostgresConnection, sql
from pinakes.records import ChunkId, Scope, Scored
from pinakes.vectors.layout import VectorTable, empty
from pinakes.vectors.postgres.rows import VectorSet, certain_sections, sections_of, table_of
from pinakes.vectors.postgres.schema import GRAPHS
from pinakes.vectors.snapshot import VectorSnapshot, question_for
from pinakes.vectors.writer import SectionBatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Vectors

_WIDE = 4
"""Rows that are looked for, for each section wanted."""
_MOST_FOUND = 1000
"""The most that the graph keeps in sight at a time."""
_FEW = 500
"""Documents of a scope whose vectors are compared one by one."""
_TOGETHER = 20_000
"""Sections that are read at a time to be put into the graph, or compared where there is none."""
_PLAN = "SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL hnsw.max_scan_tuples = 200000"


class NearVectors(VectorSnapshot):
    """The promise `Cosines` for a large set, as it was when this was made."""

    def __init__(self, database: Database, store: int, known: VectorSet, embedder: str) -> None:
        super().__init__(empty(embedder, known.dimensions, 1))
        self._database = database
        self._store = store
        self._known = known
        self._name = embedder

    @property
    def generation(self) -> int:
        """The store's, when these were made; 0 when they are only a part."""
        return self._known.generation

    @property
    def rows(self) -> int:
        """How many vectors can be found."""
        return self._known.rows

    def limited(self, live: NDArray[np.bool_]) -> VectorSnapshot:
        """Never asked of a large set: no part of it is told apart."""
        return self

    def nearest(self, vector: Vectors, scope: Scope | None, limit: int) -> list[Scored]:
        """See `Cosines`. Where there is no scope, or a wide one, what the graph did not find is missing."""
        question = question_for(self.opened.header, vector)
        if limit <= 0 or not question.any() or (scope is not None and not scope.documents):
            return []
        with self._database.snapshot(_PLAN, self._store) as connection:
            if scope is not None and len(scope.documents) <= _FEW:
                table = sections_of(connection, self._store, self._known, self._name, sorted(scope.documents))
            else:
                found = self._found(connection, question, scope, limit)
                table = self._sections(connection, found)
        return VectorSnapshot(table).nearest(question, scope, limit)

    def scores(self, vector: Vectors, chunks: Sequence[ChunkId]) -> dict[ChunkId, float]:
        """See `Cosines`."""
        return VectorSnapshot(self._certain(chunks)).scores(vector, chunks)

    def best_cosine(self, vector: Vectors) -> float:
        """See `Cosines`; that of the nearest section."""
        found = self.nearest(vector, None, 1)
        return found[0].score if found else 0.0

    def section_vectors(self, chunks: Sequence[ChunkId]) -> Vectors:
        """See `Cosines`."""
        return VectorSnapshot(self._certain(chunks)).section_vectors(chunks)

    def _certain(self, chunks: Sequence[ChunkId]) -> VectorTable:
        with self._database.snapshot(index=self._store) as connection:
            return self._sections(connection, chunks)

    def _sections(self, connection: PostgresConnection, chunks: Iterable[tuple[int, int]]) -> VectorTable:
        wanted = sorted({(document, ordinal) for document, ordinal in chunks})
        if not wanted:
            return empty(self._name, self._known.dimensions, 1)
        return certain_sections(connection, self._store, self._known, self._name, wanted)

    def _found(
        self, connection: PostgresConnection, question: NDArray[np.float32], scope: Scope | None, limit: int
    ) -> list[tuple[int, int]]:
        """The sections that the rows nearest to the question belong to."""
        length, wanted = self._known.dimensions, _WIDE * limit
        connection.execute(sql(f"SET LOCAL hnsw.ef_search = {min(wanted, _MOST_FOUND)}"))
        inside = "" if scope is None else " AND document = ANY(%s::bigint[])"
        statement = (
            "SELECT document, ordinal FROM near_vectors WHERE store = %s AND made_by = %s"
            f" AND vector_dims(vector) = {length}{inside}"
            f" ORDER BY vector::halfvec({length}) <=> %s::halfvec({length}) LIMIT %s"
        )
        values = [] if scope is None else [list(scope.documents)]
        return connection.execute(
            sql(statement), (self._store, self._known.id, *values, _text(question), wanted)
        ).fetchall()


def has_graph(known: VectorSet) -> bool:
    """Whether vectors of this length can be found by a graph."""
    return known.dimensions in GRAPHS


def put_near(
    connection: PostgresConnection,
    store: int,
    known: VectorSet,
    added: Sequence[tuple[SectionBatch, NDArray[np.int8]]] | None,
) -> None:
    """Put what was added, or with None the whole set, into the graph."""
    if added is not None:
        _copy(connection, store, known, [pair for batch, matrix in added for pair in _named(batch, matrix)])
        return
    last = (-1, -1)
    while True:
        rows = connection.execute(
            "SELECT document, ordinal, position, digests, vectors FROM section_vectors WHERE store = %s"
            " AND made_by = %s AND (document, ordinal) > (%s, %s) ORDER BY document, ordinal LIMIT %s",
            (store, known.id, *last, _TOGETHER),
        ).fetchall()
        if not rows:
            return
        table = table_of(rows, "", known.dimensions)
        batch = SectionBatch(table.sections, table.rows["digest"])
        _copy(connection, store, known, _named(batch, table.matrix))
        last = rows[-1][:2]


def forget_near(connection: PostgresConnection, store: int, known: VectorSet) -> None:
    """Take a set out of the graph."""
    connection.execute("DELETE FROM near_vectors WHERE store = %s AND made_by = %s", (store, known.id))


def _named(batch: SectionBatch, matrix: NDArray[np.int8]) -> list[tuple[int, int, int, NDArray[np.int8]]]:
    """Each vector with its document, ordinal and place in its section."""
    counts = np.diff(batch.sections["first"].astype(np.int64), append=len(matrix))
    found = []
    row = 0
    for (document, ordinal, *_), count in zip(batch.sections.tolist(), counts.tolist(), strict=True):
        for place in range(count):
            found.append((document, ordinal, place, matrix[row]))
            row += 1
    return found


def _copy(
    connection: PostgresConnection,
    store: int,
    known: VectorSet,
    rows: Sequence[tuple[int, int, int, NDArray[np.int8]]],
) -> None:
    # A cosine with nothing is no number, and a graph takes none.
    with connection.cursor() as cursor, cursor.copy("COPY near_vectors FROM STDIN") as copy:
        for document, ordinal, place, vector in rows:
            if vector.any():
                copy.write_row((store, known.id, document, ordinal, place, _text(vector)))


def _text(vector: NDArray[np.int8] | NDArray[np.float32]) -> str:
    return f"[{','.join(map(str, vector.tolist()))}]"
