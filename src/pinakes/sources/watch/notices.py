"""What the system tells of changes, whichever system it is.

A `Notices` is handed a place to watch and says which paths below it to look at again. It says nothing of what happened
there: whoever compares finds out, and finds out the same when one event was three or none.
"""

from __future__ import annotations

from typing import Protocol

from pinakes.errors import PinakesError

Told = frozenset[str] | None
"""Paths below the root, a folder standing for all that is in it; None for everything."""

NOTHING: Told = frozenset()
EVERYTHING: Told = None


class CannotWatch(PinakesError):
    """The system cannot tell of changes here; somebody has to look from time to time."""


class Notices(Protocol):
    """Held open while something is watched. One thread waits; any thread may drain, one at a time."""

    is_exact: bool
    """Whether everything that happened before `drain` was called is in what it returns."""

    def wait(self, timeout_s: float) -> None:
        """Return when there is something to drain, when time is up, or when woken."""
        ...

    def drain(self) -> Told:
        """What was told since the last time, without waiting; raises `CannotWatch` when nothing more will be."""
        ...

    def renew(self) -> None:
        """Watch anew, because what is to be watched is not what it was; raises `CannotWatch`."""
        ...

    def wake(self) -> None:
        """Have `wait` return, from any thread."""
        ...

    def close(self) -> None: ...


def both(one: Told, other: Told) -> Told:
    """What either says."""
    return None if one is None or other is None else one | other
