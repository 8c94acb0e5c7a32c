"""Files as they are: the page's own, and the pictures of a library.

A name enters, bytes with their headers leave. The page's own files are those of the package and no others. A picture
must be a file the library knows, is opened without following links out of the root, and goes out under a policy that
lets nothing in it act.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from pinakes.errors import NotFound
from pinakes.html.targets import PICTURES, ending
from pinakes.library import Library
from pinakes.serve.web.page_request import PAGE_HEADERS
from pinakes.sources.inside import open_inside, read_at_most

_OWN = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_LARGEST = 20_000_000


@cache
def _own() -> dict[str, tuple[bytes, str]]:
    """The page's files, each with a tag that changes with its content. The style is that of published pages, too."""
    found = {}
    for room in ("pinakes.html", "pinakes.serve.web"):
        for file in files(room).joinpath("static").iterdir():
            if ending(file.name) in _OWN:
                data = file.read_bytes()
                found[file.name] = (data, f'"{hashlib.sha256(data).hexdigest()[:20]}"')
    return found


def own_file(request: Request) -> Response:
    """One of the page's own files; 304 when the browser has it."""
    name = request.path_params["name"]
    if name not in _own():
        return Response("There is no such file.\n", 404, PAGE_HEADERS, "text/plain")
    data, mark = _own()[name]
    headers = {**PAGE_HEADERS, "ETag": mark}
    if mark in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(data, 200, headers, _OWN[ending(name)])


def picture(library: Library, path: str) -> tuple[bytes, str]:
    """The bytes of a picture in the library and what they are; raises `NotFound` for everything else."""
    media = PICTURES.get(ending(path))
    missing = NotFound(f"There is no picture “{path}”.", "The page shows only pictures of the library.")
    if media is None or library.locate(path).path != path:
        raise missing
    try:
        descriptor = open_inside(str(library.root), path)
    except (OSError, ValueError) as gone:
        raise missing from gone
    try:
        data = read_at_most(descriptor, _LARGEST)
    except OSError as gone:
        raise missing from gone
    finally:
        os.close(descriptor)
    if data is None:
        raise NotFound(f"“{path}” is too large to be shown.", "Open the file itself.")
    return data, media
