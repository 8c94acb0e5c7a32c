"""The process that listens: a socket, uvicorn, and an end that comes soon after it is asked for."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any, Protocol, cast

import uvicorn
from starlette.types import Receive, Scope, Send

from pinakes.errors import ConfigError
from pinakes.serve.allocator import share_heap
from pinakes.serve.descriptors import raise_limit
from pinakes.serve.http.connections import ACCEPTED, BoundedProtocol, ConnectionSlots, most_connections
from pinakes.serve.http.options import ServeLimits, ServeOptions
from pinakes.serve.log_summary import WINDOW_S, summarise
from pinakes.serve.slots import Shares

PATIENCE_S = 1
"""How long answers under way may take once the server is told to end."""
WAITING_CONNECTIONS = 1024
"""That the system keeps until they are taken."""


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
        listening.listen(WAITING_CONNECTIONS)
    except OSError as error:
        listening.close()
        raise ConfigError(
            f"Cannot listen at {options.host}, port {options.port}: {error.strerror}.",
            "Another program may use the port. Choose another one with --port, or 0 for any free port.",
        ) from None
    return listening


def serve(app: ClosableApp, listening: socket.socket, limits: ServeLimits, started: Callable[[], None]) -> None:
    """Answer until SIGTERM or SIGINT; then end within two seconds, whatever is open."""
    HttpServer(app, limits, started).run(sockets=[listening])


class HttpServer(uvicorn.Server):
    """uvicorn with our bounds; `started` is called when it answers."""

    def __init__(
        self, app: ClosableApp, limits: ServeLimits, started: Callable[[], None], shares: Shares | None = None
    ) -> None:
        shares = shares or Shares()
        share_heap()
        most = most_connections(limits, raise_limit(), shares.processes)
        self.slots = ConnectionSlots(most, shares.part(limits.reserve), shares.part(limits.unread_bytes))
        log = summarise()

        async def settle() -> None:
            log.settle()

        config = uvicorn.Config(
            app,
            loop="asyncio",
            http=cast(Any, partial(BoundedProtocol, self.slots)),
            ws="none",
            lifespan="on",
            backlog=ACCEPTED,
            log_config=None,
            callback_notify=settle,
            timeout_notify=WINDOW_S,
            log_level="error",  # or strangers could fill a log, or a pipe that nobody reads
            access_log=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=limits.header_bytes,
            timeout_graceful_shutdown=PATIENCE_S,
            timeout_keep_alive=20,
        )
        super().__init__(config)
        self._own = app
        self._tell = started

    def protocol(self) -> BoundedProtocol:
        """For a connection that was accepted elsewhere."""
        return BoundedProtocol(
            self.slots, config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # uvicorn would send itself the signal once more at the end; a server that was told to end has ended well.
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(WAITING_CONNECTIONS)  # asyncio made it as few as it takes at a time
        if self.started:
            self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._own.close()
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what is cut off now is no news
        await super().shutdown(sockets)
