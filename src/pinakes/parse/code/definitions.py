"""What a grammar found in a file, and its definitions as a tree of sections.

`Found` holds plain positions in bytes; a language fills it. A section lies in the smallest one around it, whatever
order they were found in.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from pinakes.parse.code.layout import is_first_on_its_line, line_begin
from pinakes.records import Relation, Section, Span, Symbol, SymbolKind


class Definition(NamedTuple):
    """A symbol and where it stands."""

    start: int
    """With decorators and the comment that leads to it."""
    end: int
    name: str
    """With the class in front and a dot, for a method that stands outside of its class: ``Server.start``."""
    symbol: Symbol
    itself: str = ""
    """What a method calls the value it is called on, where that has a name of its own."""
    is_announced: bool = False
    """Whether only its signature stands here, as in a header; the definition is elsewhere."""


class Import(NamedTuple):
    """A name that another module lends."""

    start: int
    end: int
    module: str
    """``/src/ac/history`` from the root, or ``ac/history`` wherever that is; several with ``|`` between them."""
    name: str
    """What is taken from it; empty for the module as a whole, ``*`` for everything."""
    local: str
    """What it is called here."""


class Use(NamedTuple):
    """A name that is called, extended or referred to."""

    start: int
    end: int
    name: str
    """With dots: ``history.History.load``."""
    relation: Relation


@dataclass(slots=True)
class Found:
    """What a file of source code holds."""

    definitions: list[Definition] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    has_overloads: bool = False
    """Whether functions of one name are told apart by the types of their parameters."""
    aliases: dict[str, list[str]] = field(default_factory=dict)
    """By the name of a definition: what else others call it."""
    prose: list[tuple[int, int]] = field(default_factory=list)
    """Start and end of documentation strings and comments, in any order, with their marks."""
    marks: list[tuple[int, int]] = field(default_factory=list)
    """Start and end of quotes and comment signs in them."""


def sections_of(found: Found, text: bytes, lines: LineNumbers) -> tuple[Section, ...]:
    """The file as the root, and each definition in reading order, called by the names on the way to it."""
    made = [Section("", "", 0, -1, Span(0, len(text)), Span(0, lines.last + 1))]
    taken: dict[str, int] = {"": 1}
    around = [0]
    for start, end, name, symbol, *_ in _defined(found):
        while made[around[-1]].span.end < end:
            around.pop()
        parent = around[-1]
        above = made[parent].anchor
        anchor = _unused(f"{above}.{name}" if above else name, taken)
        span = Span(max(_with_indentation(text, start), made[parent].span.start), end)
        rows = Span(lines.of(span.start), lines.of(max(end - 1, span.start)) + 1)
        aliases = () if parent else tuple(found.aliases.get(name, ()))
        made.append(Section(anchor, name, made[parent].level + 1, parent, span, rows, aliases, symbol=symbol))
        around.append(len(made) - 1)
    return tuple(made)


def _with_indentation(text: bytes, start: int) -> int:
    """Where the line begins, if nothing but blanks stands before a definition: else its first line would stand out."""
    return line_begin(text, start) if is_first_on_its_line(text, start) else start


def _defined(found: Found) -> list[Definition]:
    """In reading order. What is announced here and defined here is one definition, which begins with announcements that
    stand directly above it."""
    ordered = sorted(found.definitions, key=lambda one: (one.start, -one.end))
    if not any(one.is_announced for one in ordered):
        return ordered
    around: list[tuple[int, str]] = []
    places: list[_Place] = []
    for one in ordered:
        while around and around[-1][0] < one.end:
            around.pop()
        whole = f"{around[-1][1]}.{one.name}" if around else one.name
        taken = one.symbol.parameters if found.has_overloads else None
        places.append((whole, one.symbol.kind, tuple(each.type or each.name for each in taken or ())))
        around.append((one.end, whole))
    defined = {place for one, place in zip(ordered, places, strict=True) if not one.is_announced}
    made: list[Definition] = []
    above: _Place | None = None
    for one, place in zip(ordered, places, strict=True):
        if above == place and made[-1].is_announced:
            first = made.pop()
            symbol = replace(one.symbol, line=first.symbol.line)
            one = one._replace(start=first.start, symbol=symbol)
        elif made and made[-1].is_announced and above in defined:
            made.pop()  # it is defined elsewhere in this file
        made.append(one)
        above = place
    if made[-1].is_announced and above in defined:
        made.pop()
    return made


_Place = tuple[str, SymbolKind, tuple[str, ...]]
"""What tells a definition from others: its names, its kind, and the types of its parameters where they matter."""


def _unused(anchor: str, taken: dict[str, int]) -> str:
    """The anchor, with a number behind it when it is taken. `taken` tells for each the number to try next."""
    chosen = anchor
    while chosen in taken:
        chosen = f"{anchor}-{taken[anchor]}"
        taken[anchor] += 1
    taken[chosen] = 1
    return chosen


_LINE_END = re.compile(rb"\n")


class LineNumbers:
    """The number of the line on which each position stands, from 0."""

    def __init__(self, text: bytes) -> None:
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(text))]

    @property
    def last(self) -> int:
        return len(self._starts) - 1

    def of(self, position: int) -> int:
        return bisect_right(self._starts, position) - 1


def section_at(sections: Sequence[Section], position: int) -> int:
    """The innermost section that holds a position."""
    place = bisect_right(sections, position, key=lambda section: section.span.start) - 1
    while place > 0 and sections[place].span.end <= position:
        place = sections[place].parent
    return max(place, 0)
