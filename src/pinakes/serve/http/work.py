"""Work off the event loop: a few threads for quick questions, fewer for slow ones, and one that keeps indexes fresh.

Calls of a library enter, their results leave, or `Overloaded` when too many wait or one takes too long. A thread cannot
be stopped, so one that outlives its deadline keeps its place until it is done: the number of threads is the limit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from pinakes.errors import PinakesError
from pinakes.records import Event
from pinakes.serve.http.options import Limits
from pinakes.serve.http.problems import Overloaded
from pinakes.serve.libraries import FRESH_S, Libraries

T = TypeVar("T")

STALE_S = 10.0
"""While somebody asks at least this often, nobody waits for a comparison with the folder: it is made beside."""
PATIENCE_S = 2.0
"""How long one who was away longer waits for it before being answered from what is there."""


class Lane(Enum):
    """How long a call usually takes; slow ones never stand in the way of quick ones."""

    QUICK = 4
    SLOW = 2
    ABROAD = 3
    """Waits for servers elsewhere, which may take their time and must take nobody else's."""


@dataclass(slots=True)
class _State:
    compared: float = float("-inf")
    generation: int = -1
    running: asyncio.Task[str] | None = None
    is_mending: bool = False


class Work:
    """The threads of one server."""

    def __init__(self, libraries: Libraries, limits: Limits, told: Callable[[str, Event], None]) -> None:
        self._libraries = libraries
        self._limits = limits
        self._told = told
        self._pools = {lane: ThreadPoolExecutor(lane.value, f"pinakes-{lane.name.lower()}") for lane in Lane}
        self._comparing = ThreadPoolExecutor(max(1, len(libraries.names)), "pinakes-fresh")
        self._states = {name: _State() for name in libraries.names}
        self._is_closed = False
        self.waiting = 0

    async def run(self, call: Callable[[], T], lane: Lane = Lane.QUICK) -> T:
        """The result of a call that blocks, made in a thread of its lane."""
        if self._is_closed:
            raise Overloaded("The server is ending.", "Come back when it runs again.")
        if self.waiting >= self._limits.waiting:
            raise Overloaded("Too many requests wait here.", "Come back in a few seconds.")
        self.waiting += 1
        try:
            async with asyncio.timeout(self._limits.answer_s):
                return await asyncio.get_running_loop().run_in_executor(self._pools[lane], call)
        except TimeoutError:
            raise Overloaded(
                f"No answer within {self._limits.answer_s:g} seconds.", "Ask for less, or come back later."
            ) from None
        except asyncio.CancelledError:
            if self._is_closed and not _is_cancelled():
                raise Overloaded("The server is ending.", "Come back when it runs again.") from None
            raise
        finally:
            self.waiting -= 1

    async def fresh(self, name: str) -> str:
        """Have a library agree with its folder; gives its full name back.

        The first index is waited for; after that an answer may be as old as `STALE_S` says, never an error.
        """
        own = self.full_name(name)
        if self._libraries.is_current(own):
            return own
        state = self._states[own]
        age = time.monotonic() - state.compared
        # What a watcher was told of and did not look at yet is little, and whoever asks may have just saved it.
        is_news = self._libraries.is_watched(own)
        if age < FRESH_S and not is_news:
            return own
        running = self.compare(own)
        if age < STALE_S and not is_news:
            return own
        await asyncio.wait({running}, timeout=PATIENCE_S)
        if not running.done() and not await self.run(lambda: self._libraries.get(own).generation):
            await asyncio.wait({running}, timeout=self._limits.answer_s)
            if not running.done():
                raise Overloaded(f"The index of {own} is being made.", "/events tells how far it is.")
        if running.done():
            running.result()
        return own

    def full_name(self, name: str) -> str:
        """The name of the library that is meant; raises `NotFound` for one that is not here."""
        self._libraries.get(name)
        return name or self._libraries.names[0]

    def compare(self, own: str) -> asyncio.Task[str]:
        """Start comparing a library with its folder, unless that is under way."""
        state = self._states[own]
        if state.running is None:
            state.running = asyncio.create_task(self._compare(own, state))
            state.running.add_done_callback(_heard)
        return state.running

    def mend(self, own: str) -> None:
        """Start building a damaged index anew, unless that is under way; the next question finds it mended."""
        state = self._states[own]
        if not state.is_mending and not self._is_closed:
            state.is_mending = True
            self._comparing.submit(self._mend, own, state)

    def _mend(self, own: str, state: _State) -> None:
        try:
            with suppress(PinakesError):  # the next question says the same
                self._libraries.mend(own)
        finally:
            state.is_mending = False

    def is_comparing(self, own: str) -> bool:
        return self._states[own].running is not None

    async def _compare(self, own: str, state: _State) -> str:
        def refresh() -> str:
            library = self._libraries.get(own)
            note = self._libraries.refresh(own, progress=lambda event: self._told(own, event))
            if (generation := library.generation) != state.generation:
                state.generation = generation
                self._libraries.prepare(own)
            return note

        try:
            note = await asyncio.get_running_loop().run_in_executor(self._comparing, refresh)
            state.compared = time.monotonic()
            return note
        finally:
            state.running = None

    def close(self) -> None:
        """Start nothing more; what runs goes on in its thread."""
        self._is_closed = True
        for pool in (*self._pools.values(), self._comparing):
            pool.shutdown(wait=False, cancel_futures=True)


def _is_cancelled() -> bool:
    """Whether it is the present task that is cancelled, and not only the call it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _heard(task: asyncio.Task[str]) -> None:
    """A failed comparison is told to whoever waits for it; with nobody waiting it is tried again by the next."""
    if not task.cancelled():
        task.exception()
