"""A copy of an index under another name, to go on from there: store, words and vectors, in one transaction.

Rows are copied by the server itself. A set of vectors has a number of its own in each index, which its rows name. Terms
and parts of words keep their numbers: rows are told apart by their index, too.
"""

from __future__ import annotations

from pinakes.postgres.database import Database, PostgresConnection, sql
from pinakes.postgres.rows import columns_of
from pinakes.store.postgres.indexes import IndexName, index_number
from pinakes.store.postgres.schema import TABLES
from pinakes.store.postgres.store import open_postgres


def copy_postgres(database: Database, source: IndexName, target: IndexName) -> None:
    """Make `target`, which must not be there, equal to `source`. Does nothing where there is none to copy, or where
    somebody else makes the target meanwhile."""
    before = index_number(database, source)
    if not before or index_number(database, target):
        return
    store = open_postgres(database, target)
    with store.writing(), store.changing() as tables:
        if tables.one("SELECT 1 FROM documents LIMIT 1"):
            return
        connection = tables.connection
        for name in TABLES:
            _copy(connection, f"all_{name}", before, store.number)
        connection.execute(
            "UPDATE indexes SET (generation, last_number, floor, history) = (SELECT generation, last_number, floor,"
            " history FROM indexes WHERE id = %s) WHERE id = %s",
            (before, store.number),
        )
        for name in ("word_indexes", "terms", "word_parts", "word_lists", "chunk_lines"):
            _copy(connection, name, before, store.number)
        _copy_vectors(connection, before, store.number)
    store.close()


def _copy(connection: PostgresConnection, table: str, before: int, number: int) -> None:
    columns = ", ".join(columns_of(connection, table))
    connection.execute(
        sql(f"INSERT INTO {table} (store, {columns}) SELECT %s, {columns} FROM {table} WHERE store = %s"),
        (number, before),
    )


def _copy_vectors(connection: PostgresConnection, before: int, number: int) -> None:
    sets = connection.execute("SELECT id FROM vector_sets WHERE store = %s AND generation > 0", (before,)).fetchall()
    for (made_by,) in sets:
        row = connection.execute(
            "INSERT INTO vector_sets (store, embedder, dimensions, generation, history, rows, version, is_large)"
            " SELECT %s, embedder, dimensions, generation, history, rows, version, is_large FROM vector_sets"
            " WHERE id = %s RETURNING id",
            (number, made_by),
        ).fetchone()
        assert row is not None
        for table in ("section_vectors", "near_vectors"):
            columns = ", ".join(name for name in columns_of(connection, table) if name != "made_by")
            connection.execute(
                sql(
                    f"INSERT INTO {table} (store, made_by, {columns}) SELECT %s, %s, {columns} FROM {table}"
                    " WHERE store = %s AND made_by = %s"
                ),
                (number, row[0], before, made_by),
            )
