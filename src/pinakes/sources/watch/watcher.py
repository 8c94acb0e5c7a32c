"""Says when to look again, and where.

A scope enters; calls of `due` leave, each once it has been quiet for a while or has gone on for long. It knows nothing
of documents: whoever is called takes the paths and compares. Where the system cannot tell of changes it says "look at
everything" from time to time, and says in `note` that it does so and why.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from pinakes.errors import ExtraMissing
from pinakes.sources.options import WatchOptions
from pinakes.sources.watch.notices import EVERYTHING, NOTHING, Batch, CannotWatch, ChangedPaths, Notices
from pinakes.sources.watch.polling import Polling, refuse_remote
from pinakes.sources.watch.scope import WatchScope

_LONG_S = 3600.0


def system_notices(scope: WatchScope) -> Notices:
    """What this system tells of a scope; raises `CannotWatch` or `ExtraMissing`."""
    for top in scope.tops():
        refuse_remote(top)
    if sys.platform == "linux":
        from pinakes.sources.watch.linux import LinuxNotices

        return LinuxNotices(scope)
    from pinakes.sources.watch.other_systems import WatchfilesNotices

    return WatchfilesNotices(scope)


class Watcher:
    """One thread that waits. Only `due` is called in it; everything else may be called from anywhere."""

    def __init__(
        self,
        scope: WatchScope,
        options: WatchOptions,
        due: Callable[[], None],
        *,
        quiet_s: float | None = None,
        notices: Callable[[WatchScope], Notices] = system_notices,
    ) -> None:
        """`due` should `take` and look; it is called again for what it did not take, or gave back by `again`."""
        quiet_s = options.quiet_ms / 1000 if quiet_s is None else quiet_s
        self._scope = scope
        self._options = options
        self._due = due
        self._open = notices
        self._notices: Notices | None = None
        self._batch = Batch(quiet_s, max(options.longest_ms / 1000, quiet_s))
        self._lock = threading.RLock()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pinakes-watch", daemon=True)
        self.note = ""
        """A sentence when changes are found later than they could be, and why."""

    def start(self) -> None:
        """Begin to watch, in the background. Everything waits to be compared at first."""
        self._thread.start()

    def end(self) -> None:
        """Have it stop, without waiting."""
        self._ending.set()
        with self._lock:
            if self._notices is not None:
                self._notices.wake()

    def has_ended(self, wait_s: float = 0.0) -> bool:
        """Whether its thread has ended, which is waited for."""
        if self._thread.is_alive():
            self._thread.join(max(wait_s, 0.0))
        return not self._thread.is_alive()

    @property
    def is_exact(self) -> bool:
        """Whether every change that has happened is already queued: then no comparison is needed before an answer."""
        return self._thread.is_alive() and self._notices is not None and self._notices.is_exact

    def is_waiting(self) -> bool:
        """Whether paths wait to be compared. Never blocks; says yes while another thread holds the queue."""
        if not self._lock.acquire(blocking=False):
            return True
        try:
            self._gather()
            return not self._batch.is_empty
        finally:
            self._lock.release()

    def take(self) -> ChangedPaths:
        """The paths that wait. Whoever takes them compares them, or gives them back by `again`."""
        with self._lock:
            self._gather()
            return self._batch.take()

    def again(self, paths: ChangedPaths, after_s: float = 0.0) -> None:
        """Queue paths that could not be compared now."""
        with self._lock:
            self._add(paths, after_s)

    def renew(self) -> None:
        """Watch anew, because the scope has changed, and queue everything."""
        with self._lock:
            if self._notices is not None:
                try:
                    self._notices.renew()
                except CannotWatch as problem:
                    self._poll(problem)
            self._add(EVERYTHING)

    def _run(self) -> None:
        with self._lock:
            try:
                self._notices = self._open(self._scope)
            except (CannotWatch, ExtraMissing) as problem:
                self._poll(problem)
            self._batch.add(EVERYTHING, time.monotonic())
        interval = self._options.reconcile_interval or float("inf")
        reconcile = time.monotonic() + interval
        while not self._ending.is_set():
            now = time.monotonic()
            due = min(self._batch.due() or float("inf"), reconcile)
            if now < due:
                assert self._notices is not None
                self._notices.wait(min(due - now, _LONG_S))
                with self._lock:
                    self._gather()
                continue
            if now >= reconcile:
                reconcile = now + interval
                self.again(EVERYTHING)
            self._due()
        with self._lock:
            if self._notices is not None:
                self._notices.close()
                self._notices = None

    def _gather(self) -> None:
        if self._notices is None:
            return
        try:
            paths = self._notices.drain()
        except CannotWatch as problem:
            self._poll(problem)
            paths = EVERYTHING
        if paths != NOTHING:
            self._add(paths)

    def _add(self, paths: ChangedPaths, after_s: float = 0.0) -> None:
        self._batch.add(paths, time.monotonic() + after_s)
        if self._notices is not None and threading.current_thread() is not self._thread:
            self._notices.wake()  # the thread that waits does not know of it

    def _poll(self, problem: CannotWatch | ExtraMissing) -> None:
        if self._notices is not None:
            with suppress(OSError):
                self._notices.close()
        every_s = self._options.poll_s
        self.note = f"{problem} The folder is compared every {every_s} seconds instead."
        self._notices = Polling(every_s)
