"""Clients of the handshake era that are told something between their requests: their connection and what they want.

A request enters, whoever sent it leaves. The protocol does not say when a client has gone, so only so many are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession

Context = ServerRequestContext[object, object]
"""What the SDK hands over with each request."""

MOST_CLIENTS = 1000


@dataclass(slots=True)
class ClientConnection:
    """One connection."""

    session: ServerSession
    uris: dict[str, int] = field(default_factory=dict)
    """Resources whose changes it wants to hear of, and how many changes there had been when it said so."""
    level: types.LoggingLevel | None = None
    """The least of the messages it wants; None when it never said."""


class Clients:
    """Whoever subscribed to something or asked for messages."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, ClientConnection] = OrderedDict()

    def remember(self, ctx: Context) -> ClientConnection:
        """Note that a client is there; what it asked for before is kept."""
        key = _key(ctx)
        client = self._known.setdefault(key, ClientConnection(ctx.session))
        client.session = ctx.session
        self._known.move_to_end(key)
        while len(self._known) > MOST_CLIENTS:
            self._known.popitem(last=False)
        return client

    def find(self, ctx: Context) -> ClientConnection | None:
        """The client if it was remembered."""
        return self._known.get(_key(ctx))

    def all(self) -> tuple[ClientConnection, ...]:
        return tuple(self._known.values())


def _key(ctx: Context) -> str:
    """One client: its session over HTTP, or the only one on stdio."""
    headers = getattr(ctx.request, "headers", {})
    return str(headers.get("mcp-session-id", ""))
