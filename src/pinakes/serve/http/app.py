"""The app: routes, MCP and the page behind one guard."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pinakes.records import Event
from pinakes.serve import web
from pinakes.serve.http.base_path import refuse_own
from pinakes.serve.http.crew import Crew
from pinakes.serve.http.endpoints import QUESTIONS, Door
from pinakes.serve.http.guard import Guard
from pinakes.serve.http.managing import MANAGING
from pinakes.serve.http.metrics import Metrics
from pinakes.serve.http.notes import NOTES
from pinakes.serve.http.openapi import describe, refusals
from pinakes.serve.http.options import ServeOptions
from pinakes.serve.http.problems import tell_problems
from pinakes.serve.http.rights import needed
from pinakes.serve.http.routes import routes
from pinakes.serve.http.streams import Events
from pinakes.serve.http.token_check import grant_of, note_refusal
from pinakes.serve.http.token_keys import token_keys
from pinakes.serve.libraries import Libraries
from pinakes.serve.mcp.http import http_app
from pinakes.serve.mcp.logs import Context
from pinakes.serve.mcp.server import ClientRights
from pinakes.serve.pool import Pool
from pinakes.serve.slots import SharedLimit

if TYPE_CHECKING:
    from pinakes.library.workspace import Workspace
    from pinakes.serve.work.desk import WorkDesk
    from pinakes.serve.work.entering import EntryTicket


class _Mounted:
    """Another app at one address; a `Mount` would answer only with a slash behind it, and redirect without."""

    def __init__(self, path: str, app: ASGIApp) -> None:
        self._path = path
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        inside = {**scope, "path": f"{self._path}/", "root_path": self._path}
        await self._app(inside, receive, send)


def _scope(ctx: Context) -> Mapping[str, Any]:
    return ctx.request.scope if isinstance(ctx.request, Request) else {}


def create_app(
    libraries: Libraries,
    options: ServeOptions,
    workspace: Workspace | None = None,
    ticket: EntryTicket | None = None,
    crew: Crew | None = None,
) -> Guard:
    """Everything `pinakes serve` answers, as an ASGI app; its `close` ends the streams that stay open. With a
    `workspace` over the first library, it is answered below ``/work``, too, to whoever has the token or the `ticket`
    that stands for it. `crew` are the other processes that serve the same port, if there are any."""
    options.check()
    crew = crew or Crew()
    events = Events(libraries, options.limits.streams, crew.shares.count(SharedLimit.EVENTS))

    def progress(library: str, event: Event) -> None:
        events.progress(library, event)
        if desk is not None and library == desk.name:
            desk.progress(event)

    freshness = crew.freshness(libraries, options.freshness, Pool(options.limits.waiting), progress)
    desk: WorkDesk | None = None
    work: list[BaseRoute] = []
    if workspace is not None:
        from pinakes.serve.work.desk import WorkDesk
        from pinakes.serve.work.routes import routes as work_routes

        desk = WorkDesk(workspace, freshness)
        work = work_routes(desk, ticket)
    door = Door(freshness, events, Metrics(crew.name), time.monotonic(), options.limits.answer_s, crew)

    keys = token_keys(options)
    mcp = http_app(
        freshness,
        hosts=sorted(options.authorities()),
        origins=sorted(options.origins()),
        rights=ClientRights(
            lambda ctx: grant_of(_scope(ctx)),
            lambda ctx, tool: note_refusal(keys, _scope(ctx), f"/mcp {tool}"),
            has_sessions=not libraries.store_url,  # in a database, the next request may go to another server
        ),
        shares=crew.shares,
    )

    def close() -> None:
        if desk is not None:
            desk.close()
        events.close()
        freshness.close()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        events.begin()
        starting = asyncio.ensure_future(desk.start()) if desk is not None else None
        for name in libraries.open_names:
            if desk is None or name != desk.name:
                freshness.start(name)  # the first question finds an index, or at least one under way
        async with mcp.router.lifespan_context(mcp):
            yield
        close()
        if starting is not None:
            starting.cancel()

    app = FastAPI(
        title="Pinakes",
        version=version("pinakes"),
        summary="A map, a search and a checked link graph of your documentation.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses=refusals(),
        redirect_slashes=False,
        servers=[{"url": options.base_path}] if options.base_path else None,
    )
    shelf = web.PageState(freshness, options.base_path)
    tell_problems(app, partial(web.lost, shelf))
    own = routes(door)
    app.include_router(own)
    describe(app, [*(one.kind for one in (*QUESTIONS, *NOTES) if one.method == "POST"), *MANAGING], needed)
    app.router.routes.append(Route("/mcp", _Mounted("/mcp", crew.with_sessions(mcp))))
    app.router.routes.extend([*web.routes(shelf), *work])
    refuse_own(options.base_path, (one.path for one in (*own.routes, *app.router.routes) if isinstance(one, Route)))
    guard = Guard(app, options, keys, door, close)
    crew.join(door.report, guard.count_wrong_token)
    return guard
