"""Comments: which of them belong together, which lead to a definition, and what of them is marks.

Comments on their own lines directly below each other are one text. One that ends on the line above a definition is
said of that definition.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from pinakes.parse.code.layout import is_first_on_its_line, is_next_line, without_blanks_before

_MARKS = re.compile(
    rb"(?m)(?:^|\A)[ \t]*(?:#+[!:]*|//+[!<]?|/\*+[!<]?|\*+(?!/))[ \t]?"
    rb"|[ \t]*+\*++/[ \t]*+(?=\r?$|\Z)"
    rb"|(?P<other>[ \t]++\**+|\*++)"
)
"""The signs in front of a line and at the end. The last part takes rows that are none, so that they are seen once."""

Stretches = list[tuple[int, int]]


def joined(places: Sequence[tuple[int, int]], source: bytes) -> Stretches:
    """Comments in reading order, those of several lines as one."""
    made: Stretches = []
    for start, stop in sorted(places):
        end = stop - 1 if source[stop - 1 : stop] == b"\n" else stop  # some grammars count the end of the line
        if made and _are_neighbours(source, made[-1], start):
            made[-1] = made[-1][0], end
        else:
            made.append((start, end))
    return made


def marks(source: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The signs of a comment, which nobody reads."""
    for found in _MARKS.finditer(source[start:end]):
        if found.lastgroup is None:
            yield start + found.start(), start + found.end()


def beginning(position: int, comments: Stretches, source: bytes) -> int:
    """Where a definition begins, with the comment that leads to it."""
    place = bisect_right(comments, (position, position)) - 1
    if place < 0 or comments[place][1] > position:
        return position
    start, end = comments[place]
    return start if _are_neighbours(source, (start, end), position) else position


def ending(position: int, comments: Mapping[int, int], source: bytes) -> int:
    """Where a definition ends, without comments on lines of their own that only follow it; `comments` tells where each
    begins by where it ends."""
    while (start := comments.get(position)) is not None and is_first_on_its_line(source, start):
        position = without_blanks_before(source, start)
    return position


def _are_neighbours(source: bytes, comment: tuple[int, int], position: int) -> bool:
    """Whether a comment stands alone on its lines, and what begins at a position on the next one."""
    return is_next_line(source, comment[1], position) and is_first_on_its_line(source, comment[0])
