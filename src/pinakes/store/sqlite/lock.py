"""One writer at a time: a lock that outlives neither its holder nor a kill -9.

The lock is a transaction on an empty SQLite file of its own. That is the same locking the database relies on, on every
system; unlike `flock` it is not shared with processes forked while it is held, and two stores of one process exclude
each other. Who holds it is written beside it, for the message to whoever waits in vain.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from pinakes.errors import StoreBusy

LOCK = "write.lock"
HOLDER = "writer.json"


class OtherThread(StoreBusy):
    """The lock is in this process, but somebody else's."""


class WriteLock:
    """Held by one thread of one process; that thread may take it again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._thread = threading.RLock()
        self._depth = 0

    @property
    def is_held(self) -> bool:
        """Whether a thread of this process has it."""
        return self._depth > 0

    @contextmanager
    def held(self, wait_s: float) -> Iterator[None]:
        """Waits up to `wait_s`, then raises `StoreBusy`."""
        until = time.monotonic() + wait_s
        if not self._thread.acquire(timeout=max(wait_s, 0)):
            raise OtherThread(f"Another thread is writing to {self._folder}.", "Try again when it is done.")
        try:
            if self._depth:
                self._depth += 1
                try:
                    yield
                finally:
                    self._depth -= 1
                return
            with self._across_processes(max(until - time.monotonic(), 0)):
                self._depth = 1
                try:
                    yield
                finally:
                    self._depth = 0
        finally:
            self._thread.release()

    @contextmanager
    def _across_processes(self, wait_s: float) -> Iterator[None]:
        path = self._folder / LOCK
        if path.is_dir():
            path.rename(path.with_name(f"{LOCK}.{time.time_ns()}"))  # not ours, whatever is in it
        driver = sqlite3.connect(path, timeout=wait_s, isolation_level=None, check_same_thread=False)
        try:
            try:
                _take(driver, path)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    raise
                raise self._busy(wait_s) from error
            self._sign()
            yield
        finally:
            driver.close()

    def _sign(self) -> None:
        since = datetime.now().astimezone().isoformat(timespec="seconds")
        with suppress(OSError):  # the lock holds without its signature, on a full disk too
            (self._folder / HOLDER).write_text(json.dumps({"pid": os.getpid(), "since": since}))

    def _busy(self, wait_s: float) -> StoreBusy:
        try:
            holder = json.loads((self._folder / HOLDER).read_text())
            who = f"Process {holder['pid']} has been writing to {self._folder} since {holder['since']}"
        except (OSError, ValueError, LookupError, TypeError):
            who = f"Another process is writing to {self._folder}"
        return StoreBusy(f"{who}; waited {wait_s:.1f} s for it.", "Try again when it is done, or end that process.")


def _take(driver: sqlite3.Connection, path: Path) -> None:
    try:
        driver.execute("BEGIN EXCLUSIVE")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        # Somebody wrote into the lock. Emptied, not removed: whoever waits for it has this very file open.
        os.truncate(path, 0)
        driver.execute("BEGIN EXCLUSIVE")
