"""Plain text becomes chunks of about as many tokens as asked for, each beginning with the end of the one before.

Paragraphs stay whole where they fit, then sentences; the overlap begins at a sentence, else at a word.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from pinakes.chunk.borders import BLANK_LINES, LINE, PROSE, WORD, character_border, cut, trimmed
from pinakes.chunk.options import ChunkOptions
from pinakes.chunk.slices import Home, append_chunks, with_line_feeds
from pinakes.chunk.units import Stretch, Unit, passages, units
from pinakes.prose import SENTENCE_END
from pinakes.records import Chunk, Document, Span
from pinakes.tokens import count_tokens

_MOST_OVERLAP = 0.5
_Piece = tuple[int, int, int]
"""Start, end and tokens of a paragraph or a part of one."""


def plain_chunks(document: Document, options: ChunkOptions) -> tuple[Chunk, ...]:
    """The chunks of a text without structure."""
    begin = document.sections[0].span.start
    text = with_line_feeds(document.source)[begin:].rstrip().decode("utf-8", "surrogateescape")
    made: list[Chunk] = []
    paragraphs = units(document, text, Span(begin, len(document.source)))
    found = [
        (window, passages(text, _within(paragraphs, window), options.passage_chars))
        for window in _windows(text, paragraphs, options)
    ]
    append_chunks(made, text, Home(0, begin, 0, ()), found)
    return tuple(made)


def _within(paragraphs: Sequence[Unit], window: Stretch) -> list[Unit]:
    """What of the paragraphs lies in a window."""
    start, end = window
    return [
        unit._replace(start=max(unit.start, start), end=min(unit.end, end))
        for unit in paragraphs
        if unit.end > start and unit.start < end
    ]


def _windows(text: str, paragraphs: Sequence[Unit], options: ChunkOptions) -> Iterator[Stretch]:
    """Stretches of whole pieces, each with the overlap before it, of no more tokens than asked for."""
    most = options.plain_tokens
    overlap = int(most * min(max(options.plain_overlap, 0.0), _MOST_OVERLAP))
    pieces = list(_split_long_paragraphs(text, paragraphs, max(1, most - overlap)))
    first = start = 0
    while first < len(pieces):
        start = start or pieces[first][0]
        last = _fitting(text, start, pieces, first, most)
        if last == first:
            start, last = pieces[first][0], first + 1
        end = pieces[last - 1][1]
        yield start, end
        start = _overlap_start(text, start, end, overlap) if overlap else 0
        first = last


def _fitting(text: str, start: int, pieces: Sequence[_Piece], first: int, most: int) -> int:
    """Behind the last piece that still fits when a stretch begins at `start`."""
    used = 0
    reached = start
    last = first
    while last < len(pieces):
        begin, end, tokens = pieces[last]
        used += count_tokens(text[reached:begin]) + tokens
        if used > most:
            break
        reached = end
        last += 1
    # The tokens of pieces do not quite add up to those of the whole.
    while last > first and count_tokens(text[start : pieces[last - 1][1]]) > most:
        last -= 1
    return last


def _split_long_paragraphs(text: str, paragraphs: Sequence[Unit], most: int) -> Iterator[_Piece]:
    """Paragraphs with their tokens; those with more than `most` in pieces that have no more."""
    waiting = [(unit.start, unit.end) for unit in reversed(paragraphs)]
    while waiting:
        first, last = waiting.pop()
        tokens = count_tokens(text[first:last])
        if tokens <= most or last - first == 1:
            yield first, last, tokens
        else:
            limit = max(1, min((last - first) * most // tokens, last - first - 1))
            waiting += reversed(list(cut(text, first, last, limit, PROSE)))


def _overlap_start(text: str, start: int, end: int, most: int) -> int:
    """Where about the last `most` tokens of a stretch begin: at a sentence or line, else at a word; 0 for nowhere."""
    window = max(start + 1, end - 8 * most)
    for patterns in ((SENTENCE_END, LINE), (WORD,)):
        places = sorted({found.end() for pattern in patterns for found in pattern.finditer(text, window, end)})
        chosen = bisect_left(places, -most, key=lambda place: -count_tokens(text[place:end]))
        if chosen < len(places):
            place = BLANK_LINES.match(text, places[chosen], end).end()  # type: ignore[union-attr]
            if trimmed(text, place, end) > place:
                return place
    place = character_border(text, window, max(window, end - most // 4)) if most >= 4 else end
    return place if place < end else 0
