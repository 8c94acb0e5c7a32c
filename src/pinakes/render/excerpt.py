"""The part of a hit to show first: it begins where the answer does, not where the section does.

A readable text with its marks enters, the end of it leaves, from the beginning of the paragraph, item or row where the
words of the question stand together. A row of a table comes with the head of the table, a line of code with its fence.
"""

from __future__ import annotations

import re

from pinakes.prose import SENTENCE_END
from pinakes.records import Hit, Span
from pinakes.render.readable import MarkedText, readable

WINDOW = 400
"""Characters within which words of the question stand together."""
_FAR = 200
"""Characters of a line that may come before the first of them."""
_STEM = 5
"""Letters by which words are told apart here: “blocks” is no other word than “block”."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HEADING = re.compile(r"#{1,6}[ \t]|\s*\Z")
_BLOCK = re.compile(r"[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|\||#{1,6}[ \t]|`{3}|~{3}|\*\*[^*]+\*\*\s*\Z|\s*\Z)")
_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})")
_DASHES = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*\|[-: \t|]*\Z")
"""The line between the head of a table and its rows."""


def excerpt(hit: Hit) -> MarkedText:
    """A hit from where it answers on, without its heading, which stands above it already."""
    whole = readable(hit)
    lines = [Span(*line.span()) for line in _LINE.finditer(whole.text)]
    first = 0
    heading = hit.trail[-1:]
    while first < len(lines) and (
        _HEADING.match(_text(whole, lines[first])) or (_text(whole, lines[first]).strip(),) == heading
    ):
        first += 1
    if first == len(lines):
        return MarkedText("", ())
    at = _answer(whole, lines, first)
    start = _sentence(whole, lines[at])
    head = _head(whole, lines, at) if start == lines[at].start else "… "
    marks = [Span(len(head) + mark.start - start, len(head) + mark.end - start) for mark in whole.marks]
    return MarkedText((head + whole.text[start:]).rstrip(), tuple(mark for mark in marks if mark.start >= len(head)))


def _text(whole: MarkedText, line: Span) -> str:
    return whole.text[line.start : line.end]


def _word(whole: MarkedText, mark: Span) -> str:
    return _text(whole, mark).lower()[:_STEM]


def _answer(whole: MarkedText, lines: list[Span], first: int) -> int:
    """The line with which to begin: that of the block where most different words of the question follow."""
    begin = lines[first].start
    marks = [(mark.start, _word(whole, mark)) for mark in whole.marks if mark.start >= begin]
    best, most = begin, 0
    for at, (start, _) in enumerate(marks):
        words = {word for place, word in marks[at:] if place < start + WINDOW}
        if len(words) > most:
            best, most = start, len(words)
    found = max(at for at, line in enumerate(lines) if line.start <= best)
    top = found
    while top > first and not _BLOCK.match(_text(whole, lines[top])):
        if _HEADING.match(_text(whole, lines[top - 1])):
            break
        top -= 1
    return top if best - lines[top].start < WINDOW else found


def _sentence(whole: MarkedText, line: Span) -> int:
    """Where to begin on a line: at its start, or at the sentence of its first mark where that is far along."""
    mark = next((mark.start for mark in whole.marks if mark.start >= line.start), line.start)
    if not line.start + _FAR < mark < line.end or whole.text.startswith("|", line.start):
        return line.start
    ends = [end.end() for end in SENTENCE_END.finditer(whole.text, line.start, mark)]
    return ends[-1] if ends else line.start


def _head(whole: MarkedText, lines: list[Span], at: int) -> str:
    """What must stand above a line so that it is still what it was: the head of its table, or the fence of its code."""
    top = at
    while top > 0 and "|" in _text(whole, lines[top - 1]):
        top -= 1
    if at > top:
        has_dashes = _DASHES.match(_text(whole, lines[top + 1]).rstrip()) is not None
        return whole.text[lines[top].start : lines[top + has_dashes].end] if at - top > has_dashes else ""
    fences = [line for line in lines[:at] if _FENCE.match(_text(whole, line))]
    return _text(whole, fences[-1]) if len(fences) % 2 else ""
