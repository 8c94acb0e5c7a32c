"""Stretches of characters become chunks: byte spans, lines, and the share of code.

Groups of stretches found in one section's text enter, `Chunk`s leave with ordinals that continue those already made.
Chunking sees a document's source with one kind of line end (`with_line_feeds`); its bytes are as many as before, so
that every position stays true.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pinakes.chunk.units import Stretch
from pinakes.records import Chunk, Span

_LONE_CR = re.compile(rb"\r(?!\n)")


def with_line_feeds(source: bytes) -> bytes:
    """The source with a line feed at every line end; carriage returns remain before line feeds only."""
    return _LONE_CR.sub(b"\n", source) if b"\r" in source else source


class Home(NamedTuple):
    """Where a text stands in its document."""

    section: int
    start: int
    """Its first byte in the source."""
    line: int
    """The number of its first line."""
    code: Sequence[Span]
    """The section's code blocks, as bytes of the source."""


def append_chunks(made: list[Chunk], text: str, home: Home, found: Sequence[tuple[Stretch, Sequence[Stretch]]]) -> None:
    """Make chunks of section-level stretches, each with the stretches of its passages, and append them."""
    places = _places(text, home, {place for whole, inner in found for stretch in (whole, *inner) for place in stretch})
    for whole, inner in found:
        parent = len(made)
        for start, end in (whole, *inner):
            first, line = places[start]
            last, last_line = places[end]
            span = Span(first, last)
            made.append(
                Chunk(len(made), home.section, parent, span, Span(line, last_line + 1), code_ratio(span, home.code))
            )


def code_ratio(span: Span, code: Sequence[Span]) -> float:
    """The share of a span's bytes that lies in code blocks."""
    if not code:
        return 0.0
    start, end = span
    inside = 0
    for position in range(max(0, bisect_right(code, span) - 1), len(code)):
        first, last = code[position]
        if first >= end:
            break
        inside += max(0, min(last, end) - max(first, start))
    return inside / (end - start)


def _places(text: str, home: Home, offsets: Iterable[int]) -> dict[int, tuple[int, int]]:
    """The byte and the line of each offset."""
    _, byte, line, _ = home
    is_ascii = text.isascii()
    reached = 0
    places = {}
    for offset in sorted(offsets):
        byte += offset - reached if is_ascii else len(text[reached:offset].encode("utf-8", "surrogateescape"))
        line += text.count("\n", reached, offset)
        reached = offset
        places[offset] = (byte, line)
    return places
