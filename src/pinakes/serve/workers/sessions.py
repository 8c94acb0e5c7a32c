"""A session of MCP lives in one worker. Its id begins with the number of that worker, so that the others know where to
send its requests: `2-` and what the SDK called it.

A request of another worker's session goes to that worker's own socket, after it was checked here, and its answer comes
back as it is made. The session of a worker that died is gone with it: the one that took its place says so, and the
client begins another one, as the protocol asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress

import h11
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SESSION = b"mcp-session-id"
_OF_A_CONNECTION = frozenset(
    (b"connection", b"keep-alive", b"transfer-encoding", b"content-length", b"date", b"upgrade", b"te", b"trailer")
)
"""Headers that say something of one connection only, or that the server adds anyway."""
_EVENTS = b"text/event-stream"
"""What may end at any event."""
_READ_BYTES = 65_536

Headers = Sequence[tuple[bytes, bytes]]


class SessionRouter:
    """An app with sessions, in one worker of several."""

    def __init__(self, app: ASGIApp, own: int, sockets: Sequence[str]) -> None:
        """`sockets` are the paths of the workers' own sockets, in the order of their numbers."""
        self._app = app
        self._own = own
        self._sockets = sockets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = next((value for name, value in scope["headers"] if name == SESSION), b"")
        worker, dash, session = given.partition(b"-")
        if dash and worker.isdigit() and len(worker) < 4 and int(worker) < len(self._sockets):
            if int(worker) != self._own:
                await _hand_on(self._sockets[int(worker)], scope, receive, send)
                return
            own = [(name, session if name == SESSION else value) for name, value in scope["headers"]]
            scope = {**scope, "headers": own}

        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": list(self._named(message["headers"]))}
            await send(message)

        await self._app(scope, receive, send_named)

    def _named(self, headers: Headers) -> Iterable[tuple[bytes, bytes]]:
        for name, value in headers:
            yield name, b"%d-%b" % (self._own, value) if name == SESSION else value


async def _hand_on(path: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Have the worker at this socket answer."""
    body = await _body(receive)
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except OSError:
        await PlainTextResponse("The session's process is not there.", 503, {"Retry-After": "1"})(scope, receive, send)
        return
    try:
        answering = asyncio.ensure_future(_answer(reader, writer, scope, body, send))
        leaving = asyncio.ensure_future(_until_gone(receive))
        await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        answering.cancel()  # the client has gone; else it is through
        with suppress(asyncio.CancelledError, ConnectionError):
            await answering
    finally:
        writer.close()


async def _answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, scope: Scope, body: bytes, send: Send
) -> None:
    connection = h11.Connection(h11.CLIENT)
    headers = [one for one in scope["headers"] if one[0] not in _OF_A_CONNECTION]
    headers += [(b"content-length", b"%d" % len(body)), (b"connection", b"close")]
    asked = h11.Request(method=scope["method"], target="/mcp", headers=headers)
    for event in (asked, h11.Data(data=body), h11.EndOfMessage()):
        writer.write(connection.send(event) or b"")
    await writer.drain()
    media: bytes | None = None
    while True:
        found = await _next_event(connection, reader)
        if isinstance(found, h11.Response):
            said = _lower(one for one in found.headers.raw_items() if one[0].lower() not in _OF_A_CONNECTION)
            media = dict(said).get(b"content-type", b"")
            await send({"type": "http.response.start", "status": found.status_code, "headers": said})
        elif isinstance(found, h11.Data):
            await send({"type": "http.response.body", "body": bytes(found.data), "more_body": True})
        elif isinstance(found, h11.EndOfMessage) or (media is not None and media.startswith(_EVENTS)):
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        else:  # the process ended; a client whose answer has begun sees that it is cut off
            if media is None:
                refusal = PlainTextResponse("The session's process ended.", 503, {"Retry-After": "1"})
                await refusal(scope, _nothing, send)
            return


async def _next_event(connection: h11.Connection, reader: asyncio.StreamReader) -> object:
    """What comes next of an answer; `ConnectionClosed` also where the other process died in the middle of it."""
    try:
        while (found := connection.next_event()) is h11.NEED_DATA:
            connection.receive_data(await reader.read(_READ_BYTES))
    except (h11.RemoteProtocolError, ConnectionError):
        return h11.ConnectionClosed()
    return found


def _lower(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower(), value) for name, value in headers]


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _nothing() -> Message:
    return {"type": "http.disconnect"}
