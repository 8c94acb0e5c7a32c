"""What the search page needs to know of a chunk: where it lies, and under which headings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from pinakes.prose import searchable
from pinakes.publish.cutting import Cut
from pinakes.records import Document
from pinakes.render import one_line

_LONGEST = 200


class Piece(NamedTuple):
    """A chunk without its text."""

    start: int
    end: int
    title: str
    trail: tuple[str, ...]
    """The headings above and at its beginning, without the document's own title."""
    searchable: str
    """What it is found by."""


def pieces(document: Document, cuts: Sequence[Cut]) -> tuple[Piece, ...]:
    """The chunks of a document as the search page shows them."""
    starts = [section.span.start for section in document.sections]
    found = []
    for one in cuts:
        trail = document.trail(bisect_right(starts, one.span.start) - 1)
        shown = trail[1:] if trail[:1] == (document.title,) else trail
        found.append(
            Piece(
                one.span.start,
                one.span.end,
                one_line(one.title, _LONGEST),
                tuple(one_line(title, _LONGEST) for title in shown),
                searchable(document, one.span),
            )
        )
    return tuple(found)
