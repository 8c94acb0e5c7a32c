"""Rows of `section_vectors` and the arrays that vectors are compared in.

A connection enters with what is wanted of a set; a `VectorTable` leaves, as if it lay in files. Batches of sections
leave as rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from pinakes.postgres.database import Database, PostgresConnection, sql
from pinakes.vectors.layout import ROW, SECTION, VectorTable, empty
from pinakes.vectors.texts import DIGEST_BYTES
from pinakes.vectors.writer import SectionBatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COLUMNS = "document, ordinal, position, digests, vectors"


class VectorSet(Struct, frozen=True):
    """The row of `vector_sets`."""

    id: int
    dimensions: int
    generation: int
    """The store's; 0 while some sections are still without vectors."""
    history: str
    rows: int
    version: int
    """Another one after every change."""
    is_large: bool
    """Whether its vectors are in `near_vectors`, too."""


def read_set(connection: PostgresConnection, store: int, embedder: str) -> VectorSet | None:
    """What there is of an embedder."""
    row = connection.execute(
        "SELECT id, dimensions, generation, history, rows, version, is_large FROM vector_sets"
        " WHERE store = %s AND embedder = %s",
        (store, embedder),
    ).fetchone()
    return VectorSet(*row) if row else None


def embedders_of(database: Database, store: int) -> tuple[str, ...]:
    """Whose vectors there are, those that changed longest ago first."""
    with database.snapshot(index=store) as connection:
        rows = connection.execute("SELECT embedder FROM vector_sets WHERE store = %s ORDER BY id", (store,)).fetchall()
    return tuple([embedder for (embedder,) in rows])


def forget_sets(database: Database, store: int, embedders: Sequence[str]) -> None:
    """Throw the vectors of these embedders away."""
    if not embedders:
        return
    with database.transaction(index=store) as connection:
        numbers = connection.execute(
            "DELETE FROM vector_sets WHERE store = %s AND embedder = ANY(%s::text[]) RETURNING id",
            (store, list(embedders)),
        ).fetchall()
        for table in ("section_vectors", "near_vectors", "vector_changes"):
            connection.execute(
                sql(f"DELETE FROM {table} WHERE store = %s AND made_by = ANY(%s::int[])"),
                (store, [number for (number,) in numbers]),
            )


def derived_state(database: Database, store: int) -> tuple[object, ...]:
    """Another one whenever the words or the vectors of an index are others."""
    asked = (
        "SELECT '', generation, history FROM pinakes.word_indexes WHERE store = %s"
        " UNION ALL SELECT embedder, version, '' FROM pinakes.vector_sets WHERE store = %s ORDER BY 1"
    )
    return tuple(database.ask(asked, (store, store), store))


def all_sections(connection: PostgresConnection, store: int, known: VectorSet, embedder: str) -> VectorTable:
    """Every section of a set."""
    return _table(connection, store, known, embedder, "", ())


def sections_of(
    connection: PostgresConnection, store: int, known: VectorSet, embedder: str, documents: Sequence[int]
) -> VectorTable:
    """The sections of certain documents."""
    return _table(connection, store, known, embedder, " AND document = ANY(%s::bigint[])", (list(documents),))


def certain_sections(
    connection: PostgresConnection, store: int, known: VectorSet, embedder: str, chunks: Iterable[tuple[int, int]]
) -> VectorTable:
    """The sections of these documents and ordinals."""
    documents, ordinals = zip(*chunks, strict=True)
    where = " AND (document, ordinal) IN (SELECT * FROM unnest(%s::bigint[], %s::int[]))"
    return _table(connection, store, known, embedder, where, (list(documents), list(ordinals)))


def _table(
    connection: PostgresConnection, store: int, known: VectorSet, embedder: str, where: str, values: Sequence[Any]
) -> VectorTable:
    statement = f"SELECT {_COLUMNS} FROM section_vectors WHERE store = %s AND made_by = %s{where} ORDER BY 1, 2"
    with connection.cursor(binary=True) as cursor:
        rows = cursor.execute(sql(statement), (store, known.id, *values)).fetchall()
    table = table_of(rows, embedder, known.dimensions)
    header = replace(table.header, generation=known.generation, history=known.history, update=known.version)
    return replace(table, header=header)


def table_of(rows: Sequence[tuple[int, int, int, bytes, bytes]], embedder: str, dimensions: int) -> VectorTable:
    """The arrays of these sections, in the order of document and ordinal."""
    nothing = empty(embedder, dimensions, 1)
    if not rows:
        return nothing
    digests = np.frombuffer(b"".join([row[3] for row in rows]), dtype=ROW["digest"])
    matrix = np.frombuffer(b"".join([row[4] for row in rows]), dtype=np.int8).reshape(len(digests), dimensions)
    counts = np.fromiter((len(row[3]) // DIGEST_BYTES for row in rows), dtype=np.int64, count=len(rows))
    sections = np.zeros(len(rows), dtype=SECTION)
    for place, name in enumerate(("document", "ordinal", "position")):
        sections[name] = [row[place] for row in rows]
    sections["first"] = np.cumsum(counts) - counts
    facts = np.zeros(len(digests), dtype=ROW)
    facts["digest"] = digests
    facts["squares"] = np.einsum("ij,ij->i", matrix, matrix, dtype=np.int64)
    header = replace(nothing.header, rows=len(digests), sections=len(rows))
    return VectorTable(header, matrix, facts, sections, np.ones(len(rows), dtype=bool))


def joined(one: VectorTable, other: VectorTable) -> VectorTable:
    """Both tables as one, in the order of document and ordinal; where both have a document, the second counts."""
    kept = np.flatnonzero(one.live & ~np.isin(one.sections["document"], other.sections["document"]))
    rows, _ = one.rows_of(kept)
    counts = np.append(_counts(one)[kept], _counts(other))
    matrix = np.concatenate([one.matrix[rows], other.matrix])
    facts = np.concatenate([one.rows[rows], other.rows])
    sections = np.concatenate([one.sections[kept], other.sections])
    sections["first"] = np.cumsum(counts) - counts
    header = replace(other.header, rows=len(matrix), sections=len(sections))
    return VectorTable(header, matrix, facts, sections, np.ones(len(sections), dtype=bool))


def without(table: VectorTable, documents: Sequence[int]) -> VectorTable:
    """The table, in which certain documents no longer count."""
    gone = np.isin(table.sections["document"], np.fromiter(documents, dtype=np.int64, count=len(documents)))
    return replace(table, live=table.live & ~gone) if gone.any() else table


def _counts(table: VectorTable) -> NDArray[np.int64]:
    return table.ends - table.sections["first"].astype(np.int64)


def batch_rows(batch: SectionBatch, matrix: NDArray[np.int8]) -> Iterator[tuple[int, int, int, bytes, bytes]]:
    """The columns of `section_vectors` of new sections, after `store` and `made_by`."""
    borders = [*batch.sections["first"].tolist(), len(matrix)]
    for record, (start, end) in zip(batch.sections.tolist(), pairwise(borders), strict=True):
        document, ordinal, position, _ = record
        yield document, ordinal, position, batch.digests[start:end].tobytes(), matrix[start:end].tobytes()
