"""SQLite for files that a stranger may have written: a crafted database is damage, never a hang.

`GuardedConnection` is how they are opened. What the tables should be enters `refuse_other_schema`, which is called
before anything is read from them: a view, a trigger or a generated column in place of a table could run for ever or do
what nobody asked for. What remains, such as pages that lead in circles, ends at a limit of processor time.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable
from typing import Any

_STEPS = 200_000
"""Of SQLite's machine between two looks at the clock: some milliseconds."""
_LEAST_S = 10.0
_BYTES_A_SECOND = 4_000_000
"""A statement that reads all of a database and compares it takes far less than this allows."""
_LIMITS = {
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 200,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 10,  # deleting what belongs to a row counts, too
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_PRAGMAS = ("trusted_schema = OFF", "writable_schema = OFF", "cell_size_check = ON")
_SWITCHES = {"DEFENSIVE": True, "TRUSTED_SCHEMA": False, "ENABLE_VIEW": False, "ENABLE_TRIGGER": False}
"""Python offers them from 3.12 on."""

SchemaRow = tuple[str, str, str, str]
"""Type, name, table, and the statement that made it."""


class OtherSchema(sqlite3.DatabaseError):
    """The database holds other tables, or something else beside them."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


class GuardedConnection(sqlite3.Connection):
    """A connection for `sqlite3.connect(..., factory=GuardedConnection)`; nothing of the database is read yet.

    A statement that takes more processor time than a database as large as this one can need is interrupted:
    `sqlite3.OperationalError` with the code SQLITE_INTERRUPT.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for category, most in _LIMITS.items():
            self.setlimit(category, most)
        for name, is_on in _SWITCHES.items():
            if hasattr(self, "setconfig"):
                self.setconfig(getattr(sqlite3, f"SQLITE_DBCONFIG_{name}"), is_on)
        for pragma in _PRAGMAS:
            super().execute(f"PRAGMA {pragma}")
        self._file = ""
        self._until = 0.0
        self.set_progress_handler(self._is_over, _STEPS)

    def allow_for(self, file: str) -> None:
        """Give statements the time that a database as large as this file is then may take."""
        self._file = file

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        self._until = 0.0
        try:
            return super().execute(sql, parameters)
        except sqlite3.OperationalError as error:
            self._raise_dropped(error)
            raise

    def executemany(self, sql: str, parameters: Any, /) -> sqlite3.Cursor:
        self._until = 0.0
        try:
            return super().executemany(sql, parameters)
        except sqlite3.OperationalError as error:
            self._raise_dropped(error)
            raise

    def executescript(self, script: str, /) -> sqlite3.Cursor:
        self._until = 0.0
        return super().executescript(script)

    def _raise_dropped(self, error: sqlite3.OperationalError) -> None:
        """Python drops what Ctrl-C raises while `_is_over` is called, and SQLite ends the statement."""
        is_interrupted = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
        if is_interrupted and time.thread_time() <= self._until:
            raise KeyboardInterrupt from error

    def _is_over(self) -> bool:
        # Processor time of this thread: whoever waits for a disk, a lock or a busy machine is not suspected. The clock
        # starts here and not in `execute`, because few statements ever get as far.
        now = time.thread_time()
        if not self._until:
            self._until = now + _LEAST_S + _size(self._file) / _BYTES_A_SECOND
        return now > self._until


def _size(file: str) -> int:
    try:
        return os.stat(file).st_size
    except OSError:
        return 0


def read_schema(connection: sqlite3.Connection, most: int) -> frozenset[SchemaRow]:
    """Everything that was ever created in a database, up to one more than `most`; spaces count alike."""
    rows = connection.execute(f"SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master LIMIT {most + 1}")
    return frozenset((kind, name, table, " ".join(sql.split())) for kind, name, table, sql in rows.fetchall())


def schema_of(statements: Iterable[str]) -> frozenset[SchemaRow]:
    """What these statements make in an empty database."""
    made = sqlite3.connect(":memory:")
    try:
        for statement in statements:
            made.execute(statement)
        return read_schema(made, 1000)
    finally:
        made.close()


def refuse_other_schema(connection: sqlite3.Connection, wanted: frozenset[SchemaRow]) -> None:
    """Raise `OtherSchema` unless the database was made by the statements behind `wanted`."""
    found = read_schema(connection, len(wanted))
    if found != wanted:
        names = sorted(f"{kind} {name}" for kind, name, _, _ in found ^ wanted)
        raise OtherSchema(f"its tables are not those of an index: {names[0][:100]}")
