"""The protocol over streamable HTTP, as an app to be put at one path of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.routing import Route

from pinakes.serve.freshness import Freshness
from pinakes.serve.mcp.server import McpHandlers, server_of

LOOPBACK_HOSTS = ("127.0.0.1:*", "localhost:*", "[::1]:*")
LOOPBACK_ORIGINS = ("http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*")
IDLE_S = 1800.0
MOST_SESSIONS = 1000


def http_app(
    freshness: Freshness, *, preset: str = "few", hosts: Sequence[str] = (), origins: Sequence[str] = ()
) -> Starlette:
    """Streamable HTTP as an app that answers at any path, to be put at one path; its lifespan must run.

    `hosts` and `origins` are what the headers may say, ``127.0.0.1:*`` and the like; without any, loopback only.
    """
    return app_of(server_of(McpHandlers(freshness, preset)), hosts, origins)


def app_of(server: Server[Any], hosts: Sequence[str] = (), origins: Sequence[str] = ()) -> Starlette:
    """Streamable HTTP for a server of the SDK, as an app that answers at any path."""
    manager = StreamableHTTPSessionManager(
        app=server,
        security_settings=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=list(hosts or LOOPBACK_HOSTS),
            allowed_origins=list(origins or LOOPBACK_ORIGINS),
        ),
        session_idle_timeout=IDLE_S,
        max_sessions=MOST_SESSIONS,
    )
    return Starlette(
        routes=[Route("/{path:path}", endpoint=StreamableHTTPASGIApp(manager))], lifespan=lambda app: manager.run()
    )
