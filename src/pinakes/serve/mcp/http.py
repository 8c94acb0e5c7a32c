"""The protocol over streamable HTTP, as an app to be put at one path of another.

A client of the handshake era opens a session and often never closes it. When all sessions are taken, a new one gets the
place of the one that has been idle longest; its client is told that its session is gone, and opens another.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from pinakes.serve.freshness import Freshness
from pinakes.serve.mcp.news import MOST_STREAMS
from pinakes.serve.mcp.server import ClientRights, McpHandlers, server_of
from pinakes.serve.pool import Overloaded
from pinakes.serve.slots import SharedLimit, Shares, Slots, TakenCount

LOOPBACK_HOSTS = ("127.0.0.1:*", "localhost:*", "[::1]:*")
LOOPBACK_ORIGINS = ("http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*")
IDLE_S = 1800.0
MOST_SESSIONS = 1000
_OF_USER = ClientRights()


def http_app(
    freshness: Freshness,
    *,
    preset: str = "few",
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
    rights: ClientRights = _OF_USER,
    shares: Shares | None = None,
) -> Starlette:
    """Streamable HTTP as an app that answers at any path, to be put at one path; its lifespan must run.

    `hosts` and `origins` are what the headers may say, ``127.0.0.1:*`` and the like; without any, loopback only.
    `shares` is what this process has of the limits. Without sessions any server of several answers any request, also of
    clients that begin with a handshake.
    """
    handlers = McpHandlers(freshness, preset, rights, shares=shares)
    return app_of(server_of(handlers), hosts, origins, shares, has_sessions=rights.has_sessions)


def app_of(
    server: Server[Any],
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
    shares: Shares | None = None,
    *,
    has_sessions: bool = True,
) -> Starlette:
    """Streamable HTTP for a server of the SDK, as an app that answers at any path."""
    shares = shares or Shares()
    logging.getLogger("mcp").setLevel(logging.ERROR)  # a client's odd requests are answered, not written down
    manager = _SessionManager(
        app=server,
        stateless=not has_sessions,
        security_settings=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=list(hosts or LOOPBACK_HOSTS),
            allowed_origins=list(origins or LOOPBACK_ORIGINS),
        ),
        session_idle_timeout=IDLE_S,
        max_sessions=shares.part(MOST_SESSIONS),
    )
    streams = _BoundedStreams(manager, shares.count(SharedLimit.MCP_STREAMS))
    return Starlette(routes=[Route("/{path:path}", endpoint=streams)], lifespan=lambda app: manager.run())


class _SessionManager(StreamableHTTPSessionManager):
    """The SDK's, which would refuse everybody for half an hour once all sessions are taken."""

    def _admit_session(self, requestor: Any) -> StreamableHTTPServerTransport | None:
        if len(self._server_instances) >= (self.max_sessions or MOST_SESSIONS):
            name, longest = min(self._server_instances.items(), key=lambda item: _idle_until(item[1]))
            if longest.idle_scope is not None and _idle_until(longest) < math.inf:
                del self._server_instances[name]  # at once; its own task ends when it gets to it
                longest.idle_scope.cancel()
        return super()._admit_session(requestor)


def _idle_until(session: StreamableHTTPServerTransport) -> float:
    """When an idle session would end by itself; never while a request is answered or a stream is open."""
    return session.idle_scope.deadline if session.idle_scope is not None else math.inf


class _BoundedStreams:
    """The app of a manager, with a counted place for every stream that a client opens to listen."""

    def __init__(self, manager: StreamableHTTPSessionManager, count: TakenCount) -> None:
        self._manager = manager
        self._slots = Slots(MOST_STREAMS, SharedLimit.MCP_STREAMS, count)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            await self._manager.handle_request(scope, receive, send)
            return
        try:
            with self._slots.take():
                await self._manager.handle_request(scope, receive, send)
        except Overloaded as full:
            await PlainTextResponse(str(full), 503, {"Retry-After": "2"})(scope, receive, send)
