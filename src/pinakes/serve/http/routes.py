"""The table of routes: each is one call of a library.

Parameters enter checked (`questions`); the call and the writing of its record as JSON happen in a thread (`work`).
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from pinakes.errors import PinakesError, StoreDamaged
from pinakes.library import Library
from pinakes.records import HISTORY
from pinakes.records import Query as Question
from pinakes.render import Json, dumps, wire
from pinakes.serve.beside import FirstReading, beside, bring
from pinakes.serve.http import metrics as counting
from pinakes.serve.http.bodies import body_of
from pinakes.serve.http.living import keeping
from pinakes.serve.http.openapi import EVENTS, answers, shape, streams, takes
from pinakes.serve.http.problems import Overloaded, problem, problem_of
from pinakes.serve.http.questions import Asked, AskedAddress, AskedFiles, AskedMap, AskedPart, Name, Search
from pinakes.serve.http.streams import Events, EventStream, frame
from pinakes.serve.http.work import Lane, Work
from pinakes.serve.libraries import Libraries

READING_S = 5.0
"""How long the first reading of commits is waited for."""
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
"""A drawing may be shown, and do nothing."""


@dataclass(frozen=True, slots=True)
class Door:
    """What the routes work with."""

    libraries: Libraries
    work: Work
    events: Events
    metrics: counting.Metrics
    started: float
    first: FirstReading
    """Of commits."""

    async def ready(self, asked: Asked, corpora: Sequence[str] = (), addresses: Sequence[str] = ()) -> None:
        """Have the commits read if they are about to be asked; raises `Overloaded` while that takes long."""
        own = self.work.full_name(asked.library)
        library = self.libraries.get(own)
        if HISTORY not in beside(library, corpora, addresses):
            return
        if await self.work.run(lambda: library.corpus(HISTORY).generation):
            return
        if not await self.work.run(lambda: self.first.is_through(own, library, READING_S), Lane.SLOW):
            raise Overloaded("The commits are being read for the first time.", "/events tells how far it is.")

    async def answer(self, asked: Asked, call: Callable[[Library], object], lane: Lane = Lane.QUICK) -> Response:
        """A library's record as JSON, from an index that agrees with its folder."""
        return _json(await self.told(asked, call, lane))

    async def told(self, asked: Asked, call: Callable[[Library], object], lane: Lane = Lane.QUICK) -> bytes:
        """The same as bytes."""
        own = await self.work.fresh(asked.library)
        library = self.libraries.get(own)
        try:
            return await self.work.run(lambda: dumps(wire(call(library))).encode(), lane)
        except StoreDamaged:
            self.work.mend(own)
            raise


def routes(door: Door) -> APIRouter:
    """All of them, in the order of the documentation."""
    router = APIRouter(default_response_class=Response)
    _searching(router, door)
    _reading(router, door)
    _watching(router, door)
    keeping(router, door)
    return router


def _searching(router: APIRouter, door: Door) -> None:
    found = answers(shape("Results"), about="Ranked hits with their reasons")
    results = shape("Results")
    streamed = streams("Three answers", words=results, fused=results, final=results, error=shape("Problem"))

    async def search(request: Request, library: Name = "") -> Response:
        """Find the passages that answer a question."""
        asked = await body_of(request, Search, library)
        await door.ready(asked, asked.corpus)
        return await door.answer(asked, lambda library: _found(library, asked))

    async def search_stream(request: Request, library: Name = "") -> Response:
        """The same, told in three steps: by words alone, fused with meaning, and final; a hit keeps its `ref`."""
        asked = await body_of(request, Search, library)
        await door.ready(asked, asked.corpus)
        held = door.libraries.get(await door.work.fresh(asked.library))
        question = await door.work.run(lambda: asked.record(held))
        await door.work.run(lambda: bring(held, question.where.corpora))
        # The first answer is made before the stream begins, so that a question that is refused gets a status for it.
        words = await door.work.run(lambda: _told(held, question, "fast"))
        return EventStream(_steps(door, held, question, words))

    @router.get("/search", responses=found)
    async def search_by_address(asked: Annotated[Search, Query()]) -> Response:
        """Find the passages that answer a question."""
        await door.ready(asked, asked.corpus)
        return await door.answer(asked, lambda library: _found(library, asked))

    for path in ("/search", "/query_documents"):
        router.post(path, responses=found, openapi_extra=takes("Search"), name=f"post{path}")(search)
    for path in ("/search/stream", "/query_documents_stream"):
        router.post(path, responses=streamed, openapi_extra=takes("Search"), name=f"post{path}")(search_stream)


async def _steps(door: Door, library: Library, question: Question, words: bytes) -> AsyncIterator[bytes]:
    yield frame("words", words, "1")
    try:
        fused = words
        if question.profile != "fast":
            fused = await door.work.run(lambda: _told(library, question, "balanced"))
        yield frame("fused", fused, "2")
        final = fused
        if question.profile not in ("fast", "balanced"):
            final = await door.work.run(lambda: _told(library, question, question.profile), Lane.SLOW)
        yield frame("final", final, "3")
    except PinakesError as error:  # too late for a status
        yield frame("error", bytes(problem_of(error).body))


def _told(library: Library, question: Question, profile: str) -> bytes:
    return dumps(wire(library.search(replace(question, profile=profile)))).encode()


def _found(library: Library, asked: Search) -> object:
    question = asked.record(library)
    bring(library, question.where.corpora)
    return library.search(question)


def _reading(router: APIRouter, door: Door) -> None:
    drawn = answers(shape("Map"), about="The map; text or a drawing when asked for")
    drawn[200]["content"] |= {
        "text/plain": {"schema": {"type": "string"}},
        "image/svg+xml": {"schema": {"type": "string"}},
    }

    @router.get("/map", responses=drawn)
    async def show_map(asked: Annotated[AskedMap, Query()]) -> Response:
        """The outline of everything, of a folder or of a document, within a token budget."""
        if asked.format == "json":
            return await door.answer(asked, lambda library: _map(library, asked), Lane.SLOW)
        library = door.libraries.get(await door.work.fresh(asked.library))
        if asked.format == "svg":
            svg = await door.work.run(lambda: library.picture(asked.under), Lane.SLOW)
            return Response(svg, headers={"Content-Security-Policy": SVG_POLICY}, media_type="image/svg+xml")
        text = await door.work.run(lambda: _map_text(library, asked), Lane.SLOW)
        return Response(text, media_type="text/plain")

    @router.get("/read", responses=answers(shape("Passage"), about="A verbatim slice"))
    async def read(asked: Annotated[AskedAddress, Query()]) -> Response:
        """A document, a section or lines, verbatim."""
        await door.ready(asked, addresses=(asked.address,))
        return await door.answer(asked, lambda library: _addressed(library, asked).read(asked.address))

    @router.get("/links", responses=answers(shape("Connections"), about="Links in both directions"))
    async def links(asked: Annotated[AskedAddress, Query()]) -> Response:
        """What a document or section points at and what points at it."""
        await door.ready(asked, addresses=(asked.address,))
        return await door.answer(asked, lambda library: _addressed(library, asked).links(asked.address))

    listed = {"type": "array", "items": shape("Finding")}

    @router.get("/check", responses=answers(listed, about="What is wrong, by path and line"))
    async def check(asked: Annotated[AskedPart, Query()]) -> Response:
        """Broken links and anchors, loose ends, orphans, contradictions."""
        return await door.answer(asked, lambda library: library.check(asked.under), Lane.SLOW)


def _addressed(library: Library, asked: AskedAddress) -> Library:
    """The library, with what an address names brought up to date."""
    bring(library, addresses=(asked.address,))
    return library


def _map(library: Library, asked: AskedMap) -> object:
    return library.map(asked.under, asked.record(library), focus=asked.focus, since=asked.since)


def _map_text(library: Library, asked: AskedMap) -> bytes:
    drawn = library.map_text(asked.under, asked.record(library), focus=asked.focus, since=asked.since)
    return drawn.text.encode("utf-8", "backslashreplace")


def _watching(router: APIRouter, door: Door) -> None:
    @router.get("/status", responses=answers(shape("ServerStatus")))
    async def status(asked: Annotated[Asked, Query()]) -> Response:
        """What is indexed, what failed and why, and how the server stands. Nothing is brought up to date first."""
        own = door.work.full_name(asked.library)
        library = door.libraries.get(own)
        if not library.is_indexed:
            return problem(
                503, f"The index of {own} is being made.", "/events tells how far it is.", headers={"Retry-After": "1"}
            )
        told = await door.work.run(lambda: (wire(library.status()), library.passages))
        return _json(dumps(_server_status(door, own, *told)).encode())

    listed = {"type": "array", "items": shape("FileStatus")}

    @router.get("/files", responses=answers(listed, about="Each file, its state and the reason for it"))
    async def files(asked: Annotated[AskedFiles, Query()]) -> Response:
        """Each file's state and the reason for it: of those named, or of all."""
        return await door.answer(asked, lambda library: library.files(asked.path), Lane.SLOW)

    @router.get("/health", responses=answers(shape("Health")))
    async def health() -> Response:
        """Whether the server answers."""
        return _json(b'{"status":"ok"}')

    @router.get("/events", responses=streams("Events until you go", **EVENTS))
    async def events() -> Response:
        """What changes, as it does: hello, progress, changed, lost."""
        return door.events.listen(lambda: {"libraries": [wire(name) for name in door.libraries.names]})

    @router.get("/metrics", responses=answers({"type": "string"}, "text/plain", "For Prometheus"))
    async def metrics() -> Response:
        """What the server counted."""
        gauges: dict[str, float] = {
            "pinakes_requests_waiting": door.work.waiting,
            "pinakes_event_streams": door.events.open,
        }
        for name in door.libraries.names:
            library = door.libraries.get(name)
            generation = await door.work.run(lambda library=library: library.generation)  # type: ignore[misc]
            label = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            gauges[f'pinakes_generation{{library="{label}"}}'] = generation
        text = door.metrics.text(gauges)
        return Response(text.encode("utf-8", "backslashreplace"), headers={"Content-Type": counting.MEDIA})


def _server_status(door: Door, own: str, status: Json, passages: int) -> Json:
    assert isinstance(status, dict)
    counts = status["counts"]
    assert isinstance(counts, dict)
    return {
        **status,
        "library": wire(own),
        "libraries": [wire(name) for name in door.libraries.names],
        "passages": passages,
        "queue": {
            "is_syncing": door.work.is_comparing(own),
            "requests": door.work.waiting,
            "links": counts["pending_links"],
            "keywords": counts["pending_keywords"],
        },
        "is_watched": door.libraries.is_watched(own),
        "watch_notes": [wire(note) for note in door.libraries.notes(own)],
        "streams": door.events.open,
        "memory_bytes": counting.memory_bytes(),
        "uptime_s": round(time.monotonic() - door.started, 1),
        "version": version("pinakes"),
    }


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")
