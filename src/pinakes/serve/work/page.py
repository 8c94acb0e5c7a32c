"""The page of a workspace and its own files, as they are in the package.

A name enters, bytes with their headers leave. The page may load its own scripts, styles and pictures, draw a picture of
what is being edited (`blob:`), and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

_MEDIA = {"css": "text/css", "js": "text/javascript", "txt": "text/plain", "html": "text/html"}
_POLICY = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
)
_HEADERS: Mapping[str, str] = {"Content-Security-Policy": "; ".join(_POLICY), "Cache-Control": "no-cache"}
_PAGE, _ENTRY = "page.html", "entry.js"


@cache
def _own() -> dict[str, tuple[bytes, str]]:
    """The page's files by name, each with a tag that changes with its content."""
    home = files("pinakes.serve.work")
    found = [home.joinpath(_PAGE), home.joinpath(_ENTRY), *home.joinpath("static").iterdir()]
    return {
        one.name: (data, f'"{hashlib.sha256(data).hexdigest()[:20]}"')
        for one in found
        if one.name.rpartition(".")[2] in _MEDIA and (data := one.read_bytes())
    }


async def work_page(request: Request) -> Response:
    """The page itself."""
    return _answer(request, _PAGE)


async def work_static(request: Request) -> Response:
    """One of the page's scripts and styles."""
    name = request.path_params["name"]
    if name not in _own() or name == _PAGE:
        return Response("There is no such file.\n", 404, _HEADERS, "text/plain")
    return _answer(request, name)


def _answer(request: Request, name: str) -> Response:
    """A file; 304 when the browser has it."""
    data, mark = _own()[name]
    headers = {**_HEADERS, "ETag": mark}
    if mark in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(data, 200, headers, _MEDIA[name.rpartition(".")[2]])
