"""Connections: how many there may be, and which of them are given up.

A connection either waits for a request or is being answered. When all places are taken, a new connection gets the place
of the one that has waited longest; who holds a connection and asks nothing keeps nobody out. When all of them are being
answered, a few more are let in, to hear that the server lives (`/health`) and that they should come back.

Nobody is waited for without end: not for the headers of a request, not for a client that reads nothing of its answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import h11
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from pinakes.serve.http.options import ServeLimits
from pinakes.serve.http.problems import COME_BACK, problem
from pinakes.serve.slots import part_of

HEADER_S = 5.0
"""To send the headers of a request; half-open connections are closed then."""
READ_S = 30.0
"""In which a client must read something of an answer that waits for it."""
LINGER_S = 0.5
"""How long what follows a refused request is read and dropped, and a closed connection may take to end."""
READ_BYTES = 16_384
"""Taken from a connection at a time, so that others have their turn."""
FREE_BREAKS, BYTES_A_BREAK = 1_000, 32
"""Line ends in a body that comes in chunks: so many, and one more for so many bytes. A chunk of one byte costs us a
hundred times what it costs its sender."""
ACCEPTED = 64
"""Connections taken at a time. asyncio takes so many before it hands over the first."""


def most_connections(limits: ServeLimits, descriptors: int, processes: int) -> int:
    """How many connections each of some processes may have that may have so many descriptors.

    Some are for files, and as many as connections for those that are about to be given up.
    """
    return max(1, min(part_of(limits.connections, processes), (descriptors - min(256, descriptors // 4)) // 2))


@dataclass(slots=True)
class ConnectionSlots:
    """The connections of one server, on its event loop."""

    most: int
    reserve: int
    unread_bytes: int
    open: set[BoundedProtocol] = field(default_factory=set)
    waiting: dict[BoundedProtocol, None] = field(default_factory=dict)
    """Those without a request, the one that has waited longest first."""
    unread: set[BoundedProtocol] = field(default_factory=set)
    """Those whose answer waits to be read."""
    on_change: Callable[[int, int], None] = lambda count, waiting: None
    """Hears how many are open, and how many of them wait, whenever that changes."""

    def admit(self, one: BoundedProtocol) -> bool:
        """Give a new connection a place; False when all are taken and none of their holders waits."""
        self.open.add(one)
        if len(self.open) > self.most and self.waiting:
            longest = next(iter(self.waiting))
            self.release(longest)
            longest.transport.abort()
        self.wait(one)
        return len(self.open) <= self.most

    def wait(self, one: BoundedProtocol) -> None:
        """Note that a connection has no request."""
        if one in self.open and one not in self.waiting:
            self.waiting[one] = None
            self._tell()

    def work(self, one: BoundedProtocol) -> None:
        """Note that the request of a connection is being answered."""
        if one in self.waiting:
            del self.waiting[one]
            self._tell()

    def release(self, one: BoundedProtocol) -> None:
        """Free the place of a connection that has ended."""
        self.open.discard(one)
        self.waiting.pop(one, None)
        self.unread.discard(one)
        self._tell()

    def _tell(self) -> None:
        self.on_change(len(self.open), len(self.waiting))

    def bound_unread(self, one: BoundedProtocol) -> None:
        """Note that an answer waits to be read, and give up the largest ones when they are too much."""
        self.unread.add(one)
        sizes = {each: each.transport.get_write_buffer_size() for each in self.unread}
        while sum(sizes.values()) > self.unread_bytes:
            largest = max(sizes, key=lambda each: sizes[each])
            del sizes[largest]
            self.release(largest)
            largest.transport.abort()


class BoundedProtocol(H11Protocol):
    """One connection: uvicorn's, with a place and with limits of time. uvicorn itself would wait for ever."""

    _timer: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None
    _is_refused = False
    _chunked: object = None
    """The request whose chunks are counted."""
    _breaks = _bytes = 0

    def __init__(self, slots: ConnectionSlots, **rest: Any) -> None:
        super().__init__(**rest)
        self._slots = slots

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        transport.max_size = READ_BYTES  # of asyncio's own transports, whose default is sixteen times as much
        self._wait()
        if not self._slots.admit(self):
            self.app = _only_health(self.app)
        if len(self._slots.open) > self._slots.most + self._slots.reserve:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        if self._is_crumbled(data):
            self._refuse_rest()
            return
        super().data_received(data)
        self._sort()
        if self._is_refused:
            return
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._timer is None:
            self._wait()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._sort()

    def send_400_response(self, msg: str) -> None:
        body = problem(400, "This is no HTTP request, or its headers are too long.")
        headers = [*body.raw_headers, (b"x-content-type-options", b"nosniff"), (b"connection", b"close")]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=bytes(body.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        # Closing while more arrives would reset the connection, and the sender would not get to hear why.
        self._is_refused = True
        self._stop()
        self._timer = self.loop.call_later(LINGER_S, self._end)

    def _is_crumbled(self, data: bytes) -> bool:
        """Whether a body comes in crumbs."""
        if self.cycle is None or (b"transfer-encoding", b"chunked") not in self.headers:
            return False
        if self._chunked is not self.cycle:
            self._chunked, self._breaks, self._bytes = self.cycle, 0, 0
        self._breaks += data.count(b"\n")
        self._bytes += len(data)
        return self._breaks > FREE_BREAKS + self._bytes // BYTES_A_BREAK

    def _refuse_rest(self) -> None:
        """Read nothing more of a request; whoever waits for its body is told that nobody is there."""
        if self.conn.our_state is h11.SEND_RESPONSE:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self.send_400_response("")
        else:
            self._is_refused = True
            self._end()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._slots.bound_unread(self)
        self._expect_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._slots.unread.discard(self)
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        self._slots.release(self)
        self._stop()
        super().connection_lost(exc)

    def _sort(self) -> None:
        """Among those that wait, or among those that are answered."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._slots.work(self)
        else:
            self._slots.wait(self)

    def _expect_reader(self, left: int = -1) -> None:
        """Give the client up when it has read nothing since there were `left` bytes."""
        now = self.transport.get_write_buffer_size()
        if now == left:
            self.transport.abort()
        else:
            self._reading = self.loop.call_later(READ_S, self._expect_reader, now)

    def _wait(self) -> None:
        self._timer = self.loop.call_later(HEADER_S, self._end)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        # A connection that is closed stays until everything is sent, which a client that does not read prevents.
        self.transport.close()
        self.loop.call_later(LINGER_S, self.transport.abort)


def _only_health(app: Any) -> ASGIApp:
    """An app that answers whether the server lives, and else that there is no place."""
    full = problem(503, "There are too many connections.", "Come back in a few seconds.", headers={**COME_BACK})
    full.headers["Connection"] = "close"

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await (app if scope["path"] == "/health" else full)(scope, receive, send)

    return answer
