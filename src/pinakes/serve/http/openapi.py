"""What `/openapi.json` says besides what the routes' signatures say: the shapes of answers, streams and refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from fastapi import FastAPI
from msgspec.structs import replace

from pinakes.access import TokenScope
from pinakes.render import Json
from pinakes.render.schema import COUNT, TEXT, closed, many, schemas
from pinakes.serve.http.problems import MEDIA
from pinakes.serve.requests.parameters import Doors, Request, object_schema, parameters, schema

PLACE = "#/components/schemas/"
Described = dict[str, Any]
"""A part of an OpenAPI document; its own type in FastAPI is this, too."""
Responses = dict[int | str, dict[str, Any]]

REFUSALS = {
    400: "Cannot be read",
    401: "The token is missing, wrong, expired or revoked",
    403: "The token does not reach so far, the request is from another site, or nothing that may be fetched or added",
    404: "Not there",
    409: "Cannot be kept as it was given, or not changed like that",
    413: "Too large",
    414: "The address is too long",
    415: "Not application/json",
    421: "For another server",
    422: "Not what this route takes",
    431: "The headers are too many or too long",
    503: "Too busy, or the index cannot be used; come back later",
}


def shape(name: str) -> Described:
    """A reference to a shape by its name."""
    return {"$ref": f"{PLACE}{name}"}


def list_of(name: str) -> Described:
    """A list of a shape by its name."""
    return {"type": "array", "items": shape(name)}


EVENTS = {name.lower(): shape(name) for name in ("Hello", "Progress", "Changed", "Lost")}
"""What `/events` tells, by kind."""
PROBLEM: Described = {MEDIA: {"schema": shape("Problem")}}
"""The content of a refusal."""


def answers(schema: Described, media: str = "application/json", about: str = "The answer") -> Responses:
    """The responses of a route that answers with this shape."""
    return {200: {"description": about, "content": {media: {"schema": schema}}}}


def streams(about: str, **kinds: Described) -> Responses:
    """The responses of a route that answers with a stream of events, each kind with the shape of its data."""
    events = [
        {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "event": {"const": kind},
                "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": schema},
            },
            "required": ["event", "data"],
        }
        for kind, schema in kinds.items()
    ]
    return answers({"oneOf": events}, "text/event-stream", about)


def refusals() -> Responses:
    """The responses every route may give."""
    return {status: {"description": about, "content": PROBLEM} for status, about in REFUSALS.items()}


def takes(kind: type[Request], method: str = "GET") -> Described:
    """What a route takes: the rows of a request in its address, or in a body that may leave the library to the
    address."""
    rows = parameters(kind if method == "GET" else Request, Doors.HTTP).values()
    named = [
        {
            "name": one.name,
            "in": "query",
            "required": one.is_required or one.name in kind.one_of[:1],
            "schema": schema(
                replace(one, is_optional=False, is_required=one.is_required or one.name in kind.one_of[:1]), Doors.HTTP
            ),
        }
        for one in rows
    ]
    if method == "GET":
        return {"parameters": named}
    body = {"required": True, "content": {"application/json": {"schema": shape(kind.__name__)}}}
    return {"parameters": named, "requestBody": body}


def describe(app: FastAPI, bodies: Iterable[type[Request]], needed: Callable[[str, str], TokenScope | None]) -> None:
    """Have an app's OpenAPI document hold the shapes its routes refer to, those of request bodies among them, and what
    a token must allow for each route, which `needed` says."""
    plain = app.openapi

    @cache
    def openapi() -> Described:
        described = plain()
        described["components"] = {"schemas": _components(bodies)} | (
            {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}
        )
        described["security"] = [{}, {"token": []}]
        for path, methods in described["paths"].items():
            for method, operation in methods.items():
                scope = needed(method.upper(), path)
                operation["security"] = [{}, {"token": [scope.value]}] if scope is not None else []
        return described

    app.openapi = openapi  # type: ignore[method-assign]


def _components(bodies: Iterable[type[Request]]) -> dict[str, Json]:
    records = schemas(PLACE)
    return {
        **records,
        **{body.__name__: object_schema(body, Doors.HTTP) for body in bodies},
        "ServerStatus": closed(
            {
                **_properties(records["Status"]),
                "library": TEXT,
                "libraries": many(TEXT),
                "passages": {"anyOf": [COUNT, {"type": "null"}], "description": "null until the first search"},
                "queue": closed(
                    {"is_syncing": {"type": "boolean"}, "requests": COUNT, "links": COUNT, "keywords": COUNT}
                ),
                "is_watched": {"type": "boolean"},
                "watch_notes": many(TEXT),
                "streams": COUNT,
                "memory_bytes": COUNT,
                "uptime_s": {"type": "number"},
                "version": TEXT,
            },
            about="What is indexed, what failed, and how the server stands.",
        ),
        "Hello": closed({"libraries": many(TEXT)}, about="The first event of a stream."),
        "Progress": closed({"library": TEXT, **_properties(records["Event"])}, about="How far an index is."),
        "Changed": closed(
            {"library": TEXT, "generation": COUNT, "paths": many(TEXT)}, about="Documents that came, changed or went."
        ),
        "Lost": closed({"events": COUNT}, about="How many events were left out, because they were not read in time."),
        "Ready": closed({"status": {"type": "string", "enum": ["ready"]}}),
        "Health": closed({"status": {"type": "string", "enum": ["ok"]}}),
        "Problem": closed(
            {"type": TEXT, "title": TEXT, "status": COUNT, "detail": TEXT, "next_step": TEXT},
            optional=("next_step",),
            about="Why there is no answer, and what to do.",
        ),
    }


def _properties(record: Json) -> dict[str, Json]:
    assert isinstance(record, dict)
    properties = record["properties"]
    assert isinstance(properties, dict)
    return properties
