"""One process at a time: a lock on a folder that outlives neither its holder nor a kill.

A folder enters; whoever is inside the block is alone there. What is done in the meantime is not known here.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from pinakes.errors import StoreBusy, StoreError

LOCK = "update.lock"
NEXT_STEP = "Check the folder's permissions and the room on its disk."
_WAIT_S = 30.0
_IN_THE_WAY = (errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENOTEMPTY, errno.ELOOP)
"""What systems say when a file is where a folder should be, or the other way round."""


@contextmanager
def alone(folder: Path, kept: str, wait_s: float = _WAIT_S) -> Iterator[None]:
    """Make the folder, and the one above if need be, and hold it; after `wait_s` raises `StoreBusy`. `kept` is the
    plural of what is kept there.

    The lock is a transaction on an empty SQLite file: unlike `flock` it is not shared with processes forked while it is
    held, and two holders in one process exclude each other.
    """
    with ExitStack() as stack:
        try:
            for part in (folder.parent, folder):
                part.mkdir(exist_ok=True)  # and no more: what lay above may have been removed on purpose
            path = folder / LOCK
            if path.is_dir():
                path.rename(path.with_name(f"{LOCK}.{time.time_ns()}"))  # not ours, whatever is in it
            lock = sqlite3.connect(path, timeout=wait_s, isolation_level=None)
            stack.enter_context(closing(lock))
            _take(lock, path)
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                raise StoreBusy(f"Another process is writing {kept} into {folder}.", "Try again later.") from error
            raise StoreError(f"{kept.capitalize()} cannot be kept in {folder}: {error}.", NEXT_STEP) from error
        yield


def _take(lock: sqlite3.Connection, path: Path) -> None:
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        # Somebody wrote into the lock. Emptied, not removed: whoever waits for it has this very file open.
        os.truncate(path, 0)
        lock.execute("BEGIN EXCLUSIVE")


def is_in_the_way(error: StoreError) -> bool:
    """Whether something that does not belong there keeps files from being written, and not the disk or a permission."""
    cause = error.__cause__
    return isinstance(cause, OSError) and cause.errno in _IN_THE_WAY
