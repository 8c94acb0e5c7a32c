"""A section's own text as units: what stays together as long as it can.

A document and a stretch of its text enter, `Unit`s leave, in order, with nothing but white space between them. They
begin where the parser's blocks begin; what belongs to no block (definitions of links, rules) goes with the one before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from pinakes.chunk.borders import BLANK_LINES, PROSE, ROWS, cut, trimmed
from pinakes.records import BlockKind, Document, Span

Stretch = tuple[int, int]
"""From the first to behind the last character."""

_WHOLE = (BlockKind.CODE, BlockKind.TABLE, BlockKind.HTML)
_START = attrgetter("span.start")


class Unit(NamedTuple):
    """A stretch of text that is not cut while it fits."""

    start: int
    end: int
    is_whole: bool = False
    """Code, markup or a table: cut between rows only."""
    belongs: bool = False
    """It continues the unit before it: the next item of a list, the body of a directive, an example after a colon."""


def units(document: Document, text: str, span: Span) -> list[Unit]:
    """The units of a text, which stands at `span` in the source."""
    blocks = document.blocks
    blocks = blocks[bisect_left(blocks, span.start, key=_START) : bisect_left(blocks, span.end, key=_START)]
    places = offsets(text, span, {place for block in blocks for place in block.span})
    found: list[Unit] = []
    begun = 0
    for kind, (start, end) in blocks:
        if places[start] < begun:
            continue
        line = max(text.rfind("\n", 0, places[start]) + 1, begun)
        if kind in _WHOLE:
            _add(found, text, begun, line)
            stop = trimmed(text, line, places[end])
            line_end = text.find("\n", stop)
            begun = trimmed(text, stop, line_end if line_end >= 0 else len(text))
            found.append(Unit(line, begun, is_whole=True, belongs=_belongs(text, line, found)))
        else:
            _add(found, text, begun, line)
            begun = line
    _add(found, text, begun, len(text))
    if len(found) > 1 and blocks and blocks[0] == (BlockKind.HEADING, blocks[0].span) and not found[1].is_whole:
        # A heading alone says nothing: the first paragraph is one unit with it.
        found[:2] = [Unit(found[0].start, found[1].end)]
    return found


def parts(text: str, unit: Unit, limit: int) -> Iterator[Unit]:
    """A unit that is over the limit as units within it."""
    for start, end in cut(text, unit.start, unit.end, limit, ROWS if unit.is_whole else PROSE):
        yield Unit(start, end, is_whole=unit.is_whole)


def offsets(text: str, span: Span, places: set[int]) -> dict[int, int]:
    """Where bytes of the source stand among the characters of a text; those outside of it, at its ends."""
    inside = sorted(place - span.start for place in places if span.start < place < span.end)
    found = {place: 0 if place <= span.start else len(text) for place in places}
    if text.isascii():
        found.update((place + span.start, place) for place in inside)
        return found
    data = text.encode("utf-8", "surrogateescape")
    reached = count = 0
    for place in inside:
        count += len(data[reached:place].decode("utf-8", "surrogateescape"))
        found[place + span.start] = count
        reached = place
    return found


def _add(found: list[Unit], text: str, start: int, end: int) -> None:
    start = BLANK_LINES.match(text, start, end).end()  # type: ignore[union-attr]  # it matches nothing as well
    stop = trimmed(text, start, end)
    if stop > start:
        found.append(Unit(start, stop, belongs=_belongs(text, start, found)))


def _belongs(text: str, start: int, before: Sequence[Unit]) -> bool:
    """Whether the unit that starts here is indented, announced by the colon before it, or not apart from that."""
    if not before:
        return text[start] in " \t"
    end = before[-1].end
    return text[start] in " \t" or text[end - 1] in ":：" or text.count("\n", end, start) < 2
