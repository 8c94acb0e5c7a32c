"""Refusals and failures as problem details (RFC 9457): one table from the library's errors to statuses.

An error enters, a body with a title, a sentence and the next step leaves. What went wrong inside is never told to a
client; nothing it sent is repeated, except in the library's own sentences.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pinakes.errors import (
    BadAddress,
    BadCommit,
    BadEdit,
    BadMemory,
    ConfigError,
    ConversationBusy,
    ConversationError,
    EditConflict,
    ExtraMissing,
    ModelFailed,
    NotFound,
    PinakesError,
    Refused,
    StoreError,
    Unfit,
    Unreachable,
    Unreadable,
)
from pinakes.render import Json, dumps, wire
from pinakes.serve.pool import Overloaded
from pinakes.serve.requests.parameters import BadParameter

MEDIA = "application/problem+json"
LostPage = Callable[[Request], Awaitable[Response | None]]
"""A page for an address of no route; None where the client is no browser."""


class NotJson(PinakesError):
    """A body that is not JSON."""


STATUSES: Mapping[type[PinakesError], int] = {
    BadAddress: 400,
    BadMemory: 409,
    BadParameter: 422,
    NotJson: 400,
    ConfigError: 400,
    NotFound: 404,
    Refused: 403,
    Unfit: 409,
    Unreachable: 502,
    Unreadable: 404,
    ExtraMissing: 501,
    ModelFailed: 503,
    ConversationError: 502,
    ConversationBusy: 409,
    BadEdit: 422,
    EditConflict: 409,
    BadCommit: 409,
    StoreError: 503,
}
"""The nearest ancestor of an error decides."""
COME_BACK = {"Retry-After": "2"}
NEXT_STEP = "Where the server runs, pinakes doctor says more."
"""For trouble that says nothing itself."""


def problem(status: int, detail: str, next_step: str = "", *, headers: Mapping[str, str] | None = None) -> Response:
    """A refusal as a response."""
    body: dict[str, Json] = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    body["detail"] = wire(detail)
    if next_step:
        body["next_step"] = wire(next_step)
    return Response(dumps(body), status, headers, MEDIA)


def problem_of(error: PinakesError) -> Response:
    """A library's error as a response."""
    status = status_of(error)
    if status != 503:
        return problem(status, error.problem, error.next_step)
    return problem(status, error.problem, error.next_step or NEXT_STEP, headers=COME_BACK)


def status_of(error: PinakesError) -> int:
    """The status that says what a library's error means to a client."""
    if isinstance(error, Overloaded):
        return 503
    return next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), 500)


def tell_problems(app: FastAPI, lost: LostPage) -> None:
    """Have every error of an app leave as problem details; `lost` may have a page for an address of no route."""

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        page = await lost(request) if error.status_code == 404 else None
        return page or _refused(request, error)

    app.add_exception_handler(PinakesError, _library)
    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(Exception, _failed)


async def _library(request: Request, error: Exception) -> Response:
    assert isinstance(error, PinakesError)
    return problem_of(error)


def _refused(request: Request, error: HTTPException) -> Response:
    headers = dict(error.headers or {})
    if error.status_code == 405:
        paths = request.app.openapi()["paths"]
        if methods := paths.get(request.url.path):
            headers["Allow"] = ", ".join(sorted(method.upper() for method in methods))
    sentences = {404: "There is no such page here.", 405: "This route does not take that method."}
    return problem(error.status_code, sentences.get(error.status_code, str(error.detail)), headers=headers)


async def _failed(request: Request, error: Exception) -> Response:
    return problem(500, "Something went wrong inside.", "The server's own output says more.")
