"""Changed paths: how the operating system reports them, and how they wait until it is quiet.

A `Notices` is given a scope to watch and names the paths in it that may have changed. It does not say what happened
there: the comparison finds out, whether one change was reported three times or once. A `Batch` gathers paths until no
more come for a while, or until the first has waited long enough; it has no clock of its own.
"""

from __future__ import annotations

from typing import Protocol

from pinakes.errors import PinakesError

ChangedPaths = frozenset[str] | None
"""Paths below the root, a folder standing for all that is in it; None for everything."""

NOTHING: ChangedPaths = frozenset()
EVERYTHING: ChangedPaths = None
MOST = 5_000
"""Paths that are kept apart; with more, comparing everything is as quick."""


class CannotWatch(PinakesError):
    """The system does not report changes here; the folder has to be compared from time to time."""


class Notices(Protocol):
    """Held open while something is watched. One thread waits; any thread may drain, one at a time."""

    is_exact: bool
    """Whether everything that happened before `drain` was called is in what it returns."""

    def wait(self, timeout_s: float) -> None:
        """Return when there is something to drain, when time is up, or when woken."""
        ...

    def drain(self) -> ChangedPaths:
        """The paths reported since the last call, without waiting; raises `CannotWatch` when no more will come."""
        ...

    def renew(self) -> None:
        """Watch anew, because what is to be watched is not what it was; raises `CannotWatch`."""
        ...

    def wake(self) -> None:
        """Have `wait` return, from any thread."""
        ...

    def close(self) -> None: ...


def union_of(one: ChangedPaths, other: ChangedPaths) -> ChangedPaths:
    """The paths of either; everything when one of them is everything."""
    return None if one is None or other is None else one | other


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
