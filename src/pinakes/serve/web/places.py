"""Where views are: the page's own web addresses, made and read back, and where the links of a document lead.

Names, paths and resolved links enter; addresses leave, exact to the byte also for file names that are not UTF-8, or
None for what must not be followed. A picture is shown only when it lies in the library: a page that loads others'
pictures tells them who reads what.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, unquote_to_bytes, urlencode, urlsplit

from msgspec import Struct
from starlette.requests import Request

from pinakes.errors import BadAddress
from pinakes.records import HISTORY, Edge, Ref, Span, media_of

_LINES = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?\Z")
_KEPT = "/!$&'()*+,;=:@~"
"""Signs that may stand in the path of an address as they are."""


class Places(Struct, frozen=True):
    """The addresses of one library's views."""

    library: str

    @property
    def base(self) -> str:
        return f"/in/{quote(self.library, safe='')}"

    def search(self, **asked: str) -> str:
        """The search view; with `query` its answer."""
        return _asking(f"{self.base}/search", asked)

    def read(self, path: str, anchor: str = "", lines: str = "") -> str:
        """The reader at a document, one of its sections, or with some of its lines marked."""
        where = f"{self.base}/read/{_written(path)}"
        where = f"{where}?lines={lines}" if lines else where
        return f"{where}#{_written(anchor)}" if anchor else where

    def ref(self, ref: Ref, lines: str = "") -> str:
        """The reader at an address of any corpus."""
        return self.read(ref.label, ref.anchor, lines)

    def memories(self, **asked: str) -> str:
        """The memories that pass these filters."""
        return _asking(f"{self.base}/memories", asked)

    def history(self, **asked: str) -> str:
        """The commits that pass these filters."""
        return _asking(f"{self.base}/history", asked)

    def map(self, folder: str = "") -> str:
        return f"{self.base}/map/{_written(folder)}" if folder else f"{self.base}/map"

    def asset(self, path: str) -> str:
        return f"{self.base}/asset/{_written(path)}"

    def branch(self, path: str) -> str:
        """A part of the tree, for the page's own script."""
        return f"{self.base}/branch/{_written(path)}"

    def view(self, name: str) -> str:
        return f"{self.base}/{name}"


def shown(ref: Ref) -> str:
    """An address for people."""
    return f"{ref.label}#{ref.anchor}" if ref.anchor else ref.label


def asked_path(request: Request, view: str) -> str:
    """The path behind ``/in/LIBRARY/VIEW/`` as bytes on disk spell it."""
    raw = request.scope.get("raw_path") or quote(request.url.path).encode()
    _, _, rest = raw.split(b"?", 1)[0].partition(f"/{view}/".encode())
    return os.fsdecode(unquote_to_bytes(rest))


def lines_of(given: str) -> Span | None:
    """Lines as people count them; None when none are named, `BadAddress` for what names none."""
    if not given:
        return None
    found = _LINES.match(given)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not first or last < first:
        raise BadAddress(f"“{given[:40]}” names no lines.", "Write 12 or 12-30.")
    return Span(first - 1, last)


def _asking(where: str, asked: Mapping[str, str]) -> str:
    given = {key: os.fsencode(value) for key, value in asked.items() if value}
    return f"{where}?{urlencode(given)}" if given else where


def _written(path: str) -> str:
    return quote(os.fsencode(path), safe=_KEPT)


PICTURES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "svg": "image/svg+xml",
}
"""Endings of files that are shown as pictures, and what they are said to be."""
_SCHEMES = frozenset(("http", "https", "mailto"))


def ending(path: str) -> str:
    """The part of a file's name that says what it is, in lower case."""
    return path.rpartition("/")[2].rpartition(".")[2].lower()


class Targets(Struct, frozen=True):
    """The links of one document, by how they are written and by where they stand."""

    places: Places
    by_text: dict[str, Edge]
    by_start: dict[int, Edge]

    @classmethod
    def of(cls, edges: Iterable[Edge], places: Places) -> Targets:
        known = tuple(edges)
        return cls(
            places,
            {edge.link.target: edge for edge in known},
            {edge.link.span.start: edge for edge in known if edge.link.span.length},
        )

    def page(self, to: Ref) -> str | None:
        """Where a document, a section or a picture is shown; None for files that are not."""
        name = to.path.rpartition("/")[2]
        if to.corpus == HISTORY or media_of(name).is_document or "." not in name:
            return self.places.ref(to)
        return self.picture(to)

    def picture(self, to: Ref) -> str | None:
        return self.places.asset(to.path) if ending(to.path) in PICTURES else None

    def lookup(self, element: str, written: str) -> str | None:
        """The address to use for one that stands in a document's markup; None for none."""
        edge = self.by_text.get(written)
        if edge is not None and edge.to is not None:
            return self.picture(edge.to) if element == "img" else self.page(edge.to)
        return written if element == "a" and is_outside(written) else None


def is_outside(written: str) -> bool:
    """Whether an address is one of the web or of mail, which a reader may follow by hand."""
    try:
        return urlsplit(written.strip()).scheme in _SCHEMES
    except ValueError:
        return False
