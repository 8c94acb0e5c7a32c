"""Streams of server-sent events: what changes, as long as somebody listens.

Events enter from any thread; each listener has a short queue of its own. One that does not keep up loses its oldest and
is told how many; it never holds the others, nor the thread that found something.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from pinakes.access import GRANT, Grant
from pinakes.records import Event
from pinakes.render import Json, dumps, object_of, wire
from pinakes.serve.http.problems import problem_of
from pinakes.serve.libraries import Libraries
from pinakes.serve.library_names import LibraryChange
from pinakes.serve.pool import Overloaded
from pinakes.serve.slots import SharedLimit, Slots, TakenCount

HEARTBEAT_S = 15.0
"""How often an idle stream says that it lives, so that proxies and browsers keep it open."""
TELL_S = 0.2
"""Progress is told at most so often."""
QUEUE_SIZE = 256
"""Events kept for a listener that is slow."""


def frame(event: str, data: bytes, identity: str = "") -> bytes:
    """One event as it stands on the wire; `data` is JSON on one line."""
    head = f"id: {identity}\n" if identity else ""
    return f"{head}event: {event}\ndata: ".encode() + data + b"\n\n"


class EventStream(StreamingResponse):
    """A response that ends quietly when the server does or when nobody listens any more."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[bytes], slots: Slots | None = None) -> None:
        """`slots`, where they are counted: without a free one, the answer is a refusal."""
        super().__init__(events)
        self._slots = slots

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self._slots.take() if self._slots else nullcontext():
                await self._serve(receive, send)
        except Overloaded as full:
            await problem_of(full)(scope, receive, send)

    async def _serve(self, receive: Receive, send: Send) -> None:
        async def gone() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        sending = asyncio.create_task(self.stream_response(send))
        watching = asyncio.create_task(gone())
        try:
            await asyncio.wait({sending, watching}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            watching.cancel()
            sending.cancel()
            await asyncio.wait({sending, watching})
        if not sending.cancelled():
            sending.result()


@dataclass(slots=True, eq=False)
class _Listener:
    waiting: deque[bytes] = field(default_factory=lambda: deque(maxlen=QUEUE_SIZE))
    lost: int = 0
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    grant: Grant = field(default_factory=GRANT.get)
    """Of who listens: nothing is told of other libraries."""


class Broadcast:
    """Everybody who listens to one kind of news. Made and used on its event loop, except for `tell`."""

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: set[_Listener] = set()
        self._is_closed = False
        self._count = 0

    def begin(self) -> None:
        """Take the running event loop as the one to speak in."""
        self._loop = asyncio.get_running_loop()

    def tell(self, event: str, data: Json, library: str | None = None) -> None:
        """Tell everybody, of a library everybody for whom it is there; from any thread. Nobody listening costs
        nothing."""
        if self._listeners and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._spread, event, data, library)

    def _spread(self, event: str, data: Json, library: str | None) -> None:
        self._count += 1
        message = frame(event, dumps(data).encode(), str(self._count))
        for listener in self._listeners:
            if library is not None and not listener.grant.sees(library):
                continue
            listener.lost += len(listener.waiting) == QUEUE_SIZE
            listener.waiting.append(message)
            listener.woken.set()

    def close(self) -> None:
        """End every stream."""
        self._is_closed = True
        for listener in self._listeners:
            listener.woken.set()

    def listen(self, first: Callable[[], Json]) -> EventStream:
        """A stream of everything told from now on, after what `first` says."""
        return EventStream(self._events(first()), self.slots)

    async def _events(self, first: Json) -> AsyncIterator[bytes]:
        listener = _Listener()
        self._listeners.add(listener)
        try:
            yield frame("hello", dumps(first).encode(), str(self._count))
            while not self._is_closed:
                try:
                    async with asyncio.timeout(HEARTBEAT_S):
                        await listener.woken.wait()
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                listener.woken.clear()
                if listener.lost:
                    yield frame("lost", dumps({"events": listener.lost}).encode())
                    listener.lost = 0
                while listener.waiting:
                    yield listener.waiting.popleft()
        finally:
            self._listeners.discard(listener)


class Events(Broadcast):
    """The listeners to everything that changes in the libraries of a server."""

    def __init__(self, libraries: Libraries, most: int, count: TakenCount) -> None:
        super().__init__(Slots(most, SharedLimit.EVENTS, count))
        self._told_progress: dict[tuple[str, str], float] = {}
        self._stop: Callable[[], None] | None = libraries.listen(self.changed)

    def changed(self, changed: LibraryChange) -> None:
        """Tell of documents that changed; from any thread."""
        self.tell("changed", wire(changed), changed.library)

    def progress(self, library: str, event: Event) -> None:
        """Tell how far an index is, a few times a second and at the end of each phase; from any thread."""
        now, part = time.monotonic(), (library, event.phase.value)
        if event.done != event.total and now - self._told_progress.get(part, 0.0) < TELL_S:
            return
        self._told_progress[part] = now
        self.tell("progress", {"library": library, **object_of(event)}, library)

    def close(self) -> None:
        """End every stream, and hear no more."""
        if self._stop is not None:
            self._stop()
            self._stop = None
        super().close()
