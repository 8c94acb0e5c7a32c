"""Routes that are one call of a library: an HTTP request enters, is read by the table of requests, and a record leaves
as JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import APIRouter
from pydantic_core import from_json
from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from pinakes.errors import BadAddress, NotFound
from pinakes.library import Library
from pinakes.render import dumps, wire
from pinakes.serve.http.openapi import PROBLEM, Described, Responses, answers, list_of, shape, takes
from pinakes.serve.http.problems import NotJson
from pinakes.serve.pool import Lane
from pinakes.serve.requests.parameters import BadParameter, Doors, Request, parse
from pinakes.serve.requests.questions import (
    CheckRequest,
    FilesRequest,
    HistoryRequest,
    LinksRequest,
    ReadRequest,
    SearchRequest,
    addresses,
    corpora,
)

if TYPE_CHECKING:
    from pinakes.serve.http.routes import Door

R = TypeVar("R", bound=Request)


async def request_of(http: HttpRequest, kind: type[R]) -> R:
    """What a client asks; raises `BadParameter`, and `NotJson` for a body that is none.

    A body is read strictly, by JSON's own types. A POST may name the library in its body or in its address.
    """
    if http.method != "POST":
        given = {name: http.query_params.getlist(name) for name in http.query_params}
        return parse(kind, given, Doors.HTTP, is_text=True)
    try:
        body = from_json(await http.body(), allow_inf_nan=False)
    except ValueError as error:
        raise NotJson("The body is not JSON.", "/openapi.json says what this route takes.") from error
    if not isinstance(body, dict):
        raise BadParameter("The body is not a JSON object.", "/openapi.json says what this route takes.")
    request = parse(kind, body, Doors.HTTP)
    return request if request.library else replace(request, library=http.query_params.get("library", ""))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A route that is one call of a library."""

    path: str
    kind: type[Request]
    call: Callable[[Library, Any], object]
    """A library and the request enter, a record leaves."""
    gives: Described
    """The shape of the record."""
    about: str
    method: str = "POST"
    lane: Lane = Lane.QUICK
    needs_index: bool = False
    """Whether the documents are brought up to date first; else the route answers without any index of them."""


def ask(library: Library, request: Any) -> object:
    """The answer to a request that knows how it is put to a library."""
    return request.ask(library)


def _search(library: Library, request: SearchRequest) -> object:
    return library.search(request.record(library))


_SEARCH = "Find the passages that answer a question."
QUESTIONS = (
    *(
        Endpoint(path, SearchRequest, _search, shape("Results"), _SEARCH, method, needs_index=True)
        for path, method in (("/search", "GET"), ("/search", "POST"), ("/query_documents", "POST"))
    ),
    Endpoint(
        "/history",
        HistoryRequest,
        ask,
        shape("Results"),
        "Commits that answer a question; without one the newest that pass the filters.",
        needs_index=True,
    ),
    Endpoint(
        "/read",
        ReadRequest,
        lambda library, request: library.read(request.address),
        shape("Passage"),
        "A document, a section or lines, verbatim.",
        "GET",
        needs_index=True,
    ),
    Endpoint(
        "/links",
        LinksRequest,
        lambda library, request: library.links(request.address),
        shape("Connections"),
        "What a document or section points at and what points at it.",
        "GET",
        needs_index=True,
    ),
    Endpoint(
        "/check",
        CheckRequest,
        ask,
        list_of("Finding"),
        "Broken links and anchors, loose ends, orphans, contradictions, by path and line.",
        "GET",
        Lane.SLOW,
        needs_index=True,
    ),
    Endpoint(
        "/files",
        FilesRequest,
        lambda library, request: library.files(request.path),
        list_of("FileStatus"),
        "Each file's state and the reason for it: of those named, or of all.",
        "GET",
        Lane.SLOW,
        needs_index=True,
    ),
)


def add_route(router: APIRouter, door: Door, one: Endpoint) -> None:
    """Have a router answer an endpoint, and OpenAPI describe it."""

    async def handle(request: HttpRequest) -> Response:
        asked = await request_of(request, one.kind)
        if one.needs_index:
            named = {"corpora": corpora(asked), "addresses": addresses(asked)}
            return await door.answer(asked, lambda library: one.call(library, asked), one.lane, **named)
        library = door.libraries.get(asked.library)
        # A note that points at documents is to see them as they are now; it does not wait for the first index.
        if getattr(asked, "points", False) and library.is_indexed:
            await door.refresh(asked)

        def written() -> bytes:
            try:
                return dumps(wire(one.call(library, asked))).encode()
            except BadAddress as odd:  # a name that nothing can have is one that nothing has
                raise NotFound(odd.problem, odd.next_step) from odd

        return Response(await door.run(asked.library, written, one.lane), media_type="application/json")

    unreachable: Responses = {502: {"description": "The address does not answer as it should", "content": PROBLEM}}
    router.add_api_route(
        one.path,
        handle,
        methods=[one.method],
        responses=answers(one.gives) | (unreachable if one.path == "/add" else {}),
        openapi_extra=takes(one.kind, one.method),
        description=one.about,
        name=f"{one.method.lower()}{one.path}",
    )
