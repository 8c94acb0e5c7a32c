"""Who wants to know what changed, in both eras of the protocol.

Changes come from `Libraries.listen`, in whatever thread made them; notifications leave on the event loop. Clients of
the handshake era subscribe URI by URI and are told on their connection; later ones open a stream that lists what they
want. A client that does not read is given up on, and nobody else waits for it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import lru_cache, partial
from typing import Any

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)
from mcp.shared.exceptions import MCPError

from pinakes.access import GRANT
from pinakes.errors import BadAddress
from pinakes.serve.libraries import Libraries
from pinakes.serve.library_names import LibraryChange
from pinakes.serve.mcp.logs import ClientConnection, Clients, Context, Logs
from pinakes.serve.mcp.resources import names, parse
from pinakes.serve.pool import Overloaded
from pinakes.serve.slots import SharedLimit, Shares, Slots

MOST_URIS = 10_000
"""Subscriptions of one client."""
MOST_OF_ALL = 50_000
"""Subscriptions of all clients that asked URI by URI."""
MOST_LETTERS = 20_000_000
"""In the URIs that all open streams want."""
MOST_STREAMS = 512
"""Streams open at once, of all clients."""
WAIT_S = 5.0
"""How long a client may take to read a notification."""


class _LibraryBus(InMemorySubscriptionBus):
    """The SDK's; who listens hears of the libraries that were there for him when he began."""

    def __init__(self) -> None:
        super().__init__()
        self._about = ""

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        grant = GRANT.get()

        def hear(event: ServerEvent) -> None:
            if not self._about or grant.sees(self._about):
                listener(event)

        return super().subscribe(hear)

    async def tell(self, library: str, event: ServerEvent) -> None:
        """Tell of something in a library."""
        self._about = library  # all listeners are told before anybody else can speak: the SDK does not pause
        await self.publish(event)


class News:
    """The subscriptions of one server."""

    def __init__(
        self, libraries: Libraries, clients: Clients, logs: Logs, shares: Shares, *, has_sessions: bool = True
    ) -> None:
        self._has_sessions = has_sessions
        self._libraries = libraries
        self._clients = clients
        self._logs = logs
        self._bus = _LibraryBus()
        self._handler = ListenHandler(self._bus)
        self._slots = Slots(MOST_STREAMS, SharedLimit.SUBSCRIPTIONS, shares.count(SharedLimit.SUBSCRIPTIONS))
        self._most_of_all = max(shares.part(MOST_OF_ALL), MOST_URIS)
        self._streamed: Counter[str] = Counter()
        """URIs that open streams want, with how many want them."""
        self._letters = shares.count(SharedLimit.LETTERS)
        self._count = 0
        """How many changes were heard of."""
        self._paths: dict[str, frozenset[str]] = {}
        """What was listed of each library when it last changed."""

    @asynccontextmanager
    async def lifespan(self, server: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        """Tell clients of changes while inside."""
        loop = asyncio.get_running_loop()
        send, receive = anyio.create_memory_object_stream[tuple[int, LibraryChange]](1000)

        def keep(changed: LibraryChange) -> None:
            self._count += 1
            with suppress(anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
                send.send_nowait((self._count, changed))

        def hear(changed: LibraryChange) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(keep, changed)

        stop = self._libraries.listen(hear)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._tell_all, receive)
                yield {}
                group.cancel_scope.cancel()
        finally:
            stop()
            send.close()
            receive.close()

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        if not self._has_sessions:
            raise MCPError(types.METHOD_NOT_FOUND, "This server keeps no sessions. Listen by subscriptions/listen.")
        try:
            name, _ = parse(params.uri)
        except BadAddress as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        if name not in self._libraries.names:
            raise MCPError(types.INVALID_PARAMS, f"There is no library “{name[:80]}” here.")
        uris = self._clients.remember(ctx).uris
        if params.uri in uris:
            return types.EmptyResult()
        clients = self._clients.all()
        if sum(len(client.uris) for client in clients) >= self._most_of_all:
            # Nobody is told when a client has gone; who keeps the most is not to keep out who asks for little.
            max(clients, key=lambda client: len(client.uris)).uris.clear()
        if len(uris) >= MOST_URIS:
            raise MCPError(types.INVALID_PARAMS, f"At most {MOST_URIS:,} subscriptions are kept. End some first.")
        uris[params.uri] = self._count
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._clients.remember(ctx).uris.pop(params.uri, None)
        return types.EmptyResult()

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        wanted = tuple(params.notifications.resource_subscriptions or ())[:MOST_URIS]
        try:
            with self._slots.take(), self._counted(wanted):
                return await self._handler(ctx, params)
        except Overloaded as full:
            raise MCPError(types.INTERNAL_ERROR, str(full)) from full

    @contextmanager
    def _counted(self, wanted: tuple[str, ...]) -> Iterator[None]:
        letters = sum(map(len, wanted))
        self._letters.add(letters)
        try:
            if self._letters.total > MOST_LETTERS:
                raise Overloaded("The subscriptions open here name too much.", "Name fewer resources.")
            self._streamed.update(wanted)
            try:
                yield
            finally:
                self._streamed.subtract(wanted)
                self._streamed = +self._streamed  # without those that nobody wants
        finally:
            self._letters.add(-letters)

    async def publish(self, event: ServerEvent, library: str = "") -> None:
        """Tell every open stream that wants to hear of such an event, of a library those for which it is there."""
        await self._bus.tell(library, event)

    async def _tell_all(self, receive: MemoryObjectReceiveStream[tuple[int, LibraryChange]]) -> None:
        async with anyio.create_task_group() as group:
            async for number, changed in receive:
                paths = await anyio.to_thread.run_sync(names, self._libraries.get(changed.library))
                is_another_list = paths != self._paths.get(changed.library)
                self._paths[changed.library] = paths
                group.start_soon(self._logs.tell_all, changed)
                for client in self._clients.all():
                    # What changed before somebody subscribed is no news to them.
                    wanted = sorted(uri for uri, count in client.uris.items() if count < number)
                    hits = tuple(uri for uri in wanted if _is_about(uri, changed))
                    group.start_soon(partial(_tell, client, hits, is_another_list=is_another_list))
                for uri in sorted(self._streamed):
                    if _is_about(uri, changed):
                        await self.publish(ResourceUpdated(uri=uri), changed.library)
                if is_another_list:
                    await self.publish(ResourcesListChanged(), changed.library)


async def _tell(client: ClientConnection, uris: tuple[str, ...], *, is_another_list: bool) -> None:
    with anyio.move_on_after(WAIT_S), suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        if is_another_list:
            await client.session.send_resource_list_changed()
        for uri in uris:
            await client.session.send_resource_updated(uri)


def _is_about(uri: str, changed: LibraryChange) -> bool:
    """Whether a URI names a changed document or a section of one."""
    name, label = _document(uri)
    return name == changed.library and label in changed.paths


@lru_cache(MOST_OF_ALL)
def _document(uri: str) -> tuple[str, str]:
    """The library and the document; both empty for what is no URI of ours. Kept, as every change asks for all."""
    try:
        name, ref = parse(uri)
    except BadAddress:
        return "", ""
    return name, ref.label
