"""The process that listens: a socket, uvicorn, and an end that comes soon after it is asked for."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

import h11
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from pinakes.errors import ConfigError
from pinakes.serve.http.options import ServeLimits, ServeOptions
from pinakes.serve.http.problems import problem

PATIENCE_S = 1
"""How long answers under way may take once the server is told to end."""
HEADER_S = 10.0
"""To send the headers of a request; half-open connections are closed then."""
LINGER_S = 0.5
"""How long what follows a refused request is read and dropped."""


class ClosableApp(Protocol):
    """What is run: an ASGI app that can be told to end its streams."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    def close(self) -> None: ...


def listen_at(options: ServeOptions) -> socket.socket:
    """A socket at the host and port, before anything else is made: a port that is taken is told at once."""
    options.check()
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)[0]
        # asyncio turns off Nagle's algorithm only where the protocol is named; with it on, answers wait 40 ms for an
        # acknowledgement that the other side delays.
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ConfigError(f"{options.host} is not an address of this machine: {error.strerror}.") from None
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise ConfigError(
            f"Cannot listen at {options.host}, port {options.port}: {error.strerror}.",
            "Another program may use the port. Choose another one with --port, or 0 for any free port.",
        ) from None
    return listening


def serve(app: ClosableApp, listening: socket.socket, limits: ServeLimits, started: Callable[[], None]) -> None:
    """Answer until SIGTERM or SIGINT; then end within two seconds, whatever is open."""
    config = uvicorn.Config(
        app,
        http=_TimeoutProtocol,
        ws="none",
        lifespan="on",
        log_level="error",  # or strangers could fill a log, or a pipe that nobody reads, with requests that are none
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=limits.header_bytes,
        timeout_graceful_shutdown=PATIENCE_S,
        timeout_keep_alive=20,
    )
    _Server(config, app, started).run(sockets=[listening])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, app: ClosableApp, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._own = app
        self._tell = started

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # uvicorn would send itself the signal once more at the end; a server that was told to end has ended well.
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._own.close()
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what is cut off now is no news
        await super().shutdown(sockets)


class _TimeoutProtocol(H11Protocol):
    """Closes connections that begin a request and do not go on with it; uvicorn itself would wait for ever."""

    _timer: asyncio.TimerHandle | None = None
    _is_refused = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        super().data_received(data)
        if self._is_refused:
            return
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._timer is None and self.conn.trailing_data[0]:
            self._wait()

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
        self._timer = self.loop.call_later(LINGER_S, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._timer = self.loop.call_later(HEADER_S, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
