"""What the page of a workspace sends: parameters in an address, or a JSON object."""

from __future__ import annotations

from typing import TypeVar

from pydantic_core import from_json
from starlette.requests import Request as HttpRequest

from pinakes.serve.http.problems import NotJson
from pinakes.serve.requests.parameters import BadParameter, parse
from pinakes.serve.requests.rows import PAGE
from pinakes.serve.requests.work import WorkRequest

R = TypeVar("R", bound=WorkRequest)


async def work_request(http: HttpRequest, kind: type[R]) -> R:
    """The request that was sent; raises `BadParameter`, and `NotJson` for a body that is none. A body that takes no
    parameters may be left out."""
    if http.method == "GET":
        return parse(kind, dict(http.query_params), PAGE, is_text=True)
    data = await http.body()
    try:
        body = from_json(data, allow_inf_nan=False) if data else {}
    except ValueError as error:
        raise NotJson("The body is not JSON.", "Send an object.") from error
    if not isinstance(body, dict):
        raise BadParameter("The body is not a JSON object.", "Send an object.")
    return parse(kind, body, PAGE)
