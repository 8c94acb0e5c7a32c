"""A commit's message and difference become chunks, cut where a difference has its own borders.

The message is cut between paragraphs, the difference before a file, else before a hunk, else between lines. A hundred
thousand commits are common and their differences are nothing but lines, so nothing here looks at single letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pinakes.chunk.options import ChunkOptions
from pinakes.chunk.slices import code_ratio
from pinakes.records import Chunk, Document, Span

_PROSE = (b"\n\n", b"\n", b" ")
_DIFF = (b"\ndiff --", b"\n@@ ", b"\n", b" ")
_BLANK = re.compile(rb"\s*")


def commit_chunks(document: Document, options: ChunkOptions) -> tuple[Chunk, ...]:
    """The chunks of a commit at both levels, in reading order."""
    made: list[Chunk] = []
    source = document.source
    line, reached = 0, 0
    for position in range(len(document.sections)):
        start, end = document.own(position)
        borders = _DIFF if position else _PROSE
        code = [block.span for block in document.code if block.section == position]
        for piece in _cut(source, start, end, options.section_chars, borders):
            parent = len(made)
            parts = _cut(source, *piece, options.passage_chars, borders) if piece.length > options.passage_chars else ()
            for span in (piece, *parts):
                line, reached = line + _lines(source, reached, span.start), span.start
                lines = Span(line, line + source.count(b"\n", *span) + 1)
                made.append(Chunk(len(made), position, parent, span, lines, code_ratio(span, code)))
    return tuple(made)


def _lines(source: bytes, start: int, end: int) -> int:
    """Line feeds from one place to another, which may be before it."""
    return source.count(b"\n", start, end) if start <= end else -source.count(b"\n", end, start)


def _cut(source: bytes, start: int, end: int, limit: int, borders: tuple[bytes, ...]) -> Iterator[Span]:
    """Stretches of at most so many bytes, without blanks at their ends, that leave out nothing but blanks."""
    end = start + len(source[start:end].rstrip())
    while True:
        start = _BLANK.match(source, start, end).end()  # type: ignore[union-attr]  # it matches nothing as well
        if start >= end:
            return
        stop = end if end - start <= limit else _border(source, start, start + limit, borders)
        yield Span(start, start + len(source[start:stop].rstrip()))
        start = stop


def _border(source: bytes, start: int, most: int, borders: tuple[bytes, ...]) -> int:
    """Where to cut at the latest: at the best kind of border that leaves a good part before it."""
    least = start + (most - start) // 2
    for border in borders:
        found = source.rfind(border, least, most)
        if found > start:
            return found + 1 if border == b" " else found
    while most > start + 1 and source[most] & 0xC0 == 0x80:
        most -= 1  # not within a letter
    return most
