"""Files of a published folder by their names in it, from a disk or from an address.

A name such as ``guide/index.json`` enters, bytes leave. Nothing outside of the folder, and no other server, is asked.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from pinakes.errors import NotFound, Refused, Unreachable

Fetch = Callable[[str], bytes]
"""Takes a name in the folder, such as ``guide/index.json``, and returns the file's bytes."""

INDEX = "index.json"
NEXT_STEP = "Name a folder that pinakes publish wrote, or its address."
_SECONDS = 20
_MOST_BYTES = 100_000_000


def base_of(url: str) -> str:
    """The address of a folder, with a slash at its end, from that or from the one of its index."""
    bare = url.partition("#")[0].partition("?")[0]
    return f"{bare.removesuffix(INDEX).rstrip('/')}/"


class DiskFiles:
    """Files below a folder; links out of it are not followed."""

    def __init__(self, root: Path) -> None:
        self._root = (root.parent if root.name == INDEX and root.is_file() else root).resolve()

    def __call__(self, place: str) -> bytes:
        file = (self._root / place).resolve()
        if not file.is_relative_to(self._root):
            raise Refused(f"{place} leads out of {self._root}.", "Publish the folder again.")
        try:
            return file.read_bytes()
        except OSError as error:
            raise NotFound(f"{self._root / place} cannot be read: {error.strerror}.", NEXT_STEP) from None


class _SameServer(urllib.request.HTTPRedirectHandler):
    """Follows redirects only where they stay at the server that was named."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            raise Refused(f"{req.full_url} is redirected to another server.", "Name that one if you mean it.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class WebFiles:
    """Files below an address."""

    def __init__(self, url: str) -> None:
        self._base = base_of(url)
        self._opener = urllib.request.build_opener(_SameServer)

    def __call__(self, place: str) -> bytes:
        url = self._base + quote(place)
        try:
            with self._opener.open(url, timeout=_SECONDS) as response:
                data: bytes = response.read(_MOST_BYTES + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise NotFound(f"{url} is not there: the server says {error.code}.", NEXT_STEP) from None
        except (OSError, ValueError) as error:
            raise Unreachable(f"{url} cannot be fetched: {error}.", "Check the address and your network.") from None
        if len(data) > _MOST_BYTES:
            raise Refused(f"{url} is too large.", NEXT_STEP)
        return data
