"""Decides whether the database is what this program last wrote.

A folder enters; `StoreDamaged` is raised when something else wrote to the database. A truncated or replaced database
can look like an empty but sound one, so `seal.json` records generation, size and time outside of it, after every
commit: a database may be ahead of its seal (a crash in between), never behind it. When the file's time differs from the
seal, the checksums of all pages decide. The content of the tables is not known here.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pinakes.atomic import replace_file
from pinakes.errors import StoreBusy, StoreTooNew
from pinakes.store.sqlite.connection import Connection, damaged
from pinakes.store.sqlite.lock import WriteLock
from pinakes.store.sqlite.schema import VERSION
from pinakes.store.sqlite.sums import LONG_LOG, first_change, log_of, move_log, read_sums, sums_of, write_sums

NAME = "seal.json"


@dataclass(frozen=True, slots=True)
class DatabaseSeal:
    """The state a commit left behind."""

    generation: int
    documents: int
    """How many the database held at that generation."""
    file_bytes: int
    """How long the database file was; it never becomes shorter."""
    modified_ns: int = 0
    """When the database file was last written to."""


def read_seal(folder: Path) -> DatabaseSeal | None:
    """None without a seal, or when it is not legible: then the database has to speak for itself."""
    try:
        fields = json.loads((folder / NAME).read_bytes())
        return DatabaseSeal(
            int(fields["generation"]),
            int(fields["documents"]),
            int(fields["file_bytes"]),
            int(fields.get("modified_ns", 0)),
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def write_seal(folder: Path, seal: DatabaseSeal) -> None:
    """Replaces the seal in one step. A seal that cannot be written stays behind its database, which is allowed."""
    with suppress(OSError):
        replace_file(folder / NAME, json.dumps(asdict(seal)).encode(), durable=False)


def break_seal(folder: Path) -> None:
    """Let nobody trust the time of the file any more."""
    seal = read_seal(folder)
    if seal is not None and seal.modified_ns:
        write_seal(folder, replace(seal, modified_ns=0))


DATABASE = "library.db"
_PATIENCE_S = 1.0
"""How long to wait for a moment when nobody writes."""


def stamp(database: Path) -> tuple[int, int]:
    """Size and time: another one after every write to the file."""
    found = os.stat(database)
    return (found.st_size, found.st_mtime_ns)


def check_file(folder: Path) -> None:
    """What can be told without SQLite, which takes an empty file for an empty database."""
    path = folder / DATABASE
    seal = read_seal(folder)
    if not os.path.lexists(path):
        raise damaged(path, "it is missing, though it was there when the seal beside it was written")
    for part in (path, log_of(path), path.with_name(f"{DATABASE}-shm")):
        if os.path.lexists(part) and not part.is_file():
            raise damaged(path, f"{part.name} is no file")
    size, _ = stamp(path)
    if size == 0:
        raise damaged(path, "it is empty")
    if seal is not None and size < seal.file_bytes:
        raise damaged(path, f"it was {seal.file_bytes} bytes long and is now {size}")


def refuse_newer(path: Path, version: int) -> None:
    if version > VERSION:
        raise StoreTooNew(
            f"The index {path} has format {version}; this Pinakes knows formats up to {VERSION}.",
            "Update Pinakes, or run `pinakes sync --rebuild` to make the index again.",
        )


def is_untouched(folder: Path) -> bool:
    """Whether nobody wrote to the database since it was sealed. As cheap as it gets."""
    seal = read_seal(folder)
    return seal is not None and (seal.file_bytes, seal.modified_ns) == stamp(folder / DATABASE)


def check_pages(folder: Path, lock: WriteLock) -> None:
    """Read everything; raises `StoreDamaged` when pages are not what was written into them."""
    if not _changed_page(folder):
        return
    # Looked at again while nobody writes: another process may just have been moving pages.
    with suppress(StoreBusy):  # whoever is writing has looked himself
        try:
            with lock.held(_PATIENCE_S):
                number = _changed_page(folder)
        except sqlite3.OperationalError:
            number = _changed_page(folder)  # where nobody can lock, nobody can write
        if number:
            raise damaged(folder / DATABASE, f"its page {number} is not what was written")


def _changed_page(folder: Path) -> int:
    """The first page that is not what was written; 0 when all are, or when there are no checksums to tell by."""
    sums = read_sums(folder)
    return first_change(folder / DATABASE, sums) if sums else 0


def present_seal(folder: Path, connection: Connection) -> DatabaseSeal:
    """What there is to seal after a commit."""
    generation, documents = connection.all("SELECT generation, (SELECT count(*) FROM documents) FROM meta")[0]
    return DatabaseSeal(generation, documents, *stamp(folder / DATABASE))


def seal(folder: Path, connection: Connection, *, all_of_it: bool = False) -> DatabaseSeal:
    """Seal what was committed; the caller holds the lock. Moves a long log, or any, into the database first."""
    database = folder / DATABASE
    with suppress(FileNotFoundError):
        if log_of(database).stat().st_size >= (1 if all_of_it else LONG_LOG):
            move_log(folder, database, connection)
    sealed = present_seal(folder, connection)
    write_seal(folder, sealed)
    return sealed


def seal_closed(folder: Path, before: DatabaseSeal) -> None:
    """SQLite itself moves what is left of the log when the last connection goes: then every page is looked at again."""
    database = folder / DATABASE
    with suppress(OSError):
        if stamp(database) != (before.file_bytes, before.modified_ns):
            write_sums(folder, sums_of(database))
            size, modified = stamp(database)
            write_seal(folder, replace(before, file_bytes=size, modified_ns=modified))
