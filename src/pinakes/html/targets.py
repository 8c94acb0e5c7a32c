"""Where the links of a document lead on a page.

Resolved links and a page's own addresses enter; addresses leave, or None for what must not be followed. A picture is
shown only when it lies in the library: a page that loads others' pictures tells them who reads what.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol
from urllib.parse import urlsplit

from msgspec import Struct

from pinakes.records import Edge, Ref

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


class PagePlaces(Protocol):
    """The addresses of those who show documents."""

    def page(self, to: Ref) -> str | None:
        """Where a document, a section or another file is shown; None for files that are not."""
        ...

    def picture(self, to: Ref) -> str | None:
        """Where the bytes of a picture are; None for what is not shown as a picture."""
        ...


class Targets(Struct, frozen=True):
    """The links of one document, by how they are written and by where they stand."""

    places: PagePlaces
    by_text: dict[str, Edge]
    by_start: dict[int, Edge]

    @classmethod
    def of(cls, edges: Iterable[Edge], places: PagePlaces) -> Targets:
        known = tuple(edges)
        return cls(
            places,
            {edge.link.target: edge for edge in known},
            {edge.link.span.start: edge for edge in known if edge.link.span.length},
        )

    def page(self, to: Ref) -> str | None:
        return self.places.page(to)

    def picture(self, to: Ref) -> str | None:
        return self.places.picture(to)

    def lookup(self, element: str, written: str) -> str | None:
        """The address to use for one that stands in a document's markup; None for none."""
        edge = self.by_text.get(written)
        if edge is not None and edge.to is not None:
            return self.picture(edge.to) if element == "img" else self.page(edge.to)
        return written if element == "a" and is_outside(written) else None


def ending(path: str) -> str:
    """The part of a file's name that says what it is, in lower case."""
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def is_outside(written: str) -> bool:
    """Whether an address is one of the web or of mail, which a reader may follow by hand."""
    try:
        return urlsplit(written.strip()).scheme in _SCHEMES
    except ValueError:
        return False
