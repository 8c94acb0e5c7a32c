"""Is the database what was written? Told from its time, and where that says nothing, from all of its pages.

A folder enters; `StoreDamaged` leaves when something else wrote to the database. What its tables hold is not known
here.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pinakes.errors import StoreBusy, StoreError, StoreTooNew
from pinakes.store.sqlite.connection import Connection, damaged
from pinakes.store.sqlite.lock import WriteLock
from pinakes.store.sqlite.raw import raw
from pinakes.store.sqlite.schema import VERSION
from pinakes.store.sqlite.seal import Seal, read_seal, write_seal
from pinakes.store.sqlite.sums import LONG_LOG, first_change, has_log, log_of, move_log, read_sums, sums_of, write_sums

DATABASE = "library.db"
_MAGIC = b"SQLite format 3\x00"
_LOOKS = 3
"""Times to look before somebody else's writing is called damage."""
_PATIENCE_S = 1.0
"""For a look while nobody writes. Whoever writes has looked himself."""


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
    refuse_newer(path, look.version)


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


def check_pages(folder: Path, lock: WriteLock, *, trusting_time: bool = True) -> None:
    """Raises `StoreDamaged` when pages are not what was written into them. Reads everything, unless the time tells."""

    def is_sound() -> bool:
        return (trusting_time and is_untouched(folder)) or not changed_page(folder)

    if any(is_sound() for _ in range(_LOOKS)):
        return
    with suppress(StoreBusy):  # somebody is writing at this moment, and will look at every page when he opens it next
        try:
            with lock.held(_PATIENCE_S):
                number = 0 if is_sound() else changed_page(folder)
        except sqlite3.OperationalError:
            number = changed_page(folder)  # where nobody can lock, nobody can write
        if number:
            raise damaged(folder / DATABASE, f"its page {number} is not what was written")


def changed_page(folder: Path) -> int:
    """The first page that is not what was written; 0 when all are, or when there are no checksums to tell by."""
    sums = read_sums(folder)
    return first_change(folder / DATABASE, sums) if sums else 0


def present_seal(folder: Path, connection: Connection) -> Seal:
    """What there is to seal after a commit."""
    generation, documents = connection.all("SELECT generation, (SELECT count(*) FROM documents) FROM meta")[0]
    return Seal(generation, documents, *stamp(folder / DATABASE))


def seal(folder: Path, connection: Connection, *, all_of_it: bool = False) -> Seal:
    """Seal what was committed; the caller holds the lock. Moves a long log, or any, into the database first."""
    database = folder / DATABASE
    with suppress(FileNotFoundError):
        if log_of(database).stat().st_size >= (1 if all_of_it else LONG_LOG):
            move_log(folder, database, connection)
    sealed = present_seal(folder, connection)
    write_seal(folder, sealed)
    return sealed


def seal_closed(folder: Path, before: Seal) -> None:
    """SQLite itself moves what is left of the log when the last connection goes: then every page is looked at again."""
    database = folder / DATABASE
    with suppress(OSError):
        if stamp(database) != (before.file_bytes, before.modified_ns):
            write_sums(folder, sums_of(database))
            size, modified = stamp(database)
            write_seal(folder, replace(before, file_bytes=size, modified_ns=modified))


@dataclass(frozen=True, slots=True)
class _Look:
    """What the file itself says."""

    size: int
    stated_size: int
    """According to its header: page size times page count."""
    version: int
    """Of the format; the write-ahead log may know of a newer one."""
    is_database: bool
    is_settled: bool
    """Whether there is no log with pages that have not reached the file yet."""


def _look(path: Path) -> _Look:
    is_settled = not has_log(path)
    with raw(path) as read:
        header = read(100, 0)
    size = path.stat().st_size
    page = int.from_bytes(header[16:18], "big")
    stated = (65536 if page == 1 else page) * int.from_bytes(header[28:32], "big")
    return _Look(size, stated, int.from_bytes(header[60:64], "big"), header.startswith(_MAGIC), is_settled)
