"""A section's own text as units, what stays together as long as it can, and units in groups that fit a limit.

A document and a stretch of its text enter, `Unit`s leave, in order, with nothing but white space between them. They
begin where the parser's blocks begin; what belongs to no block (definitions of links, rules) goes with the one before.

`pack` makes as few groups of them as possible, about equally long. Evenness matters: filling each group to the brim
would leave a scrap at the end of every section that is a little too long, and a scrap matches too well and says too
little.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pinakes.chunk.borders import BLANK_LINES, BLANKS, PROSE, ROWS, cut, trimmed
from pinakes.records import BlockKind, Document, Span
from pinakes.records.structure import block_table

Stretch = tuple[int, int]
"""From the first to behind the last character."""

_WHOLE = (BlockKind.CODE, BlockKind.TABLE, BlockKind.HTML)


class Unit(NamedTuple):
    """A stretch of text that is not cut while it fits."""

    start: int
    end: int
    is_whole: bool = False
    """Code, markup or a table: cut between rows only."""
    belongs: bool = False
    """It continues the unit before it: the next item of a list, the body of a directive, an example after a colon."""
    code: Sequence[Stretch] = ()
    """The lines of code blocks inside a table of HTML, which stay whole when it is cut."""


def units(document: Document, text: str, span: Span) -> list[Unit]:
    """The units of a text, which stands at `span` in the source."""
    starts, ends, kinds = block_table(document.structure.blocks)
    first, last = bisect_left(starts, span.start), bisect_left(starts, span.end)
    kinds = kinds[first:last]
    begins, stops = offsets(text, span, starts[first:last]), offsets(text, span, ends[first:last])
    found: list[Unit] = []
    inner: list[Stretch] = []
    begun = 0
    for kind, start, end in zip(kinds, begins, stops, strict=True):
        if start < begun:
            if kind == BlockKind.CODE:  # inside of a table of HTML, the only block that holds others and is a unit
                line = text.rfind("\n", 0, start) + 1
                inner.append((line, _line_end(text, line, end)))
            continue
        line = max(text.rfind("\n", begun, start) + 1, begun)
        if kind in _WHOLE:
            _add(found, text, begun, line)
            begun, inner = _line_end(text, line, end), []
            found.append(Unit(line, begun, is_whole=True, belongs=_belongs(text, line, found), code=inner))
        else:
            _add(found, text, begun, line)
            begun = line
    _add(found, text, begun, len(text))
    if len(found) > 1 and kinds and kinds[0] == BlockKind.HEADING and not found[1].is_whole:
        # A heading alone says nothing: the first paragraph is one unit with it.
        found[:2] = [Unit(found[0].start, found[1].end)]
    return found


def parts(text: str, unit: Unit, limit: int) -> Iterator[Unit]:
    """A unit that is over the limit as units within it."""
    reached = unit.start
    for first, last in (*unit.code, (unit.end, unit.end)):
        for begin, stop in (_stripped(text, reached, first), (first, last)):
            for start, end in cut(text, begin, stop, limit, ROWS if unit.is_whole else PROSE):
                yield Unit(start, end, is_whole=unit.is_whole)
        reached = last


def offsets(text: str, span: Span, places: Sequence[int]) -> list[int]:
    """Where bytes of the source stand among the characters of a text; those behind it, at its end."""
    begin, end = span
    inside = [(place if place < end else end) - begin for place in places]
    if text.isascii():
        return inside
    data = text.encode("utf-8", "surrogateescape")
    reached = count = 0
    counts = {}
    for place in sorted(inside):
        count += len(data[reached:place].decode("utf-8", "surrogateescape"))
        counts[place] = count
        reached = place
    return [counts[place] for place in inside]


def _add(found: list[Unit], text: str, start: int, end: int) -> None:
    start, stop = _stripped(text, start, end)
    if stop > start:
        found.append(Unit(start, stop, belongs=_belongs(text, start, found)))


def _stripped(text: str, start: int, end: int) -> Stretch:
    """A stretch without the blank lines it begins with and the white space it ends with."""
    if start < end and text[start] in BLANKS:
        start = BLANK_LINES.match(text, start, end).end()  # type: ignore[union-attr]  # it matches nothing as well
    return start, trimmed(text, start, end)


def _line_end(text: str, start: int, end: int) -> int:
    """Where the last line of a block ends, white space left out."""
    stop = trimmed(text, start, end)
    line_end = text.find("\n", stop)
    return trimmed(text, stop, line_end if line_end >= 0 else len(text))


def _belongs(text: str, start: int, before: Sequence[Unit]) -> bool:
    """Whether the unit that starts here is indented, announced by the colon before it, or not apart from that."""
    if not before:
        return text[start] in " \t"
    end = before[-1].end
    return text[start] in " \t" or text[end - 1] in ":：" or text.count("\n", end, start) < 2


def pack(text: str, blocks: Sequence[Unit], limit: int) -> list[list[Unit]]:
    """Groups of consecutive blocks, each at most `limit` characters from its start to its end."""
    units: list[list[Unit]] = []
    for block in blocks:
        if block.end - block.start > limit:
            units += [[part] for part in parts(text, block, limit)]
        elif block.belongs and units and block.end - units[-1][0].start <= limit:
            units[-1].append(block)
        else:
            units.append([block])
    starts = [unit[0].start for unit in units]
    ends = [unit[-1].end for unit in units]
    return [[block for unit in units[first:last] for block in unit] for first, last in _even(starts, ends, limit)]


def bounds(group: Sequence[Unit]) -> Stretch:
    """From the start of a group's first block to the end of its last."""
    return group[0].start, group[-1].end


def passages(text: str, group: Sequence[Unit], limit: int) -> list[Stretch]:
    """The stretches of a group's passages; none when one would hold all of it."""
    start, end = bounds(group)
    return [bounds(passage) for passage in pack(text, group, limit)] if end - start > limit else []


def _even(starts: Sequence[int], ends: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """The groups of the smallest limit that needs no more of them than `limit` does."""
    best = _fill(starts, ends, limit)
    if len(best) < 2:
        return best
    low, high = (ends[-1] - starts[0]) // len(best), limit
    while high - low > max(1, limit // 12):  # closer than this, nobody would see the difference
        middle = (low + high) // 2
        groups = _fill(starts, ends, middle)
        if len(groups) <= len(best):
            best, high = groups, middle
        else:
            low = middle
    return best


def _fill(starts: Sequence[int], ends: Sequence[int], limit: int) -> list[tuple[int, int]]:
    groups = []
    first = 0
    while first < len(starts):
        last = bisect_right(ends, starts[first] + limit, first + 1)  # at least one
        groups.append((first, last))
        first = last
    return groups
