"""One thread for work that nobody waits for.

Work enters as a function without arguments; it is run again whenever somebody asked for it in the meantime. What the
work is, and what went wrong with it, is not known here: it tells of that itself. It calls `heed` and `pause` wherever
it may be stopped.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event as Signal
from threading import Lock, Thread, get_native_id

_STOP_S = 20.0
_BEHIND = 10
"""How far the thread, and those it starts, stand back for whoever waits for an answer."""
_SOON_S = 30.0
"""A thread that ended before everything was done, for want of room perhaps, is not sent again sooner."""


class Stopped(Exception):
    """Somebody wants no more of it."""


class Background:
    """Threads may share it."""

    def __init__(self, work: Callable[[], None], soon_s: float = _SOON_S) -> None:
        self._work = work
        self._soon_s = soon_s
        self._changing = Lock()
        self._stop = Signal()
        self._thread: Thread | None = None
        self._is_wanted = False
        self._is_running = False
        self._began = 0.0

    @property
    def is_running(self) -> bool:
        return self._is_running

    def start(self) -> None:
        """Have the work done in a thread that ends with the process; one that is at it does it once more."""
        with self._changing:
            self._is_wanted = True
            if not self._is_running:
                self._stop.clear()
                self._is_running = True
                self._thread = Thread(target=self._run, name="pinakes-embedding", daemon=True)
                self._thread.start()

    def remind(self) -> None:
        """Something is left to do: where a thread was ever started, and not just now, it is started again."""
        if self._thread is not None and not self._is_running and time.monotonic() - self._began >= self._soon_s:
            self.start()

    def stop(self) -> None:
        """End the thread where it next heeds it."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_STOP_S)
            self._thread = None

    def wait(self) -> None:
        """Until the thread is through."""
        if self._thread is not None:
            self._thread.join()

    def heed(self, event: object = None) -> None:
        """Raises `Stopped` when the work is to end; whatever is told of is let go by."""
        if self._stop.is_set():
            raise Stopped

    def pause(self, seconds: float) -> None:
        """Let others have their turn; raises `Stopped` like `heed`."""
        if self._stop.wait(seconds):
            raise Stopped

    def _run(self) -> None:
        if sys.platform == "linux":  # elsewhere this would be said of the whole process
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, get_native_id(), _BEHIND)
        try:
            while self._is_to_go_on():
                self._work()
        except BaseException as error:
            with self._changing:
                self._is_running = False
            if not isinstance(error, Stopped):
                raise

    def _is_to_go_on(self) -> bool:
        """Decided while nobody else can ask for more, or who asks at the very end would ask in vain."""
        with self._changing:
            self._began = time.monotonic()
            self._is_running, self._is_wanted = self._is_wanted, False
            return self._is_running
