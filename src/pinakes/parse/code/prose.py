"""What people say in code: documentation strings and comments are paragraphs, everything else is code.

Positions enter, a `Structure` leaves. Quotes and comment signs are hidden, as marks are in other documents.
"""

from __future__ import annotations

import re

from pinakes.parse.code.definitions import Found
from pinakes.records import BlockKind, Structure
from pinakes.records.structure import pack_blocks, pack_spans

_PARAGRAPH = re.compile(rb"[^\s][^\n]*(?:\n(?![ \t]*(?:#|//|\*)*[ \t]*\r?\n)[^\n]+)*")


def structure_of(found: Found, text: bytes) -> Structure:
    """The blocks of a file in reading order, and what of it is marks."""
    blocks: list[int] = []
    reached = 0
    for start, end in sorted(found.prose):
        if start < reached:
            continue
        _note_code(blocks, text, reached, start)
        for paragraph in _PARAGRAPH.finditer(text, start, end):
            blocks += (*paragraph.span(), BlockKind.PARAGRAPH)
        reached = end
    _note_code(blocks, text, reached, len(text))
    edges: list[int] = []
    for start, end in sorted(found.marks):
        if edges and start <= edges[-1]:
            edges[-1] = max(edges[-1], end)
        elif end > start:
            edges += (start, end)
    return Structure(pack_blocks(blocks, 0), pack_spans(edges, 0))


def _note_code(blocks: list[int], text: bytes, start: int, end: int) -> None:
    piece = text[start:end]
    inner = piece.strip()
    if inner:
        begin = start + len(piece) - len(piece.lstrip())
        blocks += (begin, begin + len(inner), BlockKind.CODE)
