"""The server as the SDK wants it: a method of the protocol enters, the room that answers it is called in a thread.

The SDK's low-level server is used and not the one that derives everything from signatures: our schemas are written by
hand, because a model pays for every word of them.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version
from typing import Any, Literal, TypeVar

import anyio
from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from msgspec import Struct

from pinakes.access import EVERYTHING, GRANT, Grant, TokenScope
from pinakes.errors import BadAddress, NotFound, PinakesError
from pinakes.library.everywhere import EVERY
from pinakes.records import Event, Phase
from pinakes.render import safe
from pinakes.serve.freshness import Freshness, Tell
from pinakes.serve.mcp import prompts, resources
from pinakes.serve.mcp.answers import Draft, ToolAnswer
from pinakes.serve.mcp.early_handshake import DESCRIPTION, INSTRUCTIONS, NAME, TITLE
from pinakes.serve.mcp.logs import Clients, Context, Logs
from pinakes.serve.mcp.news import News
from pinakes.serve.mcp.several import together
from pinakes.serve.mcp.steps import for_model
from pinakes.serve.mcp.tools import PRESETS, TOOLS, ToolCall, listed
from pinakes.serve.requests.corpora import addresses, corpora
from pinakes.serve.requests.parameters import BadParameter, Doors, library_name, parse
from pinakes.serve.requests.revision import is_past
from pinakes.serve.slots import Shares
from pinakes.write_log import DOOR

ListParams = types.PaginatedRequestParams | None


_PHASES = tuple(Phase)
_TOKEN_STEP = "The user adds the header Authorization: Bearer TOKEN to its settings; pinakes token prints the token."
STRUCTURED_SINCE = "2025-06-18"
"""The first version of the protocol that knows structured content; versions are dates."""
_LASTING = CacheHint(ttl_ms=3_600_000)
"""What is the same for as long as the process lives."""

_Cached = Literal[
    "prompts/list", "resources/list", "resources/read", "resources/templates/list", "server/discover", "tools/list"
]
_Asked = tuple[Sequence[str], Sequence[str]]
"""The corpora and the addresses that a request asks for."""
_ALL: _Asked = ((), ())
"""What is asked for by a request that names nothing: all documents."""

GrantOf = Callable[[Context], Grant]
"""What the client that sent a request may do."""
NoteRefusal = Callable[[Context, str], None]
"""Hears of each call of a tool by a token that does not reach so far."""
_P = TypeVar("_P")
_R = TypeVar("_R")


def everything(ctx: Context) -> Grant:
    """On stdio the client started us, so it is the user."""
    return EVERYTHING


def ignore_refusal(ctx: Context, tool: str) -> None:
    """For doors without a log of refusals."""


class ClientRights(Struct, frozen=True):
    """What clients may do, as the door knows it that they come through."""

    grant_of: GrantOf = everything
    note_refusal: NoteRefusal = ignore_refusal
    has_sessions: bool = True
    """Without, every request stands alone, whatever version of the protocol it speaks."""


_OF_USER = ClientRights()


class McpHandlers:
    """What is answered to each method of the protocol."""

    def __init__(
        self,
        freshness: Freshness,
        preset: str,
        rights: ClientRights = _OF_USER,
        *,
        is_structured: bool = False,
        shares: Shares | None = None,
    ) -> None:
        self._rights = rights
        self._is_structured = is_structured
        self.libraries = freshness.libraries
        self.freshness = freshness
        self.clients = Clients()
        self.logs = Logs(self.libraries, self.clients)
        self.news = News(self.libraries, self.clients, self.logs, shares or Shares(), has_sessions=rights.has_sessions)
        self.known = PRESETS[preset]
        self._preset = preset

    @property
    def cache_hints(self) -> Mapping[_Cached, CacheHint]:
        """What stays as it is. Tools name the libraries, which come and go where they lie in a database."""
        hints: dict[_Cached, CacheHint] = {"prompts/list": _LASTING, "resources/templates/list": _LASTING}
        return {**hints, "tools/list": _LASTING} if self._rights.has_sessions else hints

    def granted(self, answer: Callable[[Context, _P], Awaitable[_R]]) -> Callable[[Context, _P], Awaitable[_R]]:
        """A handler that knows what the client may do: in a session, each request brings a token of its own."""

        async def run(ctx: Context, params: _P) -> _R:
            GRANT.set(self._rights.grant_of(ctx))
            return await answer(ctx, params)

        return run

    async def list_tools(self, ctx: Context, params: ListParams) -> types.ListToolsResult:
        tools = listed(self._preset, self.libraries.names, is_structured=self._sends_data(ctx))
        return types.ListToolsResult.model_validate({"tools": tools})

    def _sends_data(self, ctx: Context) -> bool:
        """Whether an answer has a structured copy: its oldest versions do not know it, and those that do let a client
        choose which of the two its model reads, so both must hold everything. That doubles an answer, and what some
        clients then hand on has no marks. Models get text alone; whoever reads the data asks for it at the start."""
        return self._is_structured and ctx.protocol_version >= STRUCTURED_SINCE

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in self.known:
            raise MCPError(
                types.INVALID_PARAMS, f"There is no tool “{safe(params.name[:80])}”. There are {', '.join(self.known)}."
            )
        tool, given = TOOLS[params.name], dict(params.arguments or {})
        if not (grant := GRANT.get()).may(tool.request.needs):
            if grant.token:
                self._rights.note_refusal(ctx, params.name)
                return _refused(_beyond(params.name, grant, tool.request.needs))
            return _refused(f"`{params.name}` writes, and this client sent no token. {_TOKEN_STEP}")
        DOOR.set("mcp")
        started = time.perf_counter()
        try:
            name = library_name(given.pop("library", None))
            name, given = resources.with_plain_addresses(name, given)
            call = ToolCall(tool, parse(tool.request, given, Doors.MCP), is_structured=self._sends_data(ctx))
            self.libraries.name_or_default()  # there is at least one
            names = self.libraries.names if tool.reads and name in ("", EVERY) else (name,)
            answer = await (self._ask(ctx, call, names[0]) if len(names) == 1 else self._ask_all(ctx, call, names))
        except PinakesError as error:
            return _refused(for_model(error, self.known))
        except (OSError, sqlite3.Error) as error:
            await self.logs.say(ctx, "error", f"{params.name}: {error}")
            return _refused(f"This could not be answered: {safe(str(error))}. Ask `status` for the state of the index.")
        took = time.perf_counter() - started
        await self.logs.say(ctx, "debug", f"{params.name} took {1000 * took:.0f} ms.")
        return _result(answer, is_structured=self._sends_data(ctx))

    async def _ask(self, ctx: Context, call: ToolCall, name: str) -> ToolAnswer:
        """What one library answers."""
        notes = await self._refresh(ctx, name, self._asked(call, name))
        made = partial(call.answer, self.libraries.get(name), notes)
        reads = call.tool.reads
        return await self.freshness.answer(name, made, call.tool.lane, notes=notes, is_repeatable=reads)

    async def _ask_all(self, ctx: Context, call: ToolCall, names: Sequence[str]) -> ToolAnswer:
        """What several libraries answer together: those that hold what is asked for. An address that several hold has
        to be asked of one of them."""
        notes: list[str] = []
        drafts: dict[str, Draft] = {}
        refusals: list[PinakesError] = []
        for name in names:
            try:
                notes += await self._refresh(ctx, name, self._asked(call, name))
                made = partial(call.draft, self.libraries.get(name))
                drafts[name] = await self.freshness.answer(name, made, call.tool.lane, notes=notes)
            except PinakesError as error:  # the other libraries answer
                refusals.append(error)
                notes += [] if isinstance(error, NotFound | BadAddress) else [f"{name}: {for_model(error, self.known)}"]
        if not drafts:
            raise refusals[0]
        if (address := getattr(call.request, "address", "")) and len(drafts) > 1:
            raise BadParameter(f"{' and '.join(drafts)} both hold “{address}”.", "Name one of them with `library`.")
        draft = together(drafts) if len(drafts) > 1 else next(iter(drafts.values()))
        return await self.freshness.pool.run(partial(call.fit, draft, notes), call.tool.lane)

    async def _refresh(self, ctx: Context, name: str, asked: _Asked | None) -> list[str]:
        """Bring what a library is asked for up to date, if anything, and log what came of it; returns what the answer
        should say."""
        if asked is None:
            return []
        library = self.libraries.get(name)
        before = self.logs.changes
        note = await self.freshness.refresh(name, *asked, tell=progress_teller(ctx))
        if self.logs.changes != before:
            await self.logs.synced(ctx, library)
        if note:
            await self.logs.say(ctx, "warning", f"{library.root.name}: {note}")
        return [note] if note else []

    def _asked(self, call: ToolCall, name: str) -> _Asked | None:
        """What a call asks for; nothing where its answer is the same however old the index is."""
        if is_past(call.request) or (not call.tool.needs_index and not self.freshness.has_refreshed(name)):
            return None
        return corpora(call.request), addresses(call.request)

    async def list_resources(self, ctx: Context, params: ListParams) -> types.ListResourcesResult:
        if self._rights.has_sessions:
            self.clients.remember(ctx)
        with _refusing(self.known):
            for name in self.libraries.names:
                await self._refresh(ctx, name, _ALL)
            cursor = params.cursor if params else None
            return await self.freshness.pool.run(partial(resources.page, self.libraries, cursor or ""))

    async def list_templates(self, ctx: Context, params: ListParams) -> types.ListResourceTemplatesResult:
        return resources.templates()

    async def read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        with _refusing(self.known, params.uri):
            name, ref = resources.parse(params.uri)
            await self._refresh(ctx, name, ((), (str(ref),)))
            return await self.freshness.answer(name, partial(resources.contents, self.libraries, params.uri))

    async def complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        known = (params.context.arguments if params.context else None) or {}
        asked = params.argument
        with _refusing(self.known):
            return await self.freshness.pool.run(
                partial(resources.completion, self.libraries, asked.name, asked.value, known)
            )

    async def set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        return await self.logs.set_level(ctx, params) if self._rights.has_sessions else types.EmptyResult()

    async def list_prompts(self, ctx: Context, params: ListParams) -> types.ListPromptsResult:
        return prompts.listed()

    async def get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        given = params.arguments or {}
        with _refusing(self.known):
            if "address" in given:
                await self._refresh(ctx, "", _ALL)
            return await self.freshness.pool.run(partial(prompts.prompt, self.libraries, params.name, given))


def _beyond(tool: str, grant: Grant, needs: TokenScope) -> str:
    return (
        f"`{tool}` asks for a token that may {needs.value}, and the token of this client may {grant.scope.value}."
        " The user asks whoever runs the server for another one."
    )


def server_of(handlers: McpHandlers) -> Server[dict[str, Any]]:
    """The SDK's server with our handlers."""
    server = Server(
        NAME,
        version=version("pinakes"),
        title=TITLE,
        description=DESCRIPTION,
        instructions=INSTRUCTIONS,
        lifespan=handlers.news.lifespan,
        cache_hints=handlers.cache_hints,
        on_list_tools=handlers.granted(handlers.list_tools),
        on_call_tool=handlers.granted(handlers.call_tool),
        on_list_resources=handlers.granted(handlers.list_resources),
        on_list_resource_templates=handlers.granted(handlers.list_templates),
        on_read_resource=handlers.granted(handlers.read_resource),
        on_subscribe_resource=handlers.granted(handlers.news.subscribe),
        on_unsubscribe_resource=handlers.granted(handlers.news.unsubscribe),
        on_subscriptions_listen=handlers.granted(handlers.news.listen),
        on_list_prompts=handlers.granted(handlers.list_prompts),
        on_get_prompt=handlers.granted(handlers.get_prompt),
        on_completion=handlers.granted(handlers.complete),
    )
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, handlers.granted(handlers.set_level))
    return server


def options_of(server: Server[dict[str, Any]]) -> InitializationOptions:
    """What the server says of itself in the handshake."""
    return server.create_initialization_options(NotificationOptions(resources_changed=True))


def progress_teller(ctx: Context) -> Tell:
    """Tells a caller how far a refresh is, in numbers that only grow, as the protocol wants them: a phase counts for
    one."""
    reached = 0.0

    async def tell(event: Event) -> None:
        nonlocal reached
        share = event.done / event.total if event.total else 0.0
        now = _PHASES.index(event.phase) + min(share, 1.0)
        if now > reached:
            reached = now
            count = f" {event.done:,} of {event.total:,}" if event.total else ""
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client has gone
                await ctx.session.report_progress(now, len(_PHASES), f"{event.phase.value}{count}")

    return tell


def _result(answer: ToolAnswer, *, is_structured: bool) -> types.CallToolResult:
    text = types.TextContent(type="text", text=answer.sent_text)
    copy = {"structuredContent": answer.sent_data} if is_structured else {}
    return types.CallToolResult.model_validate({"content": [text], "isError": False, **copy})


def _refused(sentence: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=sentence)], is_error=True)


@contextmanager
def _refusing(tools: Collection[str], uri: str = "") -> Iterator[None]:
    """Errors of the library as errors of the protocol, for what is not a tool."""
    try:
        yield
    except PinakesError as error:
        raise MCPError(types.INVALID_PARAMS, for_model(error, tools), {"uri": uri} if uri else None) from error
    except (OSError, sqlite3.Error) as error:
        raise MCPError(types.INTERNAL_ERROR, f"This could not be answered: {safe(str(error))}.") from error
