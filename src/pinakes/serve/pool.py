"""The threads of one process that serves: every door asks for an answer here, and each kind of work has a lane.

Calls of a library enter, their results leave, or `Overloaded` when too many wait or one takes too long. A thread cannot
be stopped, so one that outlives its deadline is told that its caller has gone and ends in its next long loop; until
then it keeps its place: the number of threads is the limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from enum import Enum
from typing import Any, TypeVar

from pinakes.cancelling import Caller
from pinakes.errors import PinakesError

T = TypeVar("T")


class Overloaded(PinakesError):
    """There is too much to do, or it takes too long; the next try may do."""


class Lane(Enum):
    """What a thread is for, so that slow calls never stand in the way of quick ones."""

    QUICK = "quick"
    """Searches and reading."""
    SLOW = "slow"
    """Maps, checks and drawings."""
    NETWORK = "network"
    """Calls that wait for servers elsewhere."""
    ANSWER = "answer"
    """Calls that wait for a language model: somebody reads along."""


_THREADS = {Lane.QUICK: 4, Lane.SLOW: 2, Lane.NETWORK: 3, Lane.ANSWER: 3}


class Pool:
    """One per process, used on its event loop."""

    def __init__(self, waiting: int = 256) -> None:
        """`waiting` is how many calls may wait for an answer."""
        self._lanes = {lane: ThreadPoolExecutor(count, f"pinakes-{lane.value}") for lane, count in _THREADS.items()}
        self._most_waiting = waiting
        self._busy: set[Future[Any]] = set()
        self._is_closed = False
        self.waiting = 0
        """Calls whose answer somebody waits for."""

    @property
    def is_idle(self) -> bool:
        """Whether no thread works, not even for a caller who has gone."""
        return not self._busy

    async def run(self, call: Callable[[], T], lane: Lane = Lane.QUICK, *, deadline_s: float | None = None) -> T:
        """The result of a call that blocks. A caller who is cancelled is let go at once; the thread ends at its next
        check."""
        if self._is_closed:
            raise Overloaded("The server is ending.", "Come back when it runs again.")
        if self.waiting >= self._most_waiting:
            raise Overloaded("Too many requests wait here.", "Come back in a few seconds.")
        self.waiting += 1
        caller = Caller()
        try:
            async with asyncio.timeout(deadline_s):
                future = self._lanes[lane].submit(caller.run(call))
                self._busy.add(future)
                future.add_done_callback(self._busy.discard)
                return await asyncio.wrap_future(future)
        except TimeoutError:
            raise Overloaded(f"No answer within {deadline_s:g} seconds.", "Ask for less, or come back later.") from None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._is_closed and not (task and task.cancelling()):  # the call was cancelled, and not who waits for it
                raise Overloaded("The server is ending.", "Come back when it runs again.") from None
            raise
        finally:
            caller.leave()
            self.waiting -= 1

    def close(self) -> None:
        """Start nothing more; what runs goes on in its thread."""
        self._is_closed = True
        for lane in self._lanes.values():
            lane.shutdown(wait=False, cancel_futures=True)
