"""Rows of many indexes in one table: told apart by the column `store`, spread over partitions, gone with their index.

An index is a row of the table `indexes`, whose number `store` holds. Scripts for `migrations` leave.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pinakes.postgres.database import PostgresConnection

PARTITIONS = 8
"""Of a table with the rows of many libraries: each has indexes of its own, which stay small enough to be in memory."""


def columns_of(connection: PostgresConnection, table: str) -> tuple[str, ...]:
    """The columns of a table of ours, but for `store`."""
    rows = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
        " AND attname <> 'store' ORDER BY attnum",
        (table,),
    ).fetchall()
    return tuple([name for (name,) in rows])


def forget_with_index(tables: Iterable[str]) -> str:
    """A script: the rows of these tables go with the index they belong to."""
    names = tuple(tables)
    deletes = " ".join([f"DELETE FROM {name} WHERE store = OLD.id;" for name in names])
    function = f"forget_index_in_{names[0]}"
    return f"""
CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT
    AS $$ BEGIN {deletes} RETURN NULL; END $$;
CREATE TRIGGER {function} AFTER DELETE ON indexes FOR EACH ROW EXECUTE FUNCTION {function}();
"""


def partitioned(name: str, columns: str, *, wide: bool = False) -> str:
    """A script: a table in partitions by index. The rows of a `wide` one stay whole up to 8,000 bytes; others are put
    apart from 2,000 on, where every look at them costs several more."""
    script = f"CREATE TABLE {name} (store integer NOT NULL, {columns}) PARTITION BY HASH (store);\n"
    for part in range(PARTITIONS):
        option = " WITH (toast_tuple_target = 8160)" if wide else ""
        script += (
            f"CREATE TABLE {name}_{part} PARTITION OF {name}"
            f" FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {part}){option};\n"
        )
    return script


def settle(connection: PostgresConnection, store: int, tables: Iterable[str]) -> None:
    """After many rows of an index were written to partitioned tables, tell the planner of them. Only who owns the
    tables may; else the database's own cleaning does it later."""
    for table in tables:
        row = connection.execute(
            f"SELECT tableoid::regclass::text FROM {table} WHERE store = %s LIMIT 1".encode(), (store,)
        ).fetchone()
        if row is not None:
            connection.execute(f"ANALYZE {row[0]}".encode())
