"""What the operating system reports of changes.

A `Notices` is given a scope to watch and names the paths in it that may have changed. It does not say what happened
there: the comparison finds out, whether one change was reported three times or once.
"""

from __future__ import annotations

from typing import Protocol

from pinakes.errors import PinakesError

ChangedPaths = frozenset[str] | None
"""Paths below the root, a folder standing for all that is in it; None for everything."""

NOTHING: ChangedPaths = frozenset()
EVERYTHING: ChangedPaths = None


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
