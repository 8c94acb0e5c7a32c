"""Source code becomes chunks, symbol by symbol.

A function is a chunk with its documentation; a class is one without its methods, and a file without its symbols. What
stands between the symbols of a class or file belongs to that class or file. Variables and properties of a few lines
stay with what is around them: alone they would say little. Long bodies are cut between statements' lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from pinakes.chunk.borders import ROWS, cut
from pinakes.chunk.options import ChunkOptions
from pinakes.chunk.slices import Home, append_chunks, with_line_feeds
from pinakes.chunk.units import Stretch
from pinakes.records import BlockKind, Chunk, Document, Section, Span, SymbolKind

_SMALL = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)
_FEW_LINES = 5


def code_chunks(document: Document, options: ChunkOptions) -> tuple[Chunk, ...]:
    """The chunks of a file of source code, in reading order."""
    if not document.structure.blocks:
        return ()  # nobody wrote it, so nobody looks for it
    made: list[Chunk] = []
    seen = with_line_feeds(document.source)
    code = [block.span for block in document.blocks if block.kind is BlockKind.CODE]
    line, reached = 0, 0
    for place, (start, end) in _stretches(document):
        piece = seen[start:end]
        begin = start + len(piece) - len(piece.lstrip(b"\n\r"))
        text = seen[begin:end].rstrip().decode("utf-8", "surrogateescape")
        if not text.strip():
            continue
        line, reached = line + seen.count(b"\n", reached, begin), begin
        found = [
            (whole, _passages(text, whole, options.passage_chars))
            for whole in cut(text, 0, len(text), options.section_chars, ROWS)
        ]
        append_chunks(made, text, Home(place, begin, line, code), found)
    return tuple(made)


def _passages(text: str, whole: Stretch, most: int) -> list[Stretch]:
    start, end = whole
    return list(cut(text, start, end, most, ROWS)) if end - start > most else []


def _stretches(document: Document) -> Iterator[tuple[int, Span]]:
    """The text of the file in reading order: each stretch with the section it belongs to."""
    sections = document.sections
    around = [0]
    reached = document.body
    for place in range(1, len(sections)):
        section = sections[place]
        if _stays(section):
            continue
        while sections[around[-1]].span.end <= section.span.start:
            end = sections[around[-1]].span.end
            yield around.pop(), Span(reached, end)
            reached = end
        yield around[-1], Span(reached, max(reached, section.span.start))
        reached = max(reached, section.span.start)
        around.append(place)
    while around:
        end = sections[around[-1]].span.end
        yield around.pop(), Span(reached, max(reached, end))
        reached = max(reached, end)


def _stays(section: Section) -> bool:
    """Whether a symbol is no chunk of its own."""
    kind = section.symbol.kind if section.symbol is not None else None
    return kind in _SMALL and section.lines.length <= _FEW_LINES
