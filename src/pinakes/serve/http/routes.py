"""The table of routes: each is one call of a library, made and written in a thread."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version

from fastapi import APIRouter, Request
from msgspec.structs import replace
from starlette.responses import Response

from pinakes.access import GRANT
from pinakes.errors import PinakesError
from pinakes.library import Library
from pinakes.library.databases import queue_of
from pinakes.render import Json, dumps, picture_svg, wire
from pinakes.serve.http import metrics as counting
from pinakes.serve.http.crew import ProcessReport
from pinakes.serve.http.endpoints import QUESTIONS, Door, add_route, request_of
from pinakes.serve.http.managing import add_managing
from pinakes.serve.http.notes import NOTES
from pinakes.serve.http.openapi import EVENTS, answers, shape, streams, takes
from pinakes.serve.http.problems import COME_BACK, problem, problem_of
from pinakes.serve.http.streams import EventStream, frame
from pinakes.serve.pool import Lane
from pinakes.serve.requests.parameters import Request as Asked
from pinakes.serve.requests.questions import MapView, SearchRequest
from pinakes.serve.requests.revision import asked_library

SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
"""A drawing may be shown, and do nothing."""


def routes(door: Door) -> APIRouter:
    """All of them, in the order of the documentation."""
    router = APIRouter(default_response_class=Response)
    _streaming(router, door)
    _mapping(router, door)
    _watching(router, door)
    add_managing(router, door)
    for endpoint in (*QUESTIONS, *NOTES):
        add_route(router, door, endpoint)
    return router


def _streaming(router: APIRouter, door: Door) -> None:
    results = shape("Results")
    streamed = streams("Three answers", words=results, fused=results, final=results, error=shape("Problem"))

    async def search_stream(request: Request) -> Response:
        """Answer in three steps: by words alone, fused with meaning, and final; a hit keeps its `ref`."""
        asked = await request_of(request, SearchRequest)
        await door.catch_up(request, asked)
        library = await door.refresh(asked)
        # The first answer is made before the stream begins, so that a question that is refused gets a status for it.
        words = await door.run(asked.library, lambda: _results(library, asked, "fast"))
        return EventStream(_steps(door, asked, words))

    for path in ("/search/stream", "/query_documents_stream"):
        extra = takes(SearchRequest, "POST")
        router.post(path, responses=streamed, openapi_extra=extra, name=f"post{path}")(search_stream)


async def _steps(door: Door, asked: SearchRequest, words: bytes) -> AsyncIterator[bytes]:
    name = asked.library
    library = door.libraries.get(name)
    profile = asked.profile or library.config.search.profile
    yield frame("words", words, "1")
    try:
        fused = words
        if profile != "fast":
            fused = await door.run(name, lambda: _results(library, asked, "balanced"))
        yield frame("fused", fused, "2")
        final = fused
        if profile not in ("fast", "balanced"):
            final = await door.run(name, lambda: _results(library, asked, profile), Lane.SLOW)
        yield frame("final", final, "3")
    except PinakesError as error:  # too late for a status
        yield frame("error", bytes(problem_of(error).body))


def _results(library: Library, asked: SearchRequest, profile: str) -> bytes:
    with asked_library(library, asked) as one:
        return dumps(wire(one.search(replace(asked.record(one), profile=profile)))).encode()


def _mapping(router: APIRouter, door: Door) -> None:
    drawn = answers(shape("Map"), about="The map; text or a drawing when asked for")
    drawn[200]["content"] |= {
        "text/plain": {"schema": {"type": "string"}},
        "image/svg+xml": {"schema": {"type": "string"}},
    }

    @router.get("/map", responses=drawn, openapi_extra=takes(MapView))
    async def show_map(request: Request) -> Response:
        """The outline of everything, of a folder or of a document, within a token budget."""
        asked = await request_of(request, MapView)
        await door.catch_up(request, asked)
        library = await door.refresh(asked)
        draw, media, headers = _DRAWINGS[asked.format or "json"]

        def drawn_now() -> str | bytes:
            with asked_library(library, asked) as one:
                return draw(one, asked)

        drawing = await door.run(asked.library, drawn_now, Lane.SLOW)
        return Response(drawing, headers=headers, media_type=media)


def _map(library: Library, asked: MapView) -> str:
    return dumps(wire(library.map(asked.part, asked.record(library), focus=asked.focus, since=asked.since)))


def _map_text(library: Library, asked: MapView) -> bytes:
    drawn = library.map_text(asked.part, asked.record(library), focus=asked.focus, since=asked.since)
    return drawn.text.encode("utf-8", "backslashreplace")


def _map_svg(library: Library, asked: MapView) -> str:
    return picture_svg(library.layout(asked.part))


_DRAWINGS: Mapping[str, tuple[Callable[[Library, MapView], str | bytes], str, dict[str, str]]] = {
    "json": (_map, "application/json", {}),
    "text": (_map_text, "text/plain", {}),
    "svg": (_map_svg, "image/svg+xml", {"Content-Security-Policy": SVG_POLICY}),
}
"""By format: how the map is drawn, its media type, further headers."""


def _watching(router: APIRouter, door: Door) -> None:
    @router.get("/status", responses=answers(shape("ServerStatus")), openapi_extra=takes(Asked))
    async def status(request: Request) -> Response:
        """What is indexed, what failed and why, and how the server stands. Nothing is brought up to date first."""
        asked = await request_of(request, Asked)
        own = door.libraries.name_or_default(asked.library)
        library = door.libraries.get(own)
        if not library.is_indexed:
            return problem(
                503, f"The index of {own} is being made.", "/events tells how far it is.", headers={"Retry-After": "1"}
            )
        await door.freshness.look()
        found, passages = await door.run(own, lambda: (wire(library.status()), library.corpus().passages))
        return _json(dumps(_server_status(door, own, found, passages, await door.reports())).encode())

    @router.get("/health", responses=answers(shape("Health")))
    async def health() -> Response:
        """Whether the server answers."""
        return _json(b'{"status":"ok"}')

    @router.get("/ready", responses=answers(shape("Ready")))
    async def ready() -> Response:
        """Whether questions can be answered."""
        if trouble := await door.freshness.pool.run(door.libraries.why_not_ready):
            return problem(503, trouble, "/health says that the server answers.", headers=COME_BACK)
        return _json(b'{"status":"ready"}')

    @router.get("/events", responses=streams("Events until you go", **EVENTS))
    async def events() -> Response:
        """What changes, as it does: hello, progress, changed, lost."""
        return door.events.listen(lambda: {"libraries": [wire(name) for name in door.libraries.names]})

    @router.get("/metrics", responses=answers({"type": "string"}, "text/plain", "For Prometheus"))
    async def metrics() -> Response:
        """What the server counted."""
        queue = await door.freshness.pool.run(partial(queue_of, door.libraries.store_url))
        shared = "\n".join(counting.gauge_lines(counting.queue_gauges(queue)) if queue else [])
        text = counting.merged([*(one.metrics for one in await door.reports()), shared])
        text = counting.visible(text, GRANT.get().sees)  # other processes count for everybody
        return Response(text.encode("utf-8", "backslashreplace"), headers={"Content-Type": counting.MEDIA})


def _server_status(door: Door, own: str, status: Json, passages: int, processes: Sequence[ProcessReport]) -> Json:
    assert isinstance(status, dict)
    counts = status["counts"]
    assert isinstance(counts, dict)
    return {
        **status,
        "library": wire(own),
        "libraries": [wire(name) for name in door.libraries.names],
        "passages": passages,
        "queue": {
            "is_syncing": door.freshness.is_refreshing(own),
            "requests": sum(one.waiting for one in processes),
            "links": counts["pending_links"],
            "keywords": counts["pending_keywords"],
        },
        "is_watched": door.libraries.is_watched(own),
        "watch_notes": [wire(note) for note in door.libraries.notes(own)],
        "streams": sum(one.streams for one in processes),
        "memory_bytes": sum(one.memory_bytes for one in processes),
        "uptime_s": round(time.monotonic() - door.started, 1),
        "version": version("pinakes"),
    }


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")
