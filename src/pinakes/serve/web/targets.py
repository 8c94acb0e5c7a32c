"""Where the links of one document lead when it is read in the page.

Resolved links enter; addresses of the page leave, or None for what must not be followed. A picture is shown only when
it lies in the library: a page that loads others' pictures tells them who reads what.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from pinakes.records import HISTORY, Edge, Ref, media_of
from pinakes.serve.web.places import Places

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


@dataclass(frozen=True, slots=True)
class Targets:
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
