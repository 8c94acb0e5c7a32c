"""Decides whether the database is what this program last wrote, for this user and into this very file.

A folder enters; `StoreDamaged` is raised when something else wrote to the database. A truncated or replaced database
can look like an empty but sound one, so `seal.json` records generation, size and time outside of it, after every
commit: a database may be ahead of its seal (a crash in between), never behind it. When the file's time differs from the
seal, the checksums of all pages decide.

The seal is signed with the user's key, and so are the checksums. An index that came with an archive, was made by
another user or before there were signatures has none: `StoreForeign` is raised before SQLite looks at it. A copy of
our own index is foreign, too, since its log, words and vectors may have been changed on the way. A copy is another
file than the seal names; in a folder that was only renamed it is the same. The write-ahead log counts as ours when it
has the random numbers that the seal knows it by, or while somebody is writing. The content of the tables is not known
here.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from pinakes.errors import StoreBusy, StoreError, StoreForeign, StoreTooNew
from pinakes.own_folder import OwnFolder
from pinakes.store.sqlite.connection import Connection, damaged
from pinakes.store.sqlite.lock import WriteLock
from pinakes.store.sqlite.schema import VERSION
from pinakes.store.sqlite.sums import LONG_LOG, first_change, log_of, log_salt, move_log, read_sums, sums_of, write_sums
from pinakes.user_key import is_key_kept, read_signed, write_signed

NAME = "seal.json"
ANY_LOG = "any"


class DatabaseSeal(Struct, frozen=True):
    """The state a commit left behind."""

    generation: int
    documents: int
    """How many the database held at that generation."""
    file_bytes: int
    """How long the database file was; it never becomes shorter."""
    modified_ns: int
    """When the database file was last written to; 0 when its time is not to be trusted."""
    changed_ns: int
    """When the system last noted a change of the file, which no archive can bring along."""
    inode: int
    """Which file it is: a copy is another one."""
    log: str
    """The random numbers in the head of the write-ahead log; empty when there was none, `ANY_LOG` while one may be
    begun."""


def read_seal(folder: OwnFolder) -> DatabaseSeal | None:
    """None without a seal, or when it is not legible or not signed by this user."""
    try:
        return DatabaseSeal(**(read_signed(folder, NAME) or {}))
    except TypeError:  # that of another version, or none
        return None


def write_seal(folder: OwnFolder, seal: DatabaseSeal) -> None:
    """Replaces the seal in one step. A seal that cannot be written stays behind its database, which is allowed."""
    with suppress(OSError):
        write_signed(folder, NAME, to_builtins(seal))


def break_seal(folder: OwnFolder, lock: WriteLock) -> None:
    """Let nobody trust the time of the file any more, unless somebody is just sealing it anew."""
    before = read_seal(folder)
    if before is not None and before.modified_ns:
        with suppress(StoreBusy, sqlite3.OperationalError, OSError), lock.held(0.0):
            if read_seal(folder) == before:  # a writer's is newer, and names another log
                write_seal(folder, replace(before, modified_ns=0))


DATABASE = "library.db"
_PATIENCE_S = 1.0
"""How long to wait for a moment when nobody writes."""
_MOMENT_S = 0.3
"""How long somebody who moves pages into the database may take to seal it."""
_LOOK_S = 0.01


def stamp(folder: OwnFolder) -> tuple[int, int, int, int]:
    """Size, times and inode of the database: another one after every write to the file."""
    found = os.lstat(folder.path / DATABASE)
    return (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def check_file(folder: OwnFolder, lock: WriteLock) -> None:
    """What can be told without SQLite, which takes an empty file for an empty database."""
    path = folder.path / DATABASE
    # Whoever sets an index aside moves its files one by one, and holds the lock.
    if finding := _found_at_rest(lock, lambda: "" if os.path.lexists(path) else "it is missing, though it was there"):
        raise damaged(path, finding)
    seal = read_seal(folder)
    for part in (path, path.with_name(log_of(DATABASE)), path.with_name(f"{DATABASE}-shm")):
        if os.path.lexists(part) and not stat.S_ISREG(os.lstat(part).st_mode):
            raise damaged(path, f"{part.name} is no file")
    size = os.path.getsize(path)
    if size == 0:
        raise damaged(path, "it is empty")
    if seal is not None and size < seal.file_bytes:
        raise damaged(path, f"it was {seal.file_bytes} bytes long and is now {size}")


def check_origin(folder: OwnFolder, lock: WriteLock) -> None:
    """Raise `StoreForeign` when the database or its log is not the one that was sealed, and nobody is just writing."""
    if problem := _found_at_rest(lock, lambda: _foreign_part(folder)):
        raise StoreForeign(
            f"The index {folder.path / DATABASE} {problem}.", "pinakes sync sets it aside and builds a new one."
        )


def _foreign_part(folder: OwnFolder) -> str:
    """Why what is there is not what was sealed; nothing when it is."""
    seal = read_seal(folder)
    if seal is None:
        no_key = "" if is_key_kept() else _NO_KEY
        return f"was not made here: it does not bear your signature{no_key}"
    if stamp(folder)[-1] != seal.inode:
        return "is a copy, and an index counts only where it was made"
    if seal.log != ANY_LOG and log_salt(folder, DATABASE) not in ("", seal.log):
        return "was not made here: its log is another one"
    return ""


_NO_KEY = ". There is no folder to keep your key in: set HOME or XDG_DATA_HOME to one that you may write to"


def _found_at_rest(lock: WriteLock, look: Callable[[], str]) -> str:
    """What `look` finds, and finds again while nobody writes: another process may just have been moving pages. Nothing
    while somebody does: he has looked himself, and seals what he wrote."""
    if not look():
        return ""
    try:
        with lock.held(_PATIENCE_S):
            return look()
    except StoreBusy:
        return ""
    except sqlite3.OperationalError:
        return look()  # where nobody can lock, nobody can write


def refuse_newer(path: Path, version: int) -> None:
    if version > VERSION:
        raise StoreTooNew(
            f"The index {path} has format {version}; this Pinakes knows formats up to {VERSION}.",
            "Update Pinakes, or run `pinakes sync --rebuild` to make the index again.",
        )


def is_untouched(folder: OwnFolder) -> bool:
    """Whether nobody wrote to the database since it was sealed, nor was about to. As cheap as it gets."""
    seal = read_seal(folder)
    return seal is not None and _stamp_in(seal) == stamp(folder) and seal.log != ANY_LOG


def is_as_sealed(folder: OwnFolder, lock: WriteLock) -> bool:
    """Whether nobody wrote to the database since it was sealed, but for whoever is just writing: he seals what he moves
    into it within a moment, and reading every page of a large one takes half a second."""
    until = time.monotonic() + _MOMENT_S
    while not is_untouched(folder):
        try:
            with lock.held(0.0):
                return is_untouched(folder)  # nobody writes: what is not sealed now, nobody will seal
        except StoreBusy:
            seal = read_seal(folder)
            if seal is not None and _stamp_in(seal) == stamp(folder):
                return True  # of this file every byte is known; what is in the log is the writer's
        except sqlite3.OperationalError:
            return False
        if time.monotonic() > until:
            return False
        time.sleep(_LOOK_S)
    return True


def check_pages(folder: OwnFolder, lock: WriteLock) -> None:
    """Read everything; raises `StoreDamaged` when pages are not what was written into them."""
    if finding := _found_at_rest(lock, lambda: _odd_page(folder)):
        raise damaged(folder.path / DATABASE, finding)


def _odd_page(folder: OwnFolder) -> str:
    """What is wrong with the first page that is not what was written; nothing when all are. Without checksums, only
    the time of the file can tell."""
    sums = read_sums(folder)
    if sums is None:
        return "" if is_untouched(folder) else "somebody wrote to it, and the checksums of its pages are gone"
    number = first_change(folder, DATABASE, sums)
    return f"its page {number} is not what was written" if number else ""


def present_seal(folder: OwnFolder, connection: Connection) -> DatabaseSeal:
    """What there is to seal after a commit."""
    generation, documents = connection.all("SELECT generation, (SELECT count(*) FROM documents) FROM meta")[0]
    return DatabaseSeal(generation, documents, *stamp(folder), log_salt(folder, DATABASE))


def first_seal(folder: OwnFolder) -> DatabaseSeal:
    """For a database that was just made and holds nothing."""
    return DatabaseSeal(0, 0, *stamp(folder), "")


def announce(folder: OwnFolder, last: DatabaseSeal | None) -> None:
    """A transaction is about to begin; the caller holds the lock. Where `last`, this writer's last seal, is no longer
    the one that counts, SQLite may begin another log: whoever is killed before that is sealed has said so."""
    now = read_seal(folder)
    if now is not None and now != last:
        try:
            write_signed(folder, NAME, to_builtins(replace(now, log=ANY_LOG)))
        except OSError as error:
            problem = f"The disk refused to write {folder.path / NAME} ({error.strerror})."
            raise StoreError(problem, "Check the disk and its free space; the index is as it was.") from error


def seal(folder: OwnFolder, connection: Connection, *, all_of_it: bool = False) -> tuple[DatabaseSeal, bool]:
    """Seal what was committed; the caller holds the lock. A long log, or any, is moved into the database then, and the
    result sealed, too: whoever is killed in between leaves a log that is known. Says whether it was moved."""
    sealed, is_moved = present_seal(folder, connection), False
    write_seal(folder, sealed)
    log = folder.facts(log_of(DATABASE))
    if log is not None and log.st_size >= (1 if all_of_it else LONG_LOG):
        move_log(folder, DATABASE, connection)
        sealed, is_moved = present_seal(folder, connection), True
        write_seal(folder, sealed)
    return sealed, is_moved


def seal_closed(folder: OwnFolder, before: DatabaseSeal) -> None:
    """SQLite itself moves what is left of the log when the last connection goes: then every page is looked at again.
    A log that is gone has no name any more, or one that somebody forged under it would count."""
    with suppress(OSError):
        now = DatabaseSeal(before.generation, before.documents, *stamp(folder), log_salt(folder, DATABASE))
        if _stamp_in(now) != _stamp_in(before):
            write_sums(folder, sums_of(folder, DATABASE))
        if now != before:
            write_seal(folder, now)


def _stamp_in(seal: DatabaseSeal) -> tuple[int, int, int, int]:
    return (seal.file_bytes, seal.modified_ns, seal.changed_ns, seal.inode)
