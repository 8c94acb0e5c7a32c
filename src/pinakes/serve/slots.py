"""Places for what stays open, such as streams, and bytes for what is kept. They are taken before anything is served."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum

from pinakes.serve.pool import Overloaded


class TakenCount:
    """How many of something are taken. Other processes may take of the same (`serve.workers`); here, none does."""

    def __init__(self) -> None:
        self._own = 0

    @property
    def own(self) -> int:
        """Those of this process."""
        return self._own

    @property
    def total(self) -> int:
        """Those of all processes."""
        return self.own

    def add(self, count: int) -> None:
        """Take more, or give some back."""
        self._own += count


class SharedLimit(StrEnum):
    """What all processes of a server count together."""

    EVENTS = "event streams"
    MCP_STREAMS = "streams"
    SUBSCRIPTIONS = "subscriptions"
    LETTERS = "letters of subscriptions"
    BODIES = "bytes of bodies"


class Shares:
    """What a process has of the limits of its server: here, all of it."""

    processes = 1
    """That answer clients."""

    def count(self, what: SharedLimit) -> TakenCount:
        """How many there are of something."""
        del what
        return TakenCount()

    def part(self, most: int) -> int:
        """What falls to this process of what is not counted together."""
        return part_of(most, self.processes)


def part_of(most: int, processes: int) -> int:
    """What falls to each of some processes, rounded up."""
    return -(-most // processes)


class Slots:
    """So many places and no more; used on one event loop."""

    def __init__(self, most: int, what: str, count: TakenCount | None = None) -> None:
        """`what` is what they are for, in the plural."""
        self._most = most
        self._what = what
        self._count = count or TakenCount()

    @property
    def taken(self) -> int:
        """In this process."""
        return self._count.own

    @contextmanager
    def take(self) -> Iterator[None]:
        """Hold a place while inside; raises `Overloaded` when none is free."""
        self._count.add(1)  # before it is looked at: of two processes that want the last place, not both get it
        try:
            if self._count.total > self._most:
                raise Overloaded(f"Too many {self._what} are open ({self._most:,}).", "Close one, or come back later.")
            yield
        finally:
            self._count.add(-1)


class ByteBudget:
    """So many bytes for all who keep something, and no more; used on one event loop."""

    def __init__(self, most: int, count: TakenCount | None = None) -> None:
        self._most = most
        self._count = count or TakenCount()

    @contextmanager
    def share(self) -> Iterator[Callable[[int], None]]:
        """Gives a function that takes more bytes and raises `Overloaded` when there is no room; all are given back."""
        held = 0

        def take(count: int) -> None:
            nonlocal held
            held += count
            self._count.add(count)
            if self._count.total > self._most:
                raise Overloaded("Too much is being sent here at once.", "Come back in a few seconds.")

        try:
            yield take
        finally:
            self._count.add(-held)
