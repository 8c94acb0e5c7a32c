"""Files as they are: the page's own, and the pictures of a library.

A name enters, bytes with their headers leave. The page's own files are those of the package and no others. A picture
must be a file the library knows, is opened without following links out of the root, and goes out under a policy that
lets nothing in it act.
"""

from __future__ import annotations

import os
from functools import cache

from starlette.requests import Request
from starlette.responses import Response

from pinakes.errors import NotFound
from pinakes.html.targets import PICTURES, ending
from pinakes.library import Library
from pinakes.serve.http.compression import accepted_encoding, compressed, is_known
from pinakes.serve.web.own_files import own_files, own_version
from pinakes.serve.web.page_request import FRAMED_HEADERS, PAGE_HEADERS
from pinakes.sources.inside import open_inside, read_at_most

_LARGEST = 20_000_000
FOR_EVER = "public, max-age=31536000, immutable"
"""What is below an address of a version stays as it is, and is the same for everybody."""


def own_file(request: Request) -> Response:
    """One of the page's own files, as small as the client takes it; 304 when the browser has it. Below an address that
    names its version a browser never asks again."""
    name, version = request.path_params["name"], request.path_params.get("version", "")
    file = own_files().get(name)
    if file is None:
        return Response("There is no such file.\n", 404, PAGE_HEADERS, "text/plain")
    kept = {"Cache-Control": FOR_EVER} if version == own_version() else {}
    policy = FRAMED_HEADERS if file.media == "text/html" else PAGE_HEADERS
    headers = {**policy, **kept, "ETag": file.etag, "Vary": "Accept-Encoding"}
    if is_known(request.headers, file.etag):
        return Response(status_code=304, headers=headers)
    encoding = accepted_encoding(request.headers)
    if not encoding:
        return Response(file.data, 200, headers, file.media)
    return Response(_small(name, encoding), 200, {**headers, "Content-Encoding": encoding}, file.media)


@cache
def _small(name: str, encoding: str) -> bytes:
    return compressed(own_files()[name].data, encoding, is_kept=True)


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
