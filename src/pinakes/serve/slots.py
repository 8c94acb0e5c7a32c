"""Places for what stays open, such as streams, and bytes for what is kept. They are taken before anything is served."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


class ByteBudget:
    """So many bytes for all who keep something, and no more; used on one event loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0

    @contextmanager
    def share(self) -> Iterator[Callable[[int], None]]:
        """Gives a function that takes more bytes and raises `Overloaded` when there is no room; all are given back."""
        held = 0

        def take(count: int) -> None:
            nonlocal held
            if self._taken + count > self._most:
                raise Overloaded("Too much is being sent here at once.", "Come back in a few seconds.")
            held += count
            self._taken += count

        try:
            yield take
        finally:
            self._taken -= held
