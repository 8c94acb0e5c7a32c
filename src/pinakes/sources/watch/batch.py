"""Changed paths that wait to be compared: until no more come for a while, or until the first has waited long enough.

Paths and times enter; the time to compare and the paths leave. It has no clock of its own.
"""

from __future__ import annotations

from pinakes.sources.watch.notices import EVERYTHING, ChangedPaths

MOST = 5_000
"""Paths that are kept apart; with more, comparing everything is as quick."""


class Batch:
    """The paths that changed since somebody last took them."""

    def __init__(self, quiet_s: float, longest_s: float) -> None:
        self._quiet_s = quiet_s
        self._longest_s = longest_s
        self._paths: set[str] = set()
        self._is_everything = False
        self._first: float | None = None
        self._last = 0.0

    @property
    def is_empty(self) -> bool:
        return self._first is None

    def add(self, paths: ChangedPaths, now: float) -> None:
        if paths is not None and not paths:
            return
        self._first = now if self._first is None else self._first
        self._last = now
        if paths is not None and not self._is_everything:
            self._paths |= paths
        if paths is None or len(self._paths) > MOST:
            self._is_everything = True
            self._paths = set()

    def due(self) -> float | None:
        """When to compare; None while no path waits."""
        return None if self._first is None else min(self._last + self._quiet_s, self._first + self._longest_s)

    def take(self) -> ChangedPaths:
        """The paths that wait; none wait afterwards."""
        taken = EVERYTHING if self._is_everything else frozenset(self._paths)
        self._paths, self._is_everything, self._first = set(), False, None
        return taken
