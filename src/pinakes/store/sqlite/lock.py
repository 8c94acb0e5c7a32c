"""One writer at a time: the folder's lock across processes, one more between the threads of a process.

Who holds it is written beside it, for the message to whoever waits in vain.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime

from pinakes.errors import StoreBusy
from pinakes.folder_lock import is_busy, locked_file
from pinakes.own_folder import OwnFolder

LOCK = "write.lock"
HOLDER = "writer.json"
_MOST_BYTES = 10_000


class OtherThread(StoreBusy):
    """The lock is in this process, but somebody else's."""


class WriteLock:
    """Held by one thread of one process; that thread may take it again."""

    def __init__(self, folder: OwnFolder) -> None:
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
            raise OtherThread(f"Another thread is writing to {self._folder.path}.", "Try again when it is done.")
        with ExitStack() as stack:
            stack.callback(self._thread.release)
            if not self._depth:
                stack.enter_context(self._across_processes(max(until - time.monotonic(), 0)))
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1

    @contextmanager
    def _across_processes(self, wait_s: float) -> Iterator[None]:
        with ExitStack() as stack:
            try:
                stack.enter_context(locked_file(self._folder, LOCK, wait_s))
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    raise
                raise self._busy(wait_s) from error
            self._sign()
            yield

    def _sign(self) -> None:
        since = datetime.now().astimezone().isoformat(timespec="seconds")
        # The lock holds without its signature, on a full disk too. Not replaced as a whole: a rename can take
        # milliseconds, and half a note is as good as none.
        with suppress(OSError), self._folder.open_to_write(HOLDER, create=True) as file:
            file.truncate()
            file.write(json.dumps({"pid": os.getpid(), "since": since}).encode())

    def _busy(self, wait_s: float) -> StoreBusy:
        try:
            holder = json.loads(self._folder.read(HOLDER, _MOST_BYTES))
            who = f"Process {holder['pid']} has been writing to {self._folder.path} since {holder['since']}"
        except (OSError, ValueError, LookupError, TypeError):
            who = f"Another process is writing to {self._folder.path}"
        return StoreBusy(f"{who}; waited {wait_s:.1f} s for it.", "Try again when it is done, or end that process.")
