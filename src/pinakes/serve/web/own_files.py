"""The page's own files, as they are in the package, and the version that stands in their addresses.

Nothing enters; files leave, read once. The style and the scripts of documents are those of published pages, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from msgspec import Struct

from pinakes.html.targets import ending

_MEDIA = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "txt": "text/plain"}


class OwnFile(Struct, frozen=True):
    """A file of the page."""

    data: bytes
    media: str
    etag: str
    """Changes with its content."""


@cache
def own_files() -> Mapping[str, OwnFile]:
    """All of them by name."""
    found: dict[str, bytes] = {}
    for room in ("pinakes.html", "pinakes.serve.web"):
        for file in files(room).joinpath("static").iterdir():
            if ending(file.name) in _MEDIA:
                found[file.name] = file.read_bytes()
    found["page.css"] += found.pop("app.css")  # one request less for every first view
    return {name: OwnFile(data, _MEDIA[ending(name)], _etag(data)) for name, data in found.items()}


def _etag(data: bytes) -> str:
    return f'W/"{hashlib.sha256(data).hexdigest()[:20]}"'


@cache
def own_version() -> str:
    """A word that changes when any of them does: they name each other, so they change together."""
    tags = "".join(f"{name}{file.etag}" for name, file in sorted(own_files().items()))
    return hashlib.sha256(tags.encode()).hexdigest()[:12]
