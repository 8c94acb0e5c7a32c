"""What has been told and not looked at yet: gathered until it is quiet, or until it has taken long enough.

Paths and times enter, the moment to look and the paths to look at leave. It has no clock of its own.
"""

from __future__ import annotations

from pinakes.sources.watch.notices import EVERYTHING, Told

MOST = 5_000
"""Paths that are kept apart; with more, comparing everything is as quick."""


class Batch:
    """Gathers what is told."""

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

    def add(self, told: Told, now: float) -> None:
        if told is not None and not told:
            return
        self._first = now if self._first is None else self._first
        self._last = now
        if told is not None and not self._is_everything:
            self._paths |= told
        if told is None or len(self._paths) > MOST:
            self._is_everything = True
            self._paths = set()

    def due(self) -> float | None:
        """The moment to look; None while there is nothing."""
        return None if self._first is None else min(self._last + self._quiet_s, self._first + self._longest_s)

    def take(self) -> Told:
        """What was gathered; from here on, anew."""
        taken = EVERYTHING if self._is_everything else frozenset(self._paths)
        self._paths, self._is_everything, self._first = set(), False, None
        return taken
