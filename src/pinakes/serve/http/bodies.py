"""Requests as they come over HTTP: the address of a GET, the body of a POST, read by the table of requests."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from pydantic_core import from_json
from starlette.requests import Request as HttpRequest

from pinakes.serve.http.problems import NotJson
from pinakes.serve.requests.parameters import BadParameter, Doors, Request, parse

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
