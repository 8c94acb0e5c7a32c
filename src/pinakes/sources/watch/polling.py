"""Where the system tells nothing, everything is looked at from time to time."""

from __future__ import annotations

import threading
import time

from pinakes.sources.watch.notices import EVERYTHING, NOTHING, ChangedPaths


class Polling:
    """Says "everything" once in every interval."""

    is_exact = False

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._next = time.monotonic()
        self._bell = threading.Event()

    def wait(self, timeout_s: float) -> None:
        self._bell.wait(max(0.0, min(timeout_s, self._next - time.monotonic())))
        self._bell.clear()

    def drain(self) -> ChangedPaths:
        if time.monotonic() < self._next:
            return NOTHING
        self._next = time.monotonic() + self._every_s
        return EVERYTHING

    def renew(self) -> None:
        """There is nothing to watch anew."""

    def wake(self) -> None:
        self._bell.set()

    def close(self) -> None:
        """Nothing is held open."""
