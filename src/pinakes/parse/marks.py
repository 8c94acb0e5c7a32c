"""What the formats written for plain text editors have in common.

Rows of bytes and positions enter; code, shapes and bare links are noted down in a `Contents`. Every pattern here and in
the formats' own modules either stops at the sign it starts with or swallows what it looked at, so that no text makes
reading slower than its length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from pinakes.parse import inline_marks
from pinakes.parse.decode import Lines
from pinakes.parse.structure import Contents
from pinakes.records import LinkForm, Shape

_DIAGRAMS = frozenset(("mermaid", "plantuml", "uml", "dot", "graphviz", "ditaa", "d2"))
_PROTOCOL = re.compile(rb"https?://", re.IGNORECASE)
_NOT_LINE_ENDS = re.compile(rb"[^\r\n]")
IMAGE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|ico|avif)\Z", re.IGNORECASE)


class Rows(NamedTuple):
    """A body cut into lines."""

    texts: list[bytes]
    """Without their line ends."""
    starts: list[int]
    size: int

    def start(self, row: int) -> int:
        """Where a row begins; the row after the last begins at the end."""
        return self.starts[row] if row < len(self.starts) else self.size

    def blank(self, row: int) -> bool:
        """Whether a row is empty, or not there at all."""
        return not 0 <= row < len(self.texts) or not self.texts[row].strip()


def rows_of(body: bytes) -> Rows:
    """The rows of a body; like everywhere, only ``\\n``, ``\\r\\n`` and ``\\r`` end one."""
    return Rows(body.splitlines(), Lines(body).starts, len(body))


def indent_of(row: bytes) -> int:
    """How many spaces or tabs a row starts with."""
    return len(row) - len(row.lstrip(b" \t"))


def indented_end(rows: Rows, first: int, indent: int) -> int:
    """The row after the last that stands deeper than `indent`, from row `first` on; blank rows at the end left out."""
    end = row = first
    while row < len(rows.texts):
        if not rows.blank(row):
            if indent_of(rows.texts[row]) <= indent:
                break
            end = row + 1
        row += 1
    return end


def note_code(found: Contents, start: int, end: int, language: str) -> None:
    """A block of code after all headings noted so far."""
    language = language.lower()
    position = len(found.headings)
    found.code.append((start, end, language, position))
    found.shapes.append((position, Shape.DIAGRAM if language in _DIAGRAMS else Shape.CODE))


def note_table(found: Contents, start: int = 0, end: int = 0) -> None:
    """A table after all headings noted so far; where it may hold blank lines, from where to where it goes."""
    found.shapes.append((len(found.headings), Shape.TABLE))
    if end:
        found.tables.append((start, end))


def quieted(body: bytes, spans: Iterable[tuple[int, int]]) -> bytes:
    """The body with the spans blanked out, so that nothing is found in them and every position stays."""
    quiet = bytearray(body)
    for start, end in spans:
        quiet[start:end] = _NOT_LINE_ENDS.sub(b" ", quiet[start:end])
    return bytes(quiet)


def note_bare_links(found: Contents, quiet: bytes) -> None:
    """URLs and file paths that stand in the text as they are, unless a link already covers them."""
    taken = sorted((start, end) for start, end, *_ in found.links)
    starts = [start for start, _ in taken]
    bare = [(place, LinkForm.LINK) for place in _urls(quiet)]
    bare += [(place, LinkForm.PATH) for place in inline_marks.paths(quiet, 0, len(quiet))]
    reached = 0
    for place, form in sorted(bare, key=lambda each: each[0][:2]):
        before = bisect_right(starts, place.start) - 1
        is_covered = before >= 0 and place.start < taken[before][1]
        meets_next = before + 1 < len(taken) and taken[before + 1][0] < place.end
        if place.start >= reached and not is_covered and not meets_next:
            found.links.append((place.start, place.end, form, place.text, [place.text]))
            reached = place.end


def _urls(quiet: bytes) -> Iterable[inline_marks.Mention]:
    reached = 0
    for protocol in _PROTOCOL.finditer(quiet):
        at = protocol.start()
        if at >= reached and not quiet[max(0, at - 1) : at].isalnum():
            place = inline_marks.url(quiet, at)
            if place is not None:
                reached = place.end
                yield place
