"""Where a text without blocks may be cut: between items, sentences, lines, words, and in the end characters.

A stretch of text and a limit enter, stretches within the limit leave. Every step looks at no more than one limit's
worth of characters and takes at least a quarter of it, so that time grows with the text alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from pinakes.prose import SENTENCE_END

BLANKS = " \t\r\n\x0b\x0c"
"""What bytes call white space; other spaces are characters like any other."""
BLANK_LINES = re.compile(r"(?:[ \t\r\x0b\x0c]*+\n)*+")

_ITEM = re.compile(r"\n(?=[ \t>]*+(?:[-*+#.•]{1,6}|\d{1,9}[.)])[ \t])")
_GAP = re.compile(r"\n[ \t\r\x0b\x0c]*+\n")
LINE = re.compile(r"\n")
WORD = re.compile(r"[ \t\u2000-\u200b\u3000]++|[、，；：､]")

PROSE = (_GAP, _ITEM, SENTENCE_END, LINE, WORD)
"""Paragraphs may be wrapped anywhere, so that the end of a sentence says more than the end of a line."""
ROWS = (_GAP, LINE, SENTENCE_END, WORD)
"""For code, tables and markup."""

_JOINERS = frozenset("\u200d\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
_LONGEST_CLUSTER = 32
"""Marks that one character may carry; longer runs are somebody's joke and are cut."""


def cut(text: str, start: int, end: int, limit: int, borders: Sequence[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    """Stretches of at most `limit` characters that hold everything between `start` and `end` but white space."""
    while end - start > limit:
        parts = -(-(end - start) // limit)
        aim = start - (-(end - start) // parts)
        at = _border(text, start, aim, start + limit, borders)
        stop = trimmed(text, start, at)
        if stop > start:
            yield start, stop
        start = min(BLANK_LINES.match(text, at).end(), end)  # type: ignore[union-attr]  # it matches nothing as well
    if end > start:
        yield start, end


def trimmed(text: str, start: int, end: int) -> int:
    """Where the text before `end` stops, white space left out."""
    return start + len(text[start:end].rstrip(BLANKS))


def _border(text: str, start: int, aim: int, latest: int, borders: Sequence[re.Pattern[str]]) -> int:
    """The best place to cut: the first one from `aim` on, else the last one before it that makes no mere scrap."""
    earliest = start + (latest - start) // 4
    for pattern in borders:
        at = 0
        for found in pattern.finditer(text, earliest, latest):
            at = found.end()
            if at >= aim:
                break
        if at > start:
            return at
    return character_border(text, start, aim)


def character_border(text: str, start: int, at: int) -> int:
    """The last place from `at` back that separates no sign from the character it belongs to."""
    for place in range(at, max(start, at - _LONGEST_CLUSTER), -1):
        if not (text[place - 1] == "\u200d" or text[place] in _JOINERS or unicodedata.category(text[place])[0] == "M"):
            return place
    return at
