"""Plain text becomes chunks of about as many tokens as asked for, each beginning with the end of the one before.

Paragraphs stay whole where they fit, then sentences; the overlap begins at a sentence, else at a word.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from pinakes.chunk.blocks import Stretch, blocks
from pinakes.chunk.body import with_line_feeds
from pinakes.chunk.borders import BLANK_LINES, LINE, PROSE, SENTENCE, WORD, character_border, cut
from pinakes.chunk.options import ChunkOptions
from pinakes.chunk.pack import pack
from pinakes.chunk.slices import Home, append_chunks
from pinakes.records import Chunk, Document
from pinakes.tokens import count_tokens

_MOST_OVERLAP = 0.5


def plain_chunks(document: Document, options: ChunkOptions) -> tuple[Chunk, ...]:
    """The chunks of a text without structure."""
    begin = document.sections[0].span.start
    text = with_line_feeds(document.source)[begin:].rstrip().decode("utf-8", "surrogateescape")
    made: list[Chunk] = []
    found = []
    for start, end in _windows(text, options):
        inner: list[Stretch] = []
        if end - start > options.passage_chars:
            inside = blocks(text, start, end, (), has_heading=False)
            inner = [(group[0].start, group[-1].end) for group in pack(text, inside, options.passage_chars)]
        found.append(((start, end), inner if len(inner) > 1 else ()))
    append_chunks(made, text, Home(0, begin, 0, ()), found)
    return tuple(made)


def _windows(text: str, options: ChunkOptions) -> Iterator[Stretch]:
    overlap = int(options.plain_tokens * min(max(options.plain_overlap, 0.0), _MOST_OVERLAP))
    room = max(1, options.plain_tokens - overlap)
    start = end = -1
    used = 0
    for first, last, tokens in _pieces(text, room):
        if start < 0:
            start, used = first, 0
        elif used + tokens > options.plain_tokens:
            yield start, end
            start = _overlap_start(text, start, end, overlap) if overlap else end
            used = count_tokens(text[start:end])
            start = first if start == end else start
        used += tokens
        end = last
    if end > start:
        yield start, end


def _pieces(text: str, most: int) -> Iterator[tuple[int, int, int]]:
    """Paragraphs with their tokens; those with more than `most` in pieces that have no more."""
    start = BLANK_LINES.match(text).end()  # type: ignore[union-attr]  # it matches nothing as well
    waiting = [(block.start, block.end) for block in reversed(blocks(text, start, len(text), (), has_heading=False))]
    while waiting:
        first, last = waiting.pop()
        # The line ends before a paragraph count too.
        tokens = count_tokens(text[first:last]) + 2
        if tokens <= most + 2 or last - first == 1:
            yield first, last, tokens
        else:
            limit = max(1, min((last - first) * most // tokens, last - first - 1))
            waiting += reversed(list(cut(text, first, last, limit, PROSE)))


def _overlap_start(text: str, start: int, end: int, most: int) -> int:
    """Where the last `most` tokens of a stretch begin, at a sentence or line if one does, else at a word."""
    window = max(start + 1, end - 8 * most)
    for patterns in ((SENTENCE, LINE), (WORD,)):
        places = sorted({found.end() for pattern in patterns for found in pattern.finditer(text, window, end)})
        chosen = bisect_left(places, -most, key=lambda place: -count_tokens(text[place:end]))
        if chosen < len(places) and text[places[chosen] : end].strip():
            return places[chosen]
    return character_border(text, window, max(window, end - most // 2)) if most > 1 else end
