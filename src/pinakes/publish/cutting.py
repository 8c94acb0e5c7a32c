"""Where is a document cut? Along its sections, in chunks that are neither too short nor too long.

A document and two sizes enter, `Cut`s leave: byte spans that follow each other without a gap, so that nothing is
dropped and the source is what they make when laid end to end. Of all ways to cut, the one with the lowest price is
taken; what a place costs is said in `atoms`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from pinakes.chunk.slices import with_line_feeds
from pinakes.publish.atoms import LETTER, SENTENCE, Atom, atoms
from pinakes.records import Document, Span
from pinakes.tokens import count_tokens

_TOO_SHORT = 2_000
"""What a chunk under the least size costs, and more the shorter it is: any other cut is better."""
_LONG = 5.0
"""What a chunk of the greatest size costs beside one of middling size: less than cutting two levels of headings deeper.
Sections that are long enough are therefore chunks of their own."""


_FENCES = (b"```", b"~~~")


class Cut(NamedTuple):
    """A chunk of a document."""

    span: Span
    lines: Span
    tokens: int
    code_ratio: float
    """Share of its lines that are code."""
    title: str
    """Of the section it begins in."""
    headings: tuple[str, ...]
    """Of the sections that begin in it."""


def cut(document: Document, min_tokens: int, max_tokens: int) -> tuple[Cut, ...]:
    """The chunks of a document, in its order; none of an empty one."""
    found = atoms(document, min_tokens, max_tokens)
    if not found:
        return ()
    seen = with_line_feeds(document.source)
    starts = [section.span.start for section in document.sections]
    made = []
    line = 0
    for first, last in _cheapest(found, min_tokens, max_tokens):
        span = Span(found[first].start, found[last - 1].end)
        count = seen.count(b"\n", span.start, span.end)
        is_whole_line = seen[span.end - 1 : span.end] == b"\n"
        lines = Span(line, line + count + (0 if is_whole_line else 1))
        begun = range(bisect_right(starts, span.start - 1), bisect_right(starts, span.end - 1))
        made.append(
            Cut(
                span,
                lines,
                _tokens(found[first:last], seen),
                _code_lines(document, seen, span) / max(1, lines.length),
                _title(document, bisect_right(starts, _text_start(document, seen, span)) - 1, span),
                tuple(document.sections[place].title for place in begun if place),
            )
        )
        line += count
    return tuple(made)


def _tokens(held: Sequence[Atom], seen: bytes) -> int:
    """Sizes add up where lines are whole; elsewhere it is counted again."""
    if all(atom.price not in (SENTENCE, LETTER) for atom in held):
        return sum(atom.tokens for atom in held)
    return count_tokens(seen[held[0].start : held[-1].end].decode("utf-8", "replace"))


def _cheapest(found: Sequence[Atom], least: int, most: int) -> list[tuple[int, int]]:
    """The ranges of atoms that cost least together, found from the end: what follows a cut does not depend on what
    stands before it."""
    middle, half = (least + most) / 2, (most - least) / 2
    ends = len(found)
    best = [0.0] * (ends + 1)
    chosen = [ends] * (ends + 1)
    for first in range(ends - 1, -1, -1):
        lowest = float("inf")
        size = 0
        for last in range(first + 1, ends + 1):
            size += found[last - 1].tokens
            if size > most and last > first + 1:
                break
            price = best[last] + (found[last].price if last < ends else 0)
            price += _LONG * max(0.0, size - middle) / half if size >= least else _TOO_SHORT + 10 * (least - size)
            if price < lowest:
                lowest, chosen[first] = price, last
        best[first] = lowest
    ranges = []
    first = 0
    while first < ends:
        ranges.append((first, chosen[first]))
        first = chosen[first]
    return ranges


def _text_start(document: Document, seen: bytes, span: Span) -> int:
    """Where a chunk begins to say something: behind frontmatter and white space, and at a heading behind its marks."""
    start = max(span.start, min(document.body, span.end - 1))
    while start < span.end - 1 and seen[start] in b" \t\r\n":
        start += 1
    end = seen.find(b"\n", start, span.end)
    return max(start, (end if end >= 0 else span.end) - 1)


def _title(document: Document, position: int, span: Span) -> str:
    """The heading that a chunk begins under, which may stand before it."""
    if position <= 0:
        return document.title
    title = document.sections[position].title or document.title
    return title if document.sections[position].span.start >= span.start else f"{title} (continued)"


def _code_lines(document: Document, seen: bytes, span: Span) -> int:
    """Lines of what was written as code on purpose: in Markdown inside fences. An indented block may be anything, the
    text of a note or of a list too."""
    counted = 0
    code = document.code
    is_markdown = document.stamp.media.is_markdown
    for place in range(bisect_right(code, span.start, key=lambda block: block.span.end), len(code)):
        start, end = max(code[place].span.start, span.start), min(code[place].span.end, span.end)
        if start >= end:
            break
        if is_markdown and not document.source.startswith(_FENCES, code[place].span.start):
            continue
        counted += seen.count(b"\n", start, end - 1) + 1
    return counted
