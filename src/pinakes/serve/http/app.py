"""The app: routes, MCP and the page behind one guard."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pinakes.serve import web
from pinakes.serve.freshness import Freshness
from pinakes.serve.http.endpoints import QUESTIONS, Door
from pinakes.serve.http.guard import Guard
from pinakes.serve.http.metrics import Metrics
from pinakes.serve.http.notes import NOTES
from pinakes.serve.http.openapi import describe, refusals
from pinakes.serve.http.options import ServeOptions
from pinakes.serve.http.problems import tell_problems
from pinakes.serve.http.routes import routes
from pinakes.serve.http.streams import Events
from pinakes.serve.http.token_check import may_write
from pinakes.serve.libraries import Libraries
from pinakes.serve.mcp.http import http_app
from pinakes.serve.pool import Pool


class _Mounted:
    """Another app at one address; a `Mount` would answer only with a slash behind it, and redirect without."""

    def __init__(self, path: str, app: ASGIApp) -> None:
        self._path = path
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        inside = {**scope, "path": f"{self._path}/", "root_path": self._path}
        await self._app(inside, receive, send)


def create_app(libraries: Libraries, options: ServeOptions) -> Guard:
    """Everything `pinakes serve` answers, as an ASGI app; its `close` ends the streams that stay open."""
    options.check()
    events = Events(libraries, options.limits.streams)
    freshness = Freshness(libraries, options.freshness, Pool(options.limits.waiting), events.progress)
    door = Door(freshness, events, Metrics(), time.monotonic(), options.limits.answer_s)

    mcp = http_app(
        freshness,
        hosts=sorted(options.authorities()),
        origins=sorted(options.origins()),
        may_write=lambda ctx: isinstance(ctx.request, Request) and may_write(ctx.request.scope),
    )

    def close() -> None:
        events.close()
        freshness.close()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        events.begin()
        for name in libraries.names:
            freshness.start(name)  # the first question finds an index, or at least one under way
        async with mcp.router.lifespan_context(mcp):
            yield
        close()

    app = FastAPI(
        title="Pinakes",
        version=version("pinakes"),
        summary="A map, a search and a checked link graph of your documentation.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses=refusals(),
        redirect_slashes=False,
    )
    tell_problems(app)
    app.include_router(routes(door))
    describe(app, [one.kind for one in (*QUESTIONS, *NOTES) if one.method == "POST"])
    app.router.routes.append(Route("/mcp", _Mounted("/mcp", mcp)))
    app.router.routes.extend(web.routes(freshness))
    return Guard(app, options, door.metrics, close)
