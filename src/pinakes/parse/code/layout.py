"""Blanks around what stands in a line of code. Texts and positions enter, positions leave.

A file may be one long line, and a grammar may find a definition at every few bytes of it: so nothing here looks
farther than people write.
"""

from __future__ import annotations

_WIDEST = 1_000
"""Blanks in front of a definition, and between it and the comment above it: nobody leaves more."""
_PIECE = 4_096


def line_begin(text: bytes, position: int) -> int:
    """Where the line of a position begins, or where people would have begun one."""
    first = max(position - _WIDEST, 0)
    return text.rfind(b"\n", first, position) + 1 or first


def is_first_on_its_line(text: bytes, position: int) -> bool:
    """Whether nothing but blanks stands before a position on its line."""
    begin = line_begin(text, position)
    is_begin = not begin or text[begin - 1 : begin] == b"\n"
    return is_begin and not text[begin:position].strip()


def is_next_line(text: bytes, end: int, position: int) -> bool:
    """Whether a position stands on the line behind another one, with nothing but blanks between them."""
    if position - end > 2 * _WIDEST:
        return False
    between = text[end:position]
    return between.count(b"\n") == 1 and not between.strip()


def without_blanks_before(text: bytes, position: int) -> int:
    """The position, or the end of what stands before the blanks in front of it."""
    while position:
        piece = text[max(position - _PIECE, 0) : position]
        kept = len(piece.rstrip())
        position -= len(piece) - kept
        if kept:
            break
    return position
