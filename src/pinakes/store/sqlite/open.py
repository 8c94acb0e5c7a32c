"""Open an index, make a new one, or say why it cannot be trusted.

A folder enters; connections leave. A database is only ever created whole (under another name, then renamed), so one
that is missing where a seal says otherwise, empty, too short or behind its seal is damaged, never simply empty.
"""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from pinakes.errors import NotFound, StoreError, StoreTooNew
from pinakes.store.sqlite.connection import Connection, damaged, readable
from pinakes.store.sqlite.lock import WriteLock
from pinakes.store.sqlite.schema import MIGRATIONS, VERSION
from pinakes.store.sqlite.seal import Seal, read_seal

DATABASE = "library.db"
_MAGIC = b"SQLite format 3\x00"
_WAIT_S = 30.0


def prepare(folder: Path, lock: WriteLock) -> None:
    """Make the folder and an up to date database in it, unless they are there."""
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True)
            (folder / ".gitignore").write_text("*\n")
    except OSError as error:
        raise StoreError(f"The folder {folder} for the index could not be made ({error.strerror}).") from error
    path = folder / DATABASE
    with readable(path):
        if not path.exists() and read_seal(folder) is None:
            with lock.held(_WAIT_S):
                if not path.exists():
                    _create(path)
        check_file(folder)
        if _header_version(path) < VERSION:
            connection = Connection(path, "rw")
            try:
                with lock.held(_WAIT_S):
                    _migrate(connection, path)
            finally:
                connection.close()


def connect(folder: Path, *, read_only: bool) -> Connection:
    """A connection to a database that has been checked against its seal."""
    path = folder / DATABASE
    with readable(path):
        if not path.exists() and read_seal(folder) is None:
            raise NotFound(f"There is no index at {path}.", "Run `pinakes sync` to make one.")
        check_file(folder)
        connection = _reader(path) if read_only else Connection(path, "rw")
        try:
            if _version(connection, path) < VERSION:
                raise StoreError(f"The index {path} was written by an older Pinakes.", "Run `pinakes sync` once.")
            _check_seal(folder, connection)
            if not read_only:
                _tune(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def identity(path: Path) -> tuple[int, int]:
    """Tells one database file from another that took its name; nothing at all is told from both."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


def check_file(folder: Path) -> None:
    """What can be told without SQLite, which takes an empty file for an empty database."""
    path = folder / DATABASE
    seal = read_seal(folder)
    if not path.exists():
        raise damaged(path, "it is missing, though it was there when the seal beside it was written")
    try:
        look = _look(path)
        # Looked at twice before it is called too short: another process may just be writing.
        is_cut = look.is_settled and look.size != look.stated_size and look == _look(path)
    except OSError as error:
        raise StoreError(f"The index {path} could not be read ({error.strerror}).", "Check its permissions.") from error
    if look.size == 0:
        raise damaged(path, "it is empty")
    if not look.is_database:
        raise damaged(path, "it is not a database")
    if is_cut:
        raise damaged(path, f"it says to be {look.stated_size} bytes long and is {look.size}")
    if seal is not None and look.size < seal.file_bytes:
        raise damaged(path, f"it was {seal.file_bytes} bytes long and is now {look.size}")


@dataclass(frozen=True, slots=True)
class _Look:
    """What the file itself says."""

    size: int
    stated_size: int
    """According to its header: page size times page count."""
    is_database: bool
    is_settled: bool
    """Whether there is no log with pages that have not reached the file yet."""


def _look(path: Path) -> _Look:
    log = path.with_name(f"{path.name}-wal")
    is_settled = not log.exists() or log.stat().st_size == 0
    with path.open("rb") as file:
        header = file.read(100)
        size = os.fstat(file.fileno()).st_size
    page = int.from_bytes(header[16:18], "big")
    stated = (65536 if page == 1 else page) * int.from_bytes(header[28:32], "big")
    return _Look(size, stated, header.startswith(_MAGIC), is_settled)


def present_seal(folder: Path, connection: Connection) -> Seal:
    """What there is to seal after a commit."""
    generation, documents = connection.all("SELECT generation, (SELECT count(*) FROM documents) FROM meta")[0]
    return Seal(generation, documents, (folder / DATABASE).stat().st_size)


def _check_seal(folder: Path, connection: Connection) -> None:
    seal, present = read_seal(folder), present_seal(folder, connection)
    if seal is None:
        return
    if present.generation < seal.generation:
        finding = f"it is at generation {present.generation}, and generation {seal.generation} was written"
        raise damaged(folder / DATABASE, finding)
    if present.generation == seal.generation and present.documents < seal.documents:
        finding = f"it holds {present.documents} documents where {seal.documents} were written"
        raise damaged(folder / DATABASE, finding)


def _reader(path: Path) -> Connection:
    """Shares the write-ahead log with writers where it can; a folder nobody may write to has none to share."""
    connection = Connection(path, "ro")
    try:
        connection.all("SELECT 1 FROM sqlite_schema LIMIT 1")
    except sqlite3.OperationalError as error:
        connection.close()
        if os.access(path.parent, os.W_OK) or error.sqlite_errorcode & 0xFF not in _NO_SHARING:
            raise
        return Connection(path, "ro&immutable=1")
    return connection


_NO_SHARING = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


def _create(path: Path) -> None:
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    connection = Connection(fresh, "rwc")
    try:
        connection.run("PRAGMA journal_mode = WAL")
        _migrate(connection, fresh)
    finally:
        connection.close()
    fresh.replace(path)


def _migrate(connection: Connection, path: Path) -> None:
    with connection.transaction():
        # Asked again inside the transaction: another process may have been first.
        for version in range(_version(connection, path), VERSION):
            connection.script(MIGRATIONS[version])
        connection.run(f"PRAGMA user_version = {VERSION}")


def _header_version(path: Path) -> int:
    """As in the file itself, without a connection; the write-ahead log may know of a newer one."""
    with path.open("rb") as file:
        return int.from_bytes(file.read(64)[60:], "big")


def _version(connection: Connection, path: Path) -> int:
    version = int(connection.all("PRAGMA user_version")[0][0])
    if version > VERSION:
        raise StoreTooNew(
            f"The index {path} has format {version}; this Pinakes knows formats up to {VERSION}.",
            "Update Pinakes, or run `pinakes sync --rebuild` to make the index again.",
        )
    return version


def _tune(connection: Connection) -> None:
    # FULL costs one flush per commit. With less, a power cut could leave the database behind its seal, and a sound
    # index would be taken for a damaged one.
    connection.run("PRAGMA synchronous = FULL")
    connection.run("PRAGMA cache_size = -65536")
    connection.run("PRAGMA wal_autocheckpoint = 4000")
    connection.run("PRAGMA journal_size_limit = 16777216")
