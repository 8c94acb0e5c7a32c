"""Clients that hear something between their requests, and the messages for their logs: what a sync did, what failed.

Never a word of a document: paths and numbers only. Clients of the handshake era choose a level for good and then also
hear of what happens between their requests; later ones name a level with each request and hear of that request only.
The protocol does not say when a client has gone, so the number of known clients is limited. It calls these messages
deprecated since its last revision, and the SDK warns whoever uses its functions for them; clients of today show them,
so each is sent as a plain notification.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import get_args

import anyio
from mcp import types
from mcp.server.connection import allowed_log_levels
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession

from pinakes.errors import PinakesError
from pinakes.library import Library
from pinakes.render import safe
from pinakes.serve.libraries import Libraries
from pinakes.serve.library_names import LibraryChange
from pinakes.serve.mcp.early_handshake import MODERN_VERSION, NAME

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


DEFAULT_LEVEL: types.LoggingLevel = "info"
"""What a client hears that never said how much it wants."""
WAIT_S = 5.0
"""How long a client may take to read a message."""
MOST_NAMES = 5
"""Failing files that are named; `status` lists all."""

_LEVELS: tuple[types.LoggingLevel, ...] = get_args(types.LoggingLevel)

Message = tuple[types.LoggingLevel, str]


class Logs:
    """The messages of one server."""

    def __init__(self, libraries: Libraries, clients: Clients) -> None:
        self._libraries = libraries
        self._clients = clients
        self.changes = 0
        """How often a sync has changed something."""
        self._told = 0
        libraries.listen(self._count)

    async def set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        self._clients.remember(ctx).level = params.level
        return types.EmptyResult()

    async def say(self, ctx: Context, level: types.LoggingLevel, words: str) -> None:
        """Tell whoever asked, on the stream of the answer, if it wants to hear of such things."""
        if level in self._wanted(ctx):
            message = _notification(level, words)
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await ctx.session.send_notification(message, related_request_id=ctx.request_id)

    async def synced(self, ctx: Context, library: Library) -> None:
        """Tell whoever asked what a sync did, unless it hears of every sync anyway.

        Of many requests that waited for the same sync, one is told.
        """
        client = self._clients.find(ctx)
        is_silent = client is None or client.level is None
        if is_silent and self.changes > self._told and self._wanted(ctx):
            self._told = self.changes
            for level, words in await anyio.to_thread.run_sync(outcome, library):
                await self.say(ctx, level, words)

    async def tell_all(self, changed: LibraryChange) -> None:
        """Tell every client that has chosen a level of a sync that changed something."""
        listening = [client for client in self._clients.all() if client.level is not None]
        if not listening:
            return
        messages = await anyio.to_thread.run_sync(outcome, self._libraries.get(changed.library), len(changed.paths))
        async with anyio.create_task_group() as group:
            for client in listening:
                group.start_soon(_tell, client, messages)

    def _count(self, changed: LibraryChange) -> None:
        self.changes += 1

    def _wanted(self, ctx: Context) -> frozenset[types.LoggingLevel]:
        if ctx.protocol_version == MODERN_VERSION:
            return allowed_log_levels(ctx.protocol_version, ctx.meta)
        client = self._clients.find(ctx)
        return _from((client and client.level) or DEFAULT_LEVEL)


def outcome(library: Library, changed: int = 0) -> list[Message]:
    """What there is to say of a library after a sync."""
    name = library.root.name
    try:
        status = library.status()
    except (PinakesError, OSError) as error:
        return [("error", f"{name}: {error}")]
    what = f"{changed:,} changed; " if changed else ""
    messages: list[Message] = [
        ("info", f"{name}: {what}{status.counts.documents:,} documents are indexed (generation {status.generation}).")
    ]
    if failures := status.all_failures:
        names = ", ".join(one.ref.path for one in failures[:MOST_NAMES])
        more = " and others" if len(failures) > MOST_NAMES else ""
        messages.append(
            ("warning", f"{name}: {len(failures):,} could not be read: {names}{more}. The tool status says why.")
        )
    return messages


async def _tell(client: ClientConnection, messages: list[Message]) -> None:
    wanted = _from(client.level or DEFAULT_LEVEL)
    with anyio.move_on_after(WAIT_S), suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        for level, words in messages:
            if level in wanted:
                await client.session.send_notification(_notification(level, words))


def _from(least: types.LoggingLevel) -> frozenset[types.LoggingLevel]:
    return frozenset(_LEVELS[_LEVELS.index(least) :])


def _notification(level: types.LoggingLevel, words: str) -> types.LoggingMessageNotification:
    return types.LoggingMessageNotification(
        params=types.LoggingMessageNotificationParams(level=level, data=safe(words), logger=NAME)
    )
