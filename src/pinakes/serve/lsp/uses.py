"""Every place where a link stands in source code.

A document, one of its links and the place that the parser noted enter; the places leave. The parser notes a name once
for each function, which is enough for a graph; an editor is asked about the second use as well.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from pinakes.records import Document, Link, LinkForm, Relation, Span

_IN_A_NAME = re.compile(rb"[\w$\x80-\xff]")
_BEFORE = re.compile(rb"[\w.$\x80-\xff]")


def places_of(document: Document, link: Link, noted: Span) -> Iterator[Span]:
    """The noted place, then every other one of the same name in the same section; of an import, the name in it."""
    if not _is_of_code(document, link):
        yield noted
    elif link.relation is Relation.IMPORTS:
        yield next(_written(document, link.text, noted), noted) if "#" in link.target else noted
    else:
        yield noted
        yield from _later(document, link, Span(noted.end, document.sections[link.section].span.end))


def place_at(document: Document, link: Link, noted: Span, offset: int) -> Span | None:
    """The place of a link that holds a byte or ends there; None for none. Looks at the text around the byte alone."""
    if noted.start <= offset <= noted.end:
        return next((one for one in places_of(document, link, noted) if one.start <= offset <= one.end), None)
    if not _is_of_code(document, link) or link.relation is Relation.IMPORTS:
        return None
    end, length = document.sections[link.section].span.end, len(link.text.encode())
    around = Span(max(noted.end, offset - length), min(end, offset + length))
    return next((one for one in _later(document, link, around) if one.start <= offset <= one.end), None)


def _is_of_code(document: Document, link: Link) -> bool:
    return link.form is LinkForm.SYMBOL and document.stamp.media.code is not None


def _later(document: Document, link: Link, within: Span) -> Iterator[Span]:
    """Where the name of a link stands in its section, a section below it left out."""
    for place in _written(document, link.text, within):
        if _section_at(document, place.start) == link.section:
            yield place


def _written(document: Document, name: str, within: Span) -> Iterator[Span]:
    """Where a name stands by itself."""
    wanted, source = name.encode(), document.source
    start = source.find(wanted, within.start, within.end)
    while start >= 0:
        end = start + len(wanted)
        if not _BEFORE.search(source[max(start - 1, 0) : start]) and not _IN_A_NAME.match(source, end):
            yield Span(start, end)
        start = source.find(wanted, end, within.end)


def _section_at(document: Document, position: int) -> int:
    """The innermost section that holds a byte."""
    sections = document.sections
    place = bisect_right(sections, position, key=lambda section: section.span.start) - 1
    while place > 0 and sections[place].span.end <= position:
        place = sections[place].parent
    return max(place, 0)
