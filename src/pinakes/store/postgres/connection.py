"""A connection to the tables of one index in PostgreSQL, for the statements of `store.tables`.

SQL and rows enter, rows leave. What SQLite and PostgreSQL spell in different ways is put into PostgreSQL's words here.
Many rows go in at once: by COPY where nothing else happens to them, else as one statement for some thousands of them.
The transaction, and the setting that says whose rows they are, are the caller's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import chain, count, islice

import psycopg
from psycopg import errors

from pinakes.postgres.database import PostgresConnection, sql
from pinakes.store.postgres.schema import PATH_KEY
from pinakes.store.tables.connection import Row, SqlValue

_FEW = 8
"""Rows up to which a statement each is as quick."""
_TOGETHER = 5000
_PLAIN_INSERT = re.compile(r"INSERT INTO (\w+) \(([\w, ]+)\) VALUES \([?\w(), ]+\)")
_FIXED_ORDER = re.compile(r"CROSS JOIN (\w+(?: \w+)?) (?=ON|USING)")
_VALUE = r"CAST\(\S+ AS TEXT\)"
_PATH_TEST = re.compile(rf"(?<![\w.])(\w+\.)?path (IN|[<>]?=|[<>]) ({_VALUE}|\({_VALUE}(?:, {_VALUE})*\))")
_VALUES = re.compile(r"VALUES \((.*?)\)(?= ON CONFLICT|$)")
_SELECTION = re.compile(r"(INSERT INTO \w+ \([^)]*\)) (SELECT .*?)( ON CONFLICT .*)?")


class PostgresTables:
    """The promise `Tables`, for whoever has begun a transaction; see `store.postgres.schema` for the views."""

    def __init__(self, connection: PostgresConnection, store: int) -> None:
        self._connection = connection
        self._store = store
        self._depth = 0

    @property
    def connection(self) -> PostgresConnection:
        """The one below, for statements that only PostgreSQL knows."""
        return self._connection

    def all(self, sql: str, values: Sequence[SqlValue] = ()) -> list[Row]:
        return self._connection.execute(_statement(sql), _named(values)).fetchall()

    def one(self, sql: str, values: Sequence[SqlValue] = ()) -> Row | None:
        return self._connection.execute(_statement(sql), _named(values)).fetchone()

    def run(self, sql: str, values: Sequence[SqlValue] = ()) -> None:
        self._connection.execute(_statement(sql), _named(values))

    def many(self, sql: str, rows: Iterable[Sequence[SqlValue]]) -> None:
        left = iter(rows)
        first = list(islice(left, _FEW))
        if len(first) < _FEW:
            for row in first:
                self.run(sql, row)
        elif plain := _PLAIN_INSERT.fullmatch(sql):
            self._copy(plain[1], plain[2], chain(first, left))
        else:
            every = chain(first, left)
            while some := list(islice(every, _TOGETHER)):
                self._together(sql, some)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        name = f"part_{self._depth}"
        self._depth += 1
        self._connection.execute(sql(f"SAVEPOINT {name}"))
        try:
            yield
            self._connection.execute(sql(f"RELEASE {name}"))
        except BaseException:
            with suppress(psycopg.Error):  # a lost connection has nothing to undo
                self._connection.execute(sql(f"ROLLBACK TO {name}; RELEASE {name}"))
            raise
        finally:
            self._depth -= 1

    def _copy(self, table: str, columns: str, rows: Iterable[Sequence[SqlValue]]) -> None:
        command = sql(f"COPY all_{table} (store, {columns}) FROM STDIN")
        with self._connection.cursor() as cursor, cursor.copy(command) as copy:
            for row in rows:
                copy.write_row((self._store, *row))

    def _together(self, statement: str, rows: Sequence[Sequence[SqlValue]]) -> None:
        """One statement for all rows. Where two of them mean the same row, which one statement may not write twice,
        they are taken one after another."""
        try:
            with self.transaction():
                self._connection.execute(
                    sql(_for_lists(statement, _types(rows))), list(map(list, zip(*rows, strict=True)))
                )
        except errors.CardinalityViolation:
            with self._connection.cursor() as cursor:
                cursor.executemany(_statement(statement), map(_named, rows))


@lru_cache(maxsize=2000)
def _statement(text: str) -> bytes:
    """A statement of `store.tables` in PostgreSQL's words."""
    return sql(_translated(text, "%(v{})s"))


def _named(values: Sequence[SqlValue]) -> dict[str, SqlValue]:
    """Values by the names that they have in a statement, where some stand more than once."""
    return {f"v{position}": value for position, value in enumerate(values)}


def _translated(text: str, value: str) -> str:
    """The statement in PostgreSQL's words, in which each value stands as `value` says of its position."""
    # SQLite takes the tables of a cross join in their order; PostgreSQL finds the order by itself, and wants no
    # condition there. Rows are told apart within their index, and by paths of any length: see the keys of the tables.
    positions = count()
    text = re.sub(r"\?", lambda _: value.format(next(positions)), text.replace("%", "%%"))
    text = _FIXED_ORDER.sub(r"JOIN \1 ", text).replace("USING (corpus, path)", "USING (corpus, path_start, path)")
    text = text.replace("ON CONFLICT (corpus, path)", f"ON CONFLICT (corpus, {PATH_KEY})")
    return _PATH_TEST.sub(_with_start, text).replace("ON CONFLICT (", "ON CONFLICT (store, ")


def _with_start(found: re.Match[str]) -> str:
    """A comparison of paths, and the same of their beginnings, by which they are found."""
    table, order, values = found[1] or "", found[2], found[3]
    either = f"{order}=" if order in "<>" else order
    starts = re.sub(_VALUE, r"path_start(\g<0>)", values)
    return f"{found[0]} AND {table}path_start {either} {starts}"


@lru_cache(maxsize=200)
def _for_lists(text: str, types: tuple[str, ...]) -> str:
    """The statement for rows that come as a list for each column."""
    lists = ", ".join(f"%s::{kind}[]" for kind in types)
    names = ", ".join(f"v{position}" for position in range(len(types)))
    given = f"unnest({lists}) AS given ({names})"
    text = _translated(text, "given.v{}")
    if text.startswith("DELETE"):
        return text.replace(" WHERE ", f" USING {given} WHERE ", 1)
    if text.startswith("UPDATE"):
        before, _, condition = text.rpartition(" WHERE ")
        return f"{before} FROM {given} WHERE {condition}"
    if found := _VALUES.search(text):
        return f"{text[: found.start()]}SELECT {found[1]} FROM {given}{text[found.end() :]}"
    found = _SELECTION.fullmatch(text)
    assert found is not None, text
    return f"{found[1]} SELECT part.* FROM {given} CROSS JOIN LATERAL ({found[2]}) part{found[3] or ''}"


def _types(rows: Sequence[Sequence[SqlValue]]) -> tuple[str, ...]:
    """Of each column, by its first value that is there."""
    return tuple(
        _NAMES[next((type(value) for value in column if value is not None), int)] for column in zip(*rows, strict=True)
    )


_NAMES = {int: "bigint", str: "text", bytes: "bytea", float: "float8", bool: "boolean"}
