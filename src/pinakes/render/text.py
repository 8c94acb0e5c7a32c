"""Text for eyes: nothing a document says may steer the terminal, and colour only where it is wanted.

Untrusted strings enter, printable ones leave. Knows no record: what to print is the caller's choice.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0 and C1: the beginnings of ANSI and OSC sequences, bells, carriage returns
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # soft hyphen, fillers, Mongolian selectors
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # zero width, bidirectional, line separators, marks
    "\ud800-\udfff\U000e0000-\U000e0fff]"  # half characters, and the tags that can hide a whole message
)
"""What nobody sees or what steers a terminal."""


def safe(text: str, *, keep: str = "") -> str:
    """`text` with everything invisible or steering spelled out, such as ``\\x1b`` or ``\\u202e``.

    Characters in `keep` stay; when ``\\n`` is one of them, every kind of line end becomes ``\\n``.
    """
    if text.isprintable() and not UNSEEN.search(text):
        return text
    if "\n" in keep:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return UNSEEN.sub(lambda found: found[0] if found[0] in keep else _spelled(found[0]), text)


def one_line(text: str, longest: int = 0) -> str:
    """`text` on one line without anything invisible, cut to `longest` characters with ``…`` (0: never cut).

    Dropped and not spelled out, because this goes to models, which pay for every character.
    """
    if not text.isprintable() or "  " in text or not (text.isascii() or UNSEEN.search(text) is None):
        text = UNSEEN.sub("", " ".join(text.split()))
    text = text.strip()
    return text if not longest or len(text) <= longest else text[: longest - 1].rstrip() + "…"


def width(text: str) -> int:
    """How many columns `text` takes on a terminal: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def columns(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), gap: int = 2) -> str:
    """Rows as aligned lines; the columns in `right` are aligned to the right, line ends carry no spaces.

    Cells are made safe first, so style a line after this, not before.
    """
    cells = [[safe(cell) for cell in row] for row in rows]
    widths = [0] * max(map(len, cells), default=0)
    for row in cells:
        for place, cell in enumerate(row):
            widths[place] = max(widths[place], width(cell))
    lines = []
    for row in cells:
        padded = []
        for place, cell in enumerate(row):
            blank = " " * (widths[place] - width(cell))
            padded.append(blank + cell if place in right else cell + blank)
        lines.append((" " * gap).join(padded).rstrip())
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Style:
    """Bold, dim and colours where they are wanted, nothing elsewhere."""

    is_on: bool = False

    @classmethod
    def of(cls, stream: TextIO, environment: Mapping[str, str]) -> Style:
        """On for a terminal, unless ``NO_COLOR`` is set to anything or the terminal calls itself dumb."""
        return cls(stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb")

    def bold(self, text: str) -> str:
        return self._wrapped("1", text)

    def dim(self, text: str) -> str:
        return self._wrapped("2", text)

    def underline(self, text: str) -> str:
        return self._wrapped("4", text)

    def red(self, text: str) -> str:
        return self._wrapped("31", text)

    def green(self, text: str) -> str:
        return self._wrapped("32", text)

    def yellow(self, text: str) -> str:
        return self._wrapped("33", text)

    def blue(self, text: str) -> str:
        return self._wrapped("34", text)

    def _wrapped(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.is_on and text else text


def _spelled(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
