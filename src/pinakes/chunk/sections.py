"""Documents with sections become chunks, section by section.

Most sections are short enough to be one chunk, and most of those have no passages; they are made without looking at
their text at all, which is what keeps chunking far faster than parsing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from pinakes.chunk.borders import ROWS, cut
from pinakes.chunk.options import ChunkOptions
from pinakes.chunk.slices import Home, append_chunks, code_ratio, with_line_feeds
from pinakes.chunk.units import Stretch, bounds, pack, passages, units
from pinakes.records import Chunk, Document, Span

_BLANK_LINES = re.compile(rb"(?:[ \t\r\x0b\x0c]*+\n)*+")
_MARKERS = re.compile(rb"[ \t>*+\-.)0-9]*+")
"""What may stand before a heading on its line: it belongs to the quote or list around the heading."""
_NO_CODE: tuple[Span, ...] = ()


def section_chunks(document: Document, options: ChunkOptions) -> tuple[Chunk, ...]:
    """The chunks of a document that has headings, or could have."""
    made: list[Chunk] = []
    seen = with_line_feeds(document.source)
    sections = document.sections
    places = [at for at, section in enumerate(sections) if not at or not _is_quoted(seen, section.span.start)]
    code: dict[int, list[Span]] = {}
    for block in document.code:
        code.setdefault(places[bisect_right(places, block.section) - 1], []).append(block.span)
    after = [sections[place].span.start for place in places[1:]]
    after.append(sections[0].span.end)
    top = document.body
    begin = _BLANK_LINES.match(seen, top, max(top, after[0])).end()  # type: ignore[union-attr]
    line = seen.count(b"\n", sections[0].span.start, begin)
    for position, end in zip(places, after, strict=True):
        if position:
            begin, line = sections[position].span.start, sections[position].lines.start
        if end < len(seen) and seen[end - 1] != 10:
            row = max(seen.rfind(b"\n", begin, end) + 1, begin)
            end = row if _MARKERS.fullmatch(seen, row, end) else end
        own = seen[begin:end].rstrip()
        if not own:
            continue
        home = Home(position, begin, line, code.get(position, _NO_CODE))
        if len(own) <= options.passage_chars:
            span = Span(begin, begin + len(own))
            lines = Span(line, line + own.count(b"\n") + 1)
            made.append(Chunk(len(made), position, len(made), span, lines, code_ratio(span, home.code)))
        else:
            text = own.decode("utf-8", "surrogateescape")
            append_chunks(made, text, home, _stretches(document, text, Span(begin, begin + len(own)), options))
    if not made and len(sections) == 1:
        _append_frontmatter(made, document, seen, options)
    return tuple(made)


def _is_quoted(seen: bytes, start: int) -> bool:
    """Whether a heading stands in a quotation. It is part of that: what comes behind it belongs to the section around,
    and only the heading of that says what it is about."""
    return b">" in seen[seen.rfind(b"\n", 0, start) + 1 : start]


def _stretches(
    document: Document, text: str, span: Span, options: ChunkOptions
) -> list[tuple[Stretch, Sequence[Stretch]]]:
    """The section-level stretches of a text, each with those of its passages."""
    if len(text) <= options.passage_chars:  # its bytes were more
        return [((0, len(text)), ())]
    found = units(document, text, span)
    groups = [found] if len(text) <= options.section_chars else pack(text, found, options.section_chars)
    return [(bounds(group), passages(text, group, options.passage_chars)) for group in groups]


def _append_frontmatter(made: list[Chunk], document: Document, seen: bytes, options: ChunkOptions) -> None:
    """Where there is nothing but frontmatter, it stands for the document, so that its title can be found."""
    begin = document.sections[0].span.start
    text = seen[begin:].rstrip().decode("utf-8", "surrogateescape")
    for stretch in cut(text, 0, len(text), options.section_chars, ROWS):
        append_chunks(made, text, Home(0, begin, 0, _NO_CODE), [(stretch, ())])
        return


def drawing_chunks(document: Document) -> tuple[Chunk, ...]:
    """One chunk for each section of a drawing that says something, however long its markup is."""
    made: list[Chunk] = []
    seen = with_line_feeds(document.source)
    for position, section in enumerate(document.sections):
        start, end = document.own(position)
        says_something = position > 0 or section.keywords or len(document.sections) == 1
        if says_something and seen[start:end].strip():
            lines = Span(section.lines.start, section.lines.start + seen.count(b"\n", start, end - 1) + 1)
            made.append(Chunk(len(made), position, len(made), Span(start, end), lines, 0.0))
    return tuple(made)
