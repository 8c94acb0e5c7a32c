"""A number of places for what stays open: streams, subscriptions. A place is taken before anything is served."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pinakes.serve.pool import Overloaded


class Slots:
    """So many places and no more; used on one event loop."""

    def __init__(self, most: int, what: str) -> None:
        """`what` is what they are for, in the plural."""
        self._most = most
        self._what = what
        self.taken = 0

    @contextmanager
    def take(self) -> Iterator[None]:
        """Hold a place while inside; raises `Overloaded` when none is free. Nothing is awaited between the two."""
        if self.taken >= self._most:
            raise Overloaded(f"Too many {self._what} are open ({self._most:,}).", "Close one, or come back later.")
        self.taken += 1
        try:
            yield
        finally:
            self.taken -= 1
