"""What a parser notes down while it reads a body, and how the blocks and marks of it become a `Structure`.

`Contents` holds plain positions, no records. Stretches that meet or overlap are joined here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from pinakes.parse.html import code_stretches
from pinakes.records import BlockKind, LinkForm, Shape, Structure
from pinakes.records.structure import pack_blocks, pack_spans

_HEADING = re.compile(rb"(?:([!-/:-@\[-`{-~])\1+[ \t\r]*\n)?[^\n]*+(?:\n([!-/:-@\[-`{-~])\2+[ \t\r]*(?=\n|\Z))?")
"""One line, with an ornament below it, or above and below."""
_MARKER = rb"[ \t]*+(?:[-*+\x95]|\d{1,9}[.)]|#\.|[*.]{2,6})[ \t]+(?=\S)"
_PARAGRAPH = re.compile(
    rb"(?m)^(%b)?[ \t\r\f\v]*+[^\s][^\n]*+(?:\n(?!%b)[ \t\r\f\v]*+[^\s][^\n]*+)*+" % (_MARKER, _MARKER)
)
"""Lines up to a blank one or to the marker of a list, which is the first group."""
_CODE_SPAN = re.compile(rb"(?<![`\\])(`{1,2})(?![`\s])[^`\n]{1,500}?\1(?!`)")


@dataclass(slots=True)
class Contents:
    """What a body holds, in reading order. Texts are lists of pieces, to be joined when reading is over."""

    headings: list[tuple[int, int, list[str]]] = field(default_factory=list)
    """Start, level, text."""
    links: list[tuple[int, int, LinkForm, str, list[str]]] = field(default_factory=list)
    """Start, end, form, target, text."""
    anchors: list[tuple[int, int, str]] = field(default_factory=list)
    """Start, end, id."""
    code: list[tuple[int, int, str, int]] = field(default_factory=list)
    """Start, end, language, number of headings before it."""
    shapes: list[tuple[int, Shape]] = field(default_factory=list)
    """Number of headings before it, shape."""
    tags: set[str] = field(default_factory=set)
    tables: list[tuple[int, int]] = field(default_factory=list)
    """Start and end of tables that may hold blank lines, of notations that are not Markdown."""
    blocks: list[int] = field(default_factory=list)
    """Start, end and `BlockKind`, by turns."""
    gaps: list[int] = field(default_factory=list)
    """Start and end, by turns and rising, of everything between two stretches of visible text but blank lines."""
    hidden: list[tuple[int, int]] = field(default_factory=list)
    """Start and end of what no reader sees within the visible stretches, in any order."""
    verbatim: list[int] = field(default_factory=list)
    """Start and end, by turns and rising, of code among words."""
    formulas: list[tuple[int, int]] = field(default_factory=list)
    """Start and end of what else is no prose, in any order."""


def structure(found: Contents, begin: int) -> Structure:
    """The structure of a body that begins at `begin`; what stands before it is hidden."""
    gaps, verbatim = found.gaps, found.verbatim
    if found.hidden:
        gaps = _united([*zip(gaps[::2], gaps[1::2], strict=True), *found.hidden])
    if found.formulas:
        verbatim = _united([*zip(verbatim[::2], verbatim[1::2], strict=True), *found.formulas])
    if begin and gaps[:1] == [0]:
        gaps[0] = -begin
    elif begin:
        gaps[:0] = (-begin, 0)
    return Structure(pack_blocks(found.blocks, begin), pack_spans(gaps, begin), pack_spans(verbatim, begin))


def note_blocks(found: Contents, body: bytes) -> None:
    """Note down the blocks of a notation other than Markdown: between blank lines and at the markers of lists."""
    whole = [(start, end, BlockKind.CODE) for start, end, *_ in found.code]
    whole += [(start, end, BlockKind.TABLE) for start, end in found.tables]
    begins = sorted(start for start, *_ in whole)
    for start, *_ in found.headings:
        # What begins a block of code is no ornament, whatever it looks like.
        limit = bisect_right(begins, start)
        stop = begins[limit] if limit < len(begins) else len(body)
        whole.append((start, _HEADING.match(body, start, stop).end(), BlockKind.HEADING))  # type: ignore[union-attr]
    reached = 0
    for start, end, kind in sorted(whole):
        if start >= reached:
            _note_paragraphs(found, body, reached, start)
            found.blocks += (start, end, kind)
            reached = end
    _note_paragraphs(found, body, reached, len(body))
    found.formulas += [code.span() for code in _CODE_SPAN.finditer(body)]
    if b"<" in body:
        found.formulas += code_stretches(body)
    for start, end, _, target, texts in found.links:
        text = "".join(texts).encode()
        shown = body.find(text, start, end) if texts != [target] else -1
        if shown >= 0:
            found.hidden += ((start, shown), (shown + len(text), end))


def _note_paragraphs(found: Contents, body: bytes, start: int, end: int) -> None:
    for block in _PARAGRAPH.finditer(body, start, end):
        kind = BlockKind.PARAGRAPH
        if block[1]:
            kind = BlockKind.ITEM
            # The line end before it goes too, so that items are apart.
            found.hidden.append((max(block.start() - 1, start), block.end(1)))
        elif block[0].lstrip().startswith((b"|", b"+-", b"+=")):
            kind = BlockKind.TABLE
        found.blocks += (*block.span(), kind)


def _united(spans: Iterable[tuple[int, int]]) -> list[int]:
    """Starts and ends by turns; stretches that meet are one."""
    edges: list[int] = []
    for start, end in sorted(spans):
        if edges and start <= edges[-1]:
            edges[-1] = max(edges[-1], end)
        elif end > start:
            edges += (start, end)
    return edges
