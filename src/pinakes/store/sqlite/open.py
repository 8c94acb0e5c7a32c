"""Open an index, make a new one, or say why it cannot be trusted.

A folder enters; connections leave. A database is only ever created whole (under another name, then renamed), so one
that is missing where a seal says otherwise, empty, too short or behind its seal is damaged, never simply empty.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from pinakes.errors import NotFound, StoreBusy, StoreError
from pinakes.own_folder import OwnFolder
from pinakes.store.sqlite.connection import FROZEN, Connection, damaged, translate_read_errors
from pinakes.store.sqlite.lock import WriteLock
from pinakes.store.sqlite.raw import identity
from pinakes.store.sqlite.schema import MIGRATIONS, VERSION, statements, tables
from pinakes.store.sqlite.sums import has_log, sums_of, write_sums
from pinakes.store.sqlite.trust import (
    DATABASE,
    announce,
    check_file,
    check_origin,
    check_pages,
    first_seal,
    is_as_sealed,
    present_seal,
    read_seal,
    refuse_newer,
    write_seal,
)

_WAIT_S = 30.0


def prepare(folder: OwnFolder, lock: WriteLock) -> None:
    """Make the folder and a database in it, unless they are there."""
    try:
        folder.make(unseen=True, parents=True)
    except OSError as error:
        raise StoreError(
            f"The folder {folder.path} for the index could not be made ({error.strerror}).",
            "Name a folder that you may write to with --store.",
        ) from error
    path = folder.path / DATABASE
    if not os.path.lexists(path):
        with translate_read_errors(path), lock.held(_WAIT_S):  # or somebody may just be setting it aside
            if not os.path.lexists(path) and read_seal(folder) is None:
                _create(folder)


def require(folder: OwnFolder) -> None:
    """Raise `NotFound` where no index was ever made. One that goes while it is used is damaged, see `connect`."""
    path = folder.path / DATABASE
    if not os.path.lexists(path) and read_seal(folder) is None:
        raise NotFound(f"There is no index at {path}.", "Run `pinakes sync` to make one.")


def connect(
    folder: OwnFolder, lock: WriteLock, *, read_only: bool, may_migrate: bool = False, trusting: bool = False
) -> Connection:
    """A connection to a database that has been checked against its seal and, unless `trusting`, is what was written."""
    path = folder.path / DATABASE
    with translate_read_errors(path):
        check_file(folder, lock)
        check_origin(folder, lock)
        known = identity(folder, DATABASE)
        connection = _reader(folder) if read_only else Connection(folder, DATABASE, "rw")
        try:
            version = _version(connection, path)
            if not version:  # one of ours had its tables before it had its name; SQLite takes a stump for a new one
                raise damaged(path, "it holds nothing")
            connection.refuse_other_schema(tables(version))
            if version < VERSION:
                if not may_migrate:
                    raise StoreError(f"The index {path} was written by an older Pinakes.", "Run `pinakes sync` once.")
                _bring_up_to_date(folder, lock)
            _check_seal(folder, connection)
            if not trusting and not is_as_sealed(folder, lock):
                check_pages(folder, lock)
                _seal_again(folder, lock, connection, known)
            if not read_only:
                _tune(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _bring_up_to_date(folder: OwnFolder, lock: WriteLock) -> None:
    path = folder.path / DATABASE
    with lock.held(_WAIT_S):
        check_pages(folder, lock)
        announce(folder, None)
        connection = Connection(folder, DATABASE, "rw")
        try:
            _migrate(connection, path)
        finally:
            connection.close()
        write_sums(folder, sums_of(folder, DATABASE))


def _seal_again(folder: OwnFolder, lock: WriteLock, connection: Connection, known: tuple[int, int]) -> None:
    """After every page was looked at once, its time tells again."""
    if not os.access(folder.path, os.W_OK):
        return
    with suppress(StoreBusy, sqlite3.OperationalError), lock.held(0.0):
        if identity(folder, DATABASE) == known:  # or else there is another one by now
            write_seal(folder, present_seal(folder, connection))


def _check_seal(folder: OwnFolder, connection: Connection) -> None:
    seal, present = read_seal(folder), present_seal(folder, connection)
    if seal is None:
        raise damaged(folder.path / DATABASE, "its seal was removed while it was opened")
    if present.generation < seal.generation:
        finding = f"it is at generation {present.generation}, and generation {seal.generation} was written"
        raise damaged(folder.path / DATABASE, finding)
    if present.generation == seal.generation and present.documents < seal.documents:
        finding = f"it holds {present.documents} documents where {seal.documents} were written"
        raise damaged(folder.path / DATABASE, finding)


def _reader(folder: OwnFolder) -> Connection:
    """Shares the write-ahead log with writers where it can. A folder nobody may write to has none to share, and on a
    full disk there is no room to: without a log, the file is all there is."""
    try:
        connection = Connection(folder, DATABASE, "ro")
        try:
            connection.all("SELECT 1 FROM sqlite_schema LIMIT 1")
        except BaseException:
            connection.close()
            raise
    except sqlite3.OperationalError as error:
        primary = error.sqlite_errorcode & 0xFF
        is_closed = not os.access(folder.path, os.W_OK) and primary in _NO_SHARING
        if not is_closed and not (primary in _NO_ROOM and not has_log(folder, DATABASE)):
            raise
        return Connection(folder, DATABASE, FROZEN)
    return connection


_NO_SHARING = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_NO_ROOM = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN)


def _create(folder: OwnFolder) -> None:
    fresh = f"{DATABASE}.{os.getpid()}.new"
    folder.replace(fresh, b"", durable=False)  # which SQLite takes for a new database
    connection = Connection(folder, fresh, "rw")
    try:
        connection.run("PRAGMA journal_mode = WAL")
        _migrate(connection, folder.path / fresh)
    finally:
        connection.close()
    write_sums(folder, sums_of(folder, fresh))
    folder.move(fresh, folder, DATABASE)
    write_seal(folder, first_seal(folder))


def _migrate(connection: Connection, path: Path) -> None:
    with connection.transaction():
        # Asked again inside the transaction: another process may have been first.
        for version in range(_version(connection, path), VERSION):
            for statement in statements(MIGRATIONS[version]):  # `executescript` would commit the transaction
                connection.run(statement)
        connection.run(f"PRAGMA user_version = {VERSION}")


def _version(connection: Connection, path: Path) -> int:
    version = int(connection.all("PRAGMA user_version")[0][0])
    refuse_newer(path, version)
    return version


def _tune(connection: Connection) -> None:
    # FULL costs one flush per commit. With less, a power cut could leave the database behind its seal, and a sound
    # index would be taken for a damaged one.
    connection.run("PRAGMA synchronous = FULL")
    connection.run("PRAGMA cache_size = -16384")
    connection.run("PRAGMA wal_autocheckpoint = 0")  # the log is moved where checksums are renewed with it: see `sums`
    connection.run("PRAGMA journal_size_limit = 16777216")
