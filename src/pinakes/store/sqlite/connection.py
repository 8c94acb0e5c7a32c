"""One connection to the database file: how it is opened, how rows go in and out, and what its errors mean.

SQL and rows enter, rows leave. What the tables hold is not known here.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from pinakes.errors import StoreBusy, StoreDamaged, StoreError, StoreReadOnly
from pinakes.own_folder import OwnFolder
from pinakes.own_folder.database import open_database
from pinakes.safe_sqlite import SchemaRow, refuse_other_schema
from pinakes.store.sqlite.raw import Identity, release, share
from pinakes.store.tables.connection import Row, SqlValue

BUSY_TIMEOUT_MS = 10_000
"""Only ever waited for between two transactions of other processes; `writing` queues the long ones."""

FROZEN = "ro&immutable=1"
"""The mode that sees the file and nothing else, and never a change to it."""

REPAIR = "Run `pinakes doctor --repair`, or `pinakes sync --rebuild`, to make it again from the sources."


class Connection:
    """SQLite in autocommit mode. Threads may share it: whoever needs several statements holds `lock`.

    Every single one holds it too, because SQLite does not survive being closed in the middle of a statement.
    """

    def __init__(self, folder: OwnFolder, name: str, mode: str) -> None:
        """`mode` is SQLite's own, ``ro`` or ``rw``, or `FROZEN`."""
        self.is_frozen = mode == FROZEN
        self.lock = threading.RLock()
        self._file: Identity | None = share(folder, name)
        try:
            self._driver = open_database(folder, name, mode)
        except BaseException:
            release(self._file)
            raise
        self._driver.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        self._driver.execute("PRAGMA foreign_keys = ON")

    def refuse_other_schema(self, wanted: frozenset[SchemaRow]) -> None:
        """Raise `sqlite3.DatabaseError` when there are other tables than these, or anything else."""
        with self.lock:
            refuse_other_schema(self._driver, wanted)

    def run(self, sql: str, values: Sequence[SqlValue] = ()) -> None:
        with self.lock:
            self._execute(sql, values)

    def many(self, sql: str, rows: Iterable[Sequence[SqlValue]]) -> None:
        with self.lock:
            left, taken = iter(rows), _Last()
            try:
                self._driver.executemany(sql, taken.from_(left))
            except UnicodeEncodeError:
                # The rows before this one are in. Checking every text beforehand would cost more than all the rest.
                self._driver.executemany(sql, map(storable_row, chain((taken.row,), left)))

    def _execute(self, sql: str, values: Sequence[SqlValue]) -> sqlite3.Cursor:
        try:
            return self._driver.execute(sql, values)
        except UnicodeEncodeError:
            return self._driver.execute(sql, storable_row(values))

    def all(self, sql: str, values: Sequence[SqlValue] = ()) -> list[Row]:
        """Every row at once, so that no statement stays open between two calls."""
        with self.lock:
            try:
                return self._execute(sql, values).fetchall()
            except sqlite3.OperationalError as error:
                if "decode to UTF-8" not in str(error):
                    raise
                # There is text with lone surrogates after all: from here on every string is decoded in Python.
                self._driver.text_factory = _decoded
                return self._execute(sql, values).fetchall()

    def one(self, sql: str, values: Sequence[SqlValue] = ()) -> Row | None:
        rows = self.all(sql, values)
        return rows[0] if rows else None

    def copy_into(self, other: Connection) -> None:
        """Make another, empty database equal to this one. A crash leaves half a database there."""
        with self.lock, other.lock:
            other.run("PRAGMA journal_mode = OFF")
            other.run("PRAGMA synchronous = OFF")
            self._driver.backup(other._driver)

    @property
    def in_transaction(self) -> bool:
        return self._driver.in_transaction

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Everything read inside belongs to the same generation."""
        with self.lock:
            if self._driver.in_transaction:
                yield
                return
            self._driver.execute("BEGIN")
            try:
                yield
            finally:
                if self._driver.in_transaction:  # an error of the disk ends it
                    self._driver.execute("COMMIT")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything written inside is kept together or not at all; joins the transaction under way."""
        with self.lock:
            is_part = self._driver.in_transaction
            self._driver.execute("SAVEPOINT part" if is_part else "BEGIN IMMEDIATE")
            try:
                yield
                self._driver.execute("RELEASE part" if is_part else "COMMIT")
            except BaseException:
                if self._driver.in_transaction:  # a full disk may already have ended it
                    self._driver.execute("ROLLBACK TO part" if is_part else "ROLLBACK")
                if self._driver.in_transaction and is_part:
                    self._driver.execute("RELEASE part")
                raise

    def close(self) -> None:
        with self.lock:
            self._driver.close()
            if self._file is not None:
                release(self._file)
                self._file = None


class _Last:
    """Hands rows on and knows which was the last."""

    row: Sequence[SqlValue] = ()

    def from_(self, rows: Iterator[Sequence[SqlValue]]) -> Iterator[Sequence[SqlValue]]:
        for self.row in rows:
            yield self.row


def storable_row(row: Sequence[SqlValue]) -> tuple[SqlValue, ...]:
    """A row as parameters: texts with lone surrogates as bytes, which statements cast to text."""
    return tuple(_storable(value) if isinstance(value, str) else value for value in row)


def _storable(text: str) -> str | bytes:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Errors of SQLite, of the files in the folder of the index and of the folders above it leave as errors that name
    the file and the next step. Those of other files are let by: whoever writes may be reading them."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(error, path) from error
    except OSError as error:
        file = Path(str(error.filename))
        if path.parent != file.parent and file not in path.parents:
            raise
        if isinstance(error, FileNotFoundError):
            raise damaged(path, "it was removed while it was used") from error
        if isinstance(error, IsADirectoryError | NotADirectoryError):
            raise damaged(path, f"{file.name} is no longer what it was ({error.strerror})") from error
        problem = f"The file {file} of the index could not be used ({error.strerror})."
        raise StoreError(problem, "Check that it may be read and written, and the free space of the disk.") from error


@contextmanager
def translate_read_errors(path: Path, on_damage: Callable[[], None] = lambda: None) -> Iterator[None]:
    """As `translate_errors`; stored values that make no record are damage, too, which is told to `on_damage` first."""
    try:
        with translate_errors(path):
            yield
    except StoreDamaged:
        on_damage()
        raise
    except (ValueError, TypeError, LookupError) as error:
        on_damage()
        raise damaged(path, f"it holds what nobody wrote ({error})") from error


def damaged(path: Path, finding: str) -> StoreDamaged:
    return StoreDamaged(f"The index {path} is damaged: {finding}.", REPAIR)


def _translated(error: sqlite3.Error, path: Path) -> StoreError:
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    if primary == sqlite3.SQLITE_FULL:
        return StoreError(f"The disk is full: {path} could not be written.", "Free some space; the index is as it was.")
    if code == sqlite3.SQLITE_IOERR_SHORT_READ:
        return damaged(path, "a part of it is missing")
    if primary == sqlite3.SQLITE_IOERR:
        return StoreError(f"The disk refused to read or write {path} ({error}).", "Check the disk and its free space.")
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(f"Another process is writing to {path}.", "Try again when it is done.")
    if primary == sqlite3.SQLITE_READONLY:
        return StoreReadOnly(f"The index {path} can only be read.", "Make its folder writable, or use another one.")
    if primary in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return StoreError(f"The index {path} could not be opened ({error}).", "Check that it may be read.")
    if primary == sqlite3.SQLITE_INTERRUPT:
        return damaged(path, "reading it comes to no end")
    if primary in (sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_TOOBIG):
        return StoreError(f"The index {path} could not be used ({error}).", "Give the process more memory.")
    if isinstance(error, sqlite3.ProgrammingError):
        return StoreBusy(f"The index {path} was closed while it was asked.", "Ask again.")
    return damaged(path, str(error))
