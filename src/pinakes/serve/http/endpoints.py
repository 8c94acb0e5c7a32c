"""Routes that are one call of a library: an HTTP request enters, is read by the table of requests, and a record leaves
as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from fastapi import APIRouter
from msgspec import Struct
from msgspec.structs import replace
from pydantic_core import from_json
from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from pinakes.access import TokenScope
from pinakes.errors import BadAddress, NotFound, PinakesError
from pinakes.library import Library
from pinakes.library.everywhere import EVERY, Opener, library_in, search_libraries
from pinakes.processors import resident_bytes
from pinakes.records import Results
from pinakes.render import dumps, wire
from pinakes.serve.freshness import Freshness
from pinakes.serve.http.crew import Crew, ProcessReport
from pinakes.serve.http.metrics import Metrics, label
from pinakes.serve.http.openapi import PROBLEM, Described, Responses, answers, list_of, shape, takes
from pinakes.serve.http.problems import NotJson
from pinakes.serve.http.streams import Events
from pinakes.serve.libraries import Libraries
from pinakes.serve.pool import Lane
from pinakes.serve.requests.context import ContextRequest
from pinakes.serve.requests.corpora import addresses, corpora
from pinakes.serve.requests.notes import speaks_of_documents
from pinakes.serve.requests.parameters import BadParameter, Doors, Request, parse
from pinakes.serve.requests.questions import (
    CheckRequest,
    HistoryRequest,
    LinksRequest,
    ReadRequest,
    SearchRequest,
)
from pinakes.serve.requests.revision import asked_library, is_past
from pinakes.serve.requests.status import FilesRequest

SEEN = "Pinakes-Seen"
"""The header by which a client says how far it has seen a library."""
_LONGEST = 15
R = TypeVar("R", bound=Request)
T = TypeVar("T")


class Door(Struct, frozen=True):
    """What the routes work with."""

    freshness: Freshness
    events: Events
    metrics: Metrics
    started: float
    answer_s: float
    """How long an answer may take."""
    crew: Crew

    @property
    def libraries(self) -> Libraries:
        return self.freshness.libraries

    async def report(self) -> ProcessReport:
        """What this process counted, and how it is now."""
        streams, waiting = self.events.slots.taken, self.freshness.pool.waiting
        gauges: dict[str, float] = {"pinakes_requests_waiting": waiting, "pinakes_event_streams": streams}
        for name in self.libraries.open_names:
            library = self.libraries.get(name)
            gauges[f'pinakes_generation{{library="{label(name)}"}}'] = await self.run(
                name, partial(_generation, library)
            )
        return ProcessReport(resident_bytes(), streams, waiting, self.metrics.text(gauges))

    async def reports(self) -> Sequence[ProcessReport]:
        """What every process of this server says of itself."""
        return await self.crew.reports(await self.report())

    async def refresh(self, request: Request) -> Library:
        """The library that is asked, brought up to date with the corpora that the request names or its addresses lie
        in."""
        return (await self.noted(request))[0]

    async def noted(self, request: Request) -> tuple[Library, list[str]]:
        """As `refresh`, and what the answer should say."""
        if is_past(request):
            return self.libraries.get(request.library), []
        note = await self.freshness.refresh(
            request.library, corpora(request), addresses(request), first_s=self.answer_s
        )
        return self.libraries.get(request.library), [note] if note else []

    async def catch_up(self, http: HttpRequest, request: Request) -> None:
        """Have the library be read as far as the client says that it has seen it."""
        if seen := _seen(http):
            await self.run(request.library, partial(self.libraries.get(request.library).catch_up, seen))

    async def run(
        self,
        name: str,
        call: Callable[[], T],
        lane: Lane = Lane.QUICK,
        notes: list[str] | None = None,
        *,
        is_repeatable: bool = True,
    ) -> T:
        """The result of a call of that library, made in a thread; an index that turns out to be damaged is rebuilt,
        `notes` says so, and a call that is repeatable is made once more."""
        return await self.freshness.answer(
            name, call, lane, deadline_s=self.answer_s, notes=notes, is_repeatable=is_repeatable
        )


def _generation(library: Library) -> int:
    return library.generation


async def _search_everywhere(door: Door, request: SearchRequest) -> bytes:
    """What all libraries answer. One that cannot be brought up to date, or fails, is named among what is missing."""
    notes: list[str] = []
    openers: dict[str, Opener] = {}
    for name in door.libraries.names:
        own = request.changed(library=name)
        try:
            library, told = await door.noted(own)
            notes += [f"{name}: {note}" for note in told]
            openers[name] = partial(asked_library, library, own)
        except (PinakesError, OSError) as trouble:
            openers[name] = partial(_failing, trouble)

    def answer() -> bytes:
        found = search_libraries(openers, request.record)
        return dumps(wire(replace(found, missing=(*found.missing, *notes)))).encode()

    return await door.freshness.pool.run(answer, deadline_s=door.answer_s)


@contextmanager
def _failing(trouble: Exception) -> Iterator[Library]:
    raise trouble
    yield


async def request_of(http: HttpRequest, kind: type[R]) -> R:
    """What a client asks; raises `BadParameter`, and `NotJson` for a body that is none.

    A body is read strictly, by JSON's own types. A POST may name the library in its body or in its address.
    """
    if http.method != "POST":
        given: dict[str, list[str]] = {}
        for name, value in http.query_params.multi_items():
            given.setdefault(name, []).append(value)
        return parse(kind, given, Doors.HTTP, is_text=True)
    try:
        body = from_json(await http.body(), allow_inf_nan=False)
    except ValueError as error:
        raise NotJson("The body is not JSON.", "/openapi.json says what this route takes.") from error
    if not isinstance(body, dict):
        raise BadParameter("The body is not a JSON object.", "/openapi.json says what this route takes.")
    request = parse(kind, body, Doors.HTTP)
    return request if request.library else request.changed(library=http.query_params.get("library", ""))


class Endpoint(Struct, frozen=True):
    """A route that is one call of a library."""

    path: str
    kind: type[Request]
    gives: Described
    """The shape of the record."""
    method: str = "POST"
    call: Callable[[Library, Any], object] = lambda library, request: request.run(library)
    """A library and the request enter, a record leaves; by default the request itself knows how it is asked."""
    lane: Lane = Lane.QUICK
    needs_index: bool = False
    """Whether the documents are brought up to date first; else the route answers without any index of them."""
    about: str = ""
    """What the route does, where that is not what the request says of itself."""


_QUESTION = partial(Endpoint, needs_index=True)
QUESTIONS = (
    *(
        _QUESTION(
            path,
            SearchRequest,
            shape("Results"),
            method,
            lambda library, request: library.search(request.record(library)),
        )
        for path, method in (("/search", "GET"), ("/search", "POST"), ("/query_documents", "POST"))
    ),
    _QUESTION("/history", HistoryRequest, shape("Results")),
    _QUESTION("/read", ReadRequest, shape("Passage"), "GET", lambda library, request: library.read(request.address)),
    _QUESTION(
        "/links", LinksRequest, shape("Connections"), "GET", lambda library, request: library.links(request.address)
    ),
    _QUESTION("/check", CheckRequest, list_of("Finding"), "GET", lane=Lane.SLOW),
    _QUESTION(
        "/context",
        ContextRequest,
        shape("Context"),
        "GET",
        lambda library, request: request.answer(library),
        lane=Lane.SLOW,
    ),
    _QUESTION(
        "/files",
        FilesRequest,
        list_of("FileStatus"),
        "GET",
        lambda library, request: library.files(request.path),
        lane=Lane.SLOW,
    ),
)


def _seen(http: HttpRequest) -> int:
    """The generation of the documents that the client has seen, by another server perhaps; 0 where it says none."""
    text = http.headers.get(SEEN, "")
    if text and not (text.isascii() and text.isdigit() and len(text) <= _LONGEST):
        raise BadParameter(f"The header {SEEN} is a generation, a whole number.", "/status and /events tell it.")
    return int(text or 0)


def add_route(router: APIRouter, door: Door, one: Endpoint) -> None:
    """Have a router answer an endpoint, and OpenAPI describe it."""

    async def handle(http: HttpRequest) -> Response:
        request = await request_of(http, one.kind)
        if request.library == EVERY and isinstance(request, SearchRequest):
            return Response(await _search_everywhere(door, request), media_type="application/json")
        if request.library == EVERY and isinstance(request, ReadRequest | LinksRequest):
            name, address = library_in(door.libraries.names, request.address)
            request = request.changed(library=name, address=address)
        library = door.libraries.get(request.library)
        await door.catch_up(http, request)
        notes: list[str] = []
        # A note that points at documents is to see them as they are now; it does not wait for the first index.
        if one.needs_index or (speaks_of_documents(request) and library.is_indexed):
            library, notes = await door.noted(request)

        def answer() -> bytes:
            try:
                with asked_library(library, request) as asked:
                    found = one.call(asked, request)
                if isinstance(found, Results):
                    found = replace(found, missing=(*found.missing, *notes))
                return dumps(wire(found)).encode()
            except BadAddress as odd:
                if one.needs_index:
                    raise
                # The id of a note that nothing can have is one that nothing has.
                raise NotFound(odd.problem, odd.next_step) from odd

        reads = one.method == "GET" or one.kind.needs is TokenScope.READ
        body = await door.run(request.library, answer, one.lane, notes, is_repeatable=reads)
        return Response(body, media_type="application/json")

    unreachable: Responses = {502: {"description": "The address does not answer as it should", "content": PROBLEM}}
    router.add_api_route(
        one.path,
        handle,
        methods=[one.method],
        responses=answers(one.gives) | (unreachable if one.path == "/add" else {}),
        openapi_extra=takes(one.kind, one.method),
        description=one.about or (one.kind.__doc__ or "").partition("\n")[0],
        name=f"{one.method.lower()}{one.path}",
    )
