"""Work that blocks, in threads: comparing a library with its folder, and answering from it.

Calls enter, their results leave; the event loop never waits for either. A caller who cancels is let go at once, and a
sync that nobody waits for any more stops at its next step.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.context import ServerRequestContext

from pinakes.ports import Progress
from pinakes.records import CorpusName, Event, Phase
from pinakes.serve.libraries import Libraries

T = TypeVar("T")
Context = ServerRequestContext[object, object]

ANSWERING = 4
"""Questions answered at once: more would only take turns on the same cores."""
FETCHING = 3
"""Calls that may wait for servers elsewhere; they take no place from answers."""
COMPARING = 16
"""Callers that may wait for a comparison; they wait for each other without keeping the answers waiting."""
PATIENCE_S = 0.2
"""How long an answer waits for another comparison: enough for ten thousand files on a quiet machine."""
TELL_S = 0.1
"""Progress is told at most so often."""

_PHASES = tuple(Phase)
_Told = tuple[float, str]


class Stopped(Exception):
    """Whoever asked has gone; what was being done is given up."""


class Working:
    """The threads of one server."""

    def __init__(self, libraries: Libraries) -> None:
        self._libraries = libraries
        self._answering = anyio.CapacityLimiter(ANSWERING)
        self._comparing = anyio.CapacityLimiter(COMPARING)
        self._fetching = anyio.CapacityLimiter(FETCHING)
        self._compared: set[str] = set()
        """Libraries that have been compared with their folder since the start."""
        self._running: dict[str, asyncio.Task[str]] = {}
        self._counting = threading.Lock()
        self._busy = 0

    @property
    def is_idle(self) -> bool:
        """Whether no thread is at work, for those who have gone neither."""
        return not self._busy

    async def answer(self, call: Callable[[], T], *, is_abroad: bool = False) -> T:
        """What `call` returns; `is_abroad` says that it may wait for a server elsewhere."""
        limiter = self._fetching if is_abroad else self._answering
        return await self._in_thread(call, limiter)

    async def compare(self, ctx: Context, name: str) -> str:
        """Bring a library up to date before an answer; returns a note when the answer may be older than the folder.

        The first time is waited for, and tells a caller who wants to know how far it is. Later a large folder is not
        worth a pause in every other answer: then the comparison goes on behind an answer from before.
        """
        own = name or self._libraries.names[0]
        if own not in self._compared:
            note = await self._first(ctx, own)
            self._compared.add(own)
            return note
        running = self._running.get(own)
        if running is None or running.done():
            running = self._running[own] = asyncio.create_task(self._again(own))
            running.add_done_callback(_heard)
        with anyio.move_on_after(PATIENCE_S):
            return await asyncio.shield(running)
        return "The folder is still being compared with the index; this answer may be from before the last changes."

    def has_compared(self, name: str) -> bool:
        """Whether a library has been compared with its folder since the start."""
        return (name or self._libraries.names[0]) in self._compared

    async def bring(self, ctx: Context, name: str, corpora: Sequence[CorpusName]) -> str:
        """Bring what is kept beside the documents up to date, and tell a caller who wants to know how far it is."""
        library = self._libraries.get(name)
        return await self._telling(ctx, lambda progress: library.refresh(corpora=corpora, progress=progress))

    async def _first(self, ctx: Context, name: str) -> str:
        def refresh(progress: Progress) -> str:
            note = self._libraries.refresh(name, progress=progress)
            self._libraries.prepare(name)
            return note

        return await self._telling(ctx, refresh)

    async def _telling(self, ctx: Context, refresh: Callable[[Progress], str]) -> str:
        """What `refresh` returns, its progress told meanwhile; when the caller goes, it stops at its next step."""
        send, receive = anyio.create_memory_object_stream[_Told](8)
        gone = threading.Event()
        work = partial(refresh, _teller(gone, send))
        with send, receive:
            telling = asyncio.create_task(_tell(ctx, receive))
            try:
                return await self._in_thread(work, self._comparing)
            finally:
                gone.set()
                telling.cancel()

    async def _again(self, name: str) -> str:
        return await self._in_thread(partial(self._libraries.refresh, name), self._comparing)

    async def _in_thread(self, call: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
        """What `call` returns. The limiter forgets callers who go; their threads work on and are counted to the end."""

        def counted() -> T:
            self._count(1)
            try:
                return call()
            finally:
                self._count(-1)

        return await anyio.to_thread.run_sync(counted, abandon_on_cancel=True, limiter=limiter)

    def _count(self, more: int) -> None:
        with self._counting:
            self._busy += more


def _heard(task: asyncio.Task[str]) -> None:
    """Take note of how a comparison ended that nobody waited for: the next one will say the same."""
    if not task.cancelled():
        task.exception()


def _teller(gone: threading.Event, send: MemoryObjectSendStream[_Told]) -> Progress:
    """A listener for a sync in a thread. The client gets what it can take; the sync never waits for it."""
    told, next_time = 0.0, 0.0

    def tell(event: Event) -> None:
        nonlocal told, next_time
        if gone.is_set():
            raise Stopped
        now = time.monotonic()
        share = event.done / event.total if event.total else 0.0
        # The protocol wants numbers that only grow, so every phase counts for one.
        reached = _PHASES.index(event.phase) + min(share, 1.0)
        if now < next_time or reached <= told:
            return
        told, next_time = reached, now + TELL_S
        count = f" {event.done:,} of {event.total:,}" if event.total else ""
        with suppress(RuntimeError):  # the loop has ended meanwhile
            anyio.from_thread.run_sync(_offer, send, (reached, f"{event.phase.value}{count}"))

    return tell


def _offer(send: MemoryObjectSendStream[_Told], item: _Told) -> None:
    with suppress(anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
        send.send_nowait(item)


async def _tell(ctx: Context, receive: MemoryObjectReceiveStream[_Told]) -> None:
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client has gone
        async for reached, message in receive:
            await ctx.session.report_progress(reached, len(_PHASES), message)
