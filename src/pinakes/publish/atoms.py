"""A document as the smallest stretches that may end a chunk.

A document enters, `Atom`s leave: stretches of its source that follow each other without a gap from the first byte to
the last, each with its size and the price of beginning a chunk there. A section's heading is the cheapest place, then
a blank line, then the end of a line or of a sentence, then anything.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pinakes.chunk.slices import with_line_feeds
from pinakes.prose import SENTENCE_END
from pinakes.records import Document, Span
from pinakes.tokens import count_tokens

BLOCK, ROW, SENTENCE, CODE_ROW, LETTER = 100, 200, 250, 300, 600
"""Prices of cutting at a blank line, at another line end, behind a sentence, at a line end inside of code, and anywhere
else within a line."""
_A_LEVEL = 3
"""What each level of a heading below the second adds to its price."""
_MANY = 5_000
"""With more atoms than this, small ones are joined across headings too: no page has so many, and time grows with their
number and how many make up a chunk."""
_SHARE = 8
"""Atoms under this part of the smallest chunk are joined with the next of their section."""

_BLANK = re.compile(rb"\n(?:[ \t\r\x0b\x0c]*\n)+")
_BREAK = re.compile(r"[ \t]+|[.,;:)\]}>]")


class Atom(NamedTuple):
    """A stretch of the source that is not cut."""

    start: int
    end: int
    tokens: int
    price: int
    """Of beginning a chunk here."""


def atoms(document: Document, smallest: int, largest: int) -> list[Atom]:
    """The atoms of a document whose chunks shall have so many tokens.

    A section that is no larger than the smallest chunk is not cut where there is room for that, and no other atom has
    more than half of the smallest chunk, so that chunks of these sizes can be put together from them.
    """
    seen = with_line_feeds(document.source)
    code = [block.span for block in document.code]
    limit = max(1, smallest // 2)
    whole = smallest if largest >= 3 * smallest else limit
    found: list[Atom] = []
    starts = list(_headings(document, seen))
    for (start, price), (end, _) in zip(starts, [*starts[1:], (len(seen), 0)], strict=True):
        own: list[Atom] = []
        tokens = _count(seen[start:end])
        if tokens <= whole:
            if end > start:
                found.append(Atom(start, end, tokens, price))
            continue
        for first, last in _blocks(seen, start, end, code):
            _add(own, seen, Span(first, last), BLOCK if own else price, code, limit)
        found += _joined(own, smallest // _SHARE, limit)
    return _joined(found, smallest // _SHARE, limit) if len(found) > _MANY else found


def _headings(document: Document, seen: bytes) -> Iterator[tuple[int, int]]:
    """Where sections begin, as whole lines, with their prices; the first is the beginning of the document."""
    yield 0, 0
    before = 0
    for section in document.sections[1:]:
        line = seen.rfind(b"\n", 0, section.span.start) + 1
        # A heading inside a quotation is part of that.
        if line > before and b">" not in seen[line : section.span.start]:
            yield line, _A_LEVEL * max(0, section.level - 2)
            before = line


def _blocks(seen: bytes, start: int, end: int, code: Sequence[Span]) -> Iterator[Span]:
    """The stretches between blank lines, which belong to what stands before them; code is never cut at those."""
    begin = start
    for blank in _BLANK.finditer(seen, start, end):
        at = blank.end()
        if begin < at < end and not _within(code, at):
            yield Span(begin, at)
            begin = at
    if end > begin:
        yield Span(begin, end)


def _within(code: Sequence[Span], at: int) -> bool:
    """Whether a place is inside a block of code, its first byte left out."""
    before = bisect_left(code, (at, 0)) - 1
    return before >= 0 and at < code[before].end


def _add(found: list[Atom], seen: bytes, block: Span, price: int, code: Sequence[Span], limit: int) -> None:
    """A block as one atom, or line by line, or piece by piece where a line alone is too long."""
    tokens = _count(seen[block.start : block.end])
    if tokens <= limit:
        found.append(Atom(block.start, block.end, tokens, price))
        return
    start = block.start
    while start < block.end:
        end = seen.find(b"\n", start, block.end) + 1 or block.end
        tokens = _count(seen[start:end])
        if tokens <= limit:
            found.append(Atom(start, end, tokens, price))
        else:
            _add_pieces(found, seen, Span(start, end), price, limit)
        start = end
        price = CODE_ROW if _within(code, start) else ROW


def _add_pieces(found: list[Atom], seen: bytes, line: Span, price: int, limit: int) -> None:
    """A line in pieces. Their tokens are counted one by one, which makes a little more of them than there are."""
    start = line.start
    step = max(1, 3 * limit * line.length // (4 * _count(seen[line.start : line.end])))
    while start < line.end:
        end = _letter_border(seen, start, min(line.end, start + step), line.end)
        tokens = _count(seen[start:end])
        if tokens > limit:
            # Denser than the rest of the line; no byte is more than two tokens.
            end = _letter_border(seen, start, min(end, start + max(1, limit // 2)), line.end)
            tokens = _count(seen[start:end])
        found.append(Atom(start, end, tokens, price))
        start, price = end, SENTENCE if seen[start:end].rstrip().endswith((b".", b"!", b"?")) else LETTER


def _letter_border(seen: bytes, start: int, end: int, line_end: int) -> int:
    """The last place before `end` behind a sentence, else behind a space or a sign, else between two characters."""
    if end >= line_end:
        return line_end
    middle = start + (end - start) // 2
    text = seen[middle:end].decode("utf-8", "surrogateescape")
    for border in (SENTENCE_END, _BREAK):
        at = max((found.end() for found in border.finditer(text)), default=0)
        if at:
            return middle + len(text[:at].encode("utf-8", "surrogateescape"))
    while end < line_end and seen[end] & 0xC0 == 0x80:
        end += 1
    return end


def _joined(found: list[Atom], least: int, most: int) -> list[Atom]:
    """Atoms of less than `least` tokens together with a neighbour, so that the cheaper of two borders remains; up to
    `most` tokens."""
    made: list[Atom] = []
    for place, atom in enumerate(found):
        after = found[place + 1].price if place + 1 < len(found) else 0
        last = made[-1] if made else None
        if (
            last is not None
            and (last.tokens < least or (atom.tokens < least and atom.price > after))
            and last.tokens + atom.tokens <= most
        ):
            made[-1] = Atom(last.start, atom.end, last.tokens + atom.tokens, last.price)
        else:
            made.append(atom)
    return made


def _count(text: bytes) -> int:
    return count_tokens(text.decode("utf-8", "replace"))
