"""One process at a time: a lock on a folder that is free again as soon as its holder ends, however it ends.

The lock is a transaction on an empty SQLite file: unlike `flock` it is not shared with processes forked while it is
held, and two holders in one process exclude each other.
"""

from __future__ import annotations

import errno
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from pinakes.errors import StoreBusy, StoreError
from pinakes.own_folder import OwnFolder
from pinakes.own_folder.database import open_database

LOCK = "update.lock"
NEXT_STEP = "Check the folder's permissions and the room on its disk."
_WAIT_S = 30.0
_OBSTRUCTED = (errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENOTEMPTY, errno.ELOOP)
"""What systems say when a file is where a folder should be, or the other way round."""
_MAKING = threading.Lock()
"""Nobody in this process holds a file that another thread has made and not closed yet: closing it would give it up."""


@contextmanager
def exclusive_lock(folder: OwnFolder, purpose: str, wait_s: float = _WAIT_S) -> Iterator[None]:
    """Make the folder, and the one above if need be, and hold its lock. `purpose` is the plural of what is written.

    Raises `StoreBusy` when another holder keeps it for longer than `wait_s`, `StoreError` when there can be no lock.
    """
    with ExitStack() as stack:
        try:
            folder.make(levels=2)  # and no more: what lay above may have been removed on purpose
            stack.enter_context(locked_file(folder, LOCK, wait_s))
        except (sqlite3.Error, OSError) as error:
            place = folder.path
            if is_busy(error):
                raise StoreBusy(f"Another process is writing {purpose} into {place}.", "Try again later.") from error
            raise StoreError(f"{purpose.capitalize()} cannot be kept in {place}: {error}.", NEXT_STEP) from error
        yield


@contextmanager
def locked_file(folder: OwnFolder, name: str, wait_s: float) -> Iterator[None]:
    """Hold the lock that this file stands for; raises `sqlite3.Error` (see `is_busy`), `OSError` and `StoreStrange`."""
    with _MAKING:
        try:
            folder.touch(name)
        except IsADirectoryError:
            folder.move(name, folder, f"{name}.{time.time_ns()}")  # not ours, whatever is in it
            folder.touch(name)
    lock = open_database(folder, name, timeout=wait_s)
    try:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
                raise
            # Somebody wrote into the lock. Emptied, not removed: whoever waits for it has this very file open.
            folder.empty(name)
            lock.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        lock.close()


def is_busy(error: Exception) -> bool:
    """Whether a lock could not be had because another holder keeps it."""
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY


def is_obstructed(error: StoreError) -> bool:
    """Whether something that does not belong there keeps files from being written, and not the disk or a permission."""
    cause = error.__cause__
    return isinstance(cause, OSError) and cause.errno in _OBSTRUCTED
