"""`SqliteStore`: the `Store` promise kept by one SQLite file.

It joins the parts: who may write, which connection answers, what errors mean. Statements are in `read`, `outlines` and
`write`. Reads and writes use two connections, so that readers in other threads never wait for a writer; the thread that
holds a transaction reads what it has written.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import ParamSpec, TypeVar
from weakref import finalize

from pinakes.errors import StoreError, StoreReadOnly
from pinakes.own_folder import OwnFolder
from pinakes.records import Change
from pinakes.store.sqlite.connection import Connection, translate_errors, translate_read_errors
from pinakes.store.sqlite.lock import OtherThread, WriteLock
from pinakes.store.sqlite.open import connect, prepare, require
from pinakes.store.sqlite.raw import identity
from pinakes.store.sqlite.sums import has_log, log_of
from pinakes.store.sqlite.trust import (
    DATABASE,
    DatabaseSeal,
    announce,
    break_seal,
    check_file,
    check_pages,
    is_as_sealed,
    seal,
    seal_closed,
)
from pinakes.store.tables.connection import Tables
from pinakes.store.tables.questions import TableReader
from pinakes.store.tables.statements import INSERT_DERIVED
from pinakes.store.tables.write import apply

P = ParamSpec("P")
T = TypeVar("T")


def open_sqlite(folder: OwnFolder, *, read_only: bool = False) -> SqliteStore:
    """The library kept in `folder`, made if it is not there.

    Opened `read_only`, or where the folder cannot be written to, it creates nothing and refuses writes. An index that
    cannot be trusted raises `StoreDamaged`; there being none to read raises `NotFound`.
    """
    path = folder.path / DATABASE
    lock = WriteLock(folder)
    read_only = read_only or _is_closed(folder.path, path)
    if read_only:
        require(folder)
    else:
        prepare(folder, lock)
    reader = connect(folder, lock, read_only=True, may_migrate=not read_only)
    try:
        with translate_errors(path):
            return SqliteStore(folder, reader, lock, is_read_only=read_only)
    except BaseException:
        reader.close()
        raise


def _is_closed(folder: Path, path: Path) -> bool:
    """Whether an index is there and cannot be written to. Looked at twice: somebody may just be removing it or making
    it anew, and what is not there cannot be written to either."""

    def is_writable() -> bool:
        return os.access(folder, os.W_OK) and os.access(path, os.W_OK)

    return not is_writable() and os.path.exists(path) and not is_writable()


class SqliteStore(TableReader):
    """One file, one writer at a time, any number of readers."""

    def __init__(self, folder: OwnFolder, reader: Connection, lock: WriteLock, *, is_read_only: bool) -> None:
        super().__init__()
        self.is_read_only = is_read_only
        self._folder = folder
        self._path = folder.path / DATABASE
        self._lock = lock
        self._choosing = threading.Lock()
        self._log = str(folder.path / log_of(DATABASE))
        self._identity, self._stamp = _state(self._path)
        self._reader = reader
        self._writer: Connection | None = None
        self._is_closed = False
        self._is_doubtful = False
        """Whether a read failed since the database was opened: what SQLite knows of its log may be untrue."""
        self._writing_thread: int | None = None
        self._sealed: DatabaseSeal | None = None
        """What this store sealed last, while its log goes on; see `announce`."""

    # Writing

    @contextmanager
    def writing(self, wait_s: float = 30.0) -> Iterator[None]:
        if self.is_read_only:
            raise StoreReadOnly(f"The index {self._path} can only be read.", "Make its folder writable.")
        try:
            with translate_errors(self._path), self._lock.held(wait_s):
                yield
        finally:
            if self._is_closed and not self._lock.is_held:
                self._end_writing()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self.writing():
            connection = self._open_writer()
            with self._sealing(connection), connection.transaction():
                yield

    def write(self, change: Change) -> None:
        with self.writing():
            connection = self._open_writer()
            with self._sealing(connection):
                apply(connection, change)

    @contextmanager
    def _sealing(self, connection: Connection) -> Iterator[None]:
        """Seals what the block commits, unless it is part of a larger transaction that will."""
        if connection.in_transaction:
            yield
            return
        announce(self._folder, self._sealed)
        self._writing_thread = threading.get_ident()
        try:
            yield
        finally:
            self._writing_thread = None
        self._seal(connection)

    def _seal(self, connection: Connection) -> None:
        sealed, is_moved = seal(self._folder, connection)
        self._sealed = None if is_moved else sealed

    def keep_derived(self, name: str, payload: bytes) -> None:
        generation = self._asked.get(name, self.generation)
        # Not worth waiting for: whoever needs the part later makes it again.
        with self.writing(wait_s=0.0), translate_errors(self._path):
            connection = self._open_writer()
            with self._sealing(connection):
                connection.run(INSERT_DERIVED, (name, generation, payload))

    def _open_writer(self) -> Connection:
        if self._writer is None or not self._writer.in_transaction:
            with self._choosing:
                self._follow()
                if self._writer is None:
                    self._writer = connect(self._folder, self._lock, read_only=False)
                    # A process that ends without closing closes all the same, and the log with it.
                    self._ending = finalize(
                        self, _close, self._folder, self._writer, self._lock, self._identity, os.getpid()
                    )
        return self._writer

    def _follow(self) -> None:
        """A rebuild puts another database in the place of this one: carry on with that. One that was written to is
        looked at, unless it was by us."""
        found, written = _state(self._path)
        if os.path.isdir(self._log):
            check_file(self._folder, self._lock)  # raises: whoever opens the database next could not
        is_behind = self._reader.is_frozen and not self.is_read_only and has_log(self._folder, DATABASE)
        if self._is_doubtful:
            self._reader.close()  # before another is opened: together they would keep the same shared memory
        if found != self._identity or is_behind or self._is_doubtful:
            if self._writer is not None:
                self._ending.detach()
                self._writer.close()
                self._writer = None
            self._reader, before = connect(self._folder, self._lock, read_only=True), self._reader
            before.close()
            self._identity, self._stamp = _state(self._path)
            self._is_doubtful = False
        elif self._stamp != written:
            if not is_as_sealed(self._folder, self._lock):
                check_pages(self._folder, self._lock)
            self._stamp = written

    def close(self) -> None:
        """Afterwards the database is one file again, unless others have it open. What another thread is writing at this
        moment it may finish."""
        with self._choosing:
            self._reader.close()
            self._is_closed = True
            self._end_writing()

    def _end_writing(self) -> None:
        if self._writer is not None and (ending := self._ending.peek()):
            _, close, given, _ = ending
            if close(*given):  # or else whoever writes calls this himself when he is through
                self._ending.detach()

    # Reading

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection whose answers all belong to one generation."""
        with translate_read_errors(self._path, self._distrust), ExitStack() as stack:
            if self._writing_thread == threading.get_ident() and self._writer is not None:
                connection = self._writer
            else:
                with self._choosing:  # or somebody might close it before its lock is taken
                    self._follow()
                    connection = self._reader
                    stack.enter_context(connection.lock)
            stack.enter_context(connection.snapshot())
            yield connection

    def _made(self, records: Iterator[T]) -> Iterator[T]:
        """Records are made as they are asked for, after the connection was given back."""
        with translate_read_errors(self._path, self._distrust):
            yield from records

    def _distrust(self) -> None:
        """What cannot be read makes every page doubtful, for whoever comes next too."""
        break_seal(self._folder, self._lock)
        self._is_doubtful = True

    def _is_settled(self, tables: Tables) -> bool:
        return tables is self._reader


def _state(database: Path) -> tuple[tuple[int, int], tuple[int, int]]:
    """Which file it is, and its size and time; all 0 when it is missing."""
    try:
        found = os.lstat(database)
    except OSError:
        return (0, 0), (0, 0)
    return (found.st_dev, found.st_ino), (found.st_size, found.st_mtime_ns)


def _close(folder: OwnFolder, writer: Connection, lock: WriteLock, known: tuple[int, int], process: int) -> bool:
    """SQLite removes the write-ahead log when the last connection that may write goes. Does nothing, and says so, while
    another thread writes: closed under its hands, the log would be moved without its checksums."""
    if process != os.getpid():
        return True  # a connection does not survive a fork; it is its owner's to close
    path = folder.path / DATABASE
    try:
        with suppress(OSError), translate_errors(path), lock.held(0.0):
            if identity(folder, DATABASE) == known:  # or else there is another one now, which others seal
                sealed, _ = seal(folder, writer, all_of_it=True)
                writer.close()
                seal_closed(folder, sealed)
    except OtherThread:
        return False
    except StoreError:
        pass  # another process writes, or there is no room: whoever opens it next looks at every page
    writer.close()
    return True
