"""Anchors as GitHub makes them.

Heading text enters, the anchor GitHub gives that heading leaves. What the heading says or where it stands is no
concern of this module.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_ASCII_KEPT = string.ascii_letters + string.digits + "_- "
_ASCII_CHANGED = bytes(
    ord(sign.lower().replace(" ", "-")) if sign in _ASCII_KEPT else 0 for sign in map(chr, range(256))
)
"""What becomes of each sign; those that are dropped become NUL and are removed together, which is twice as fast."""
_KEPT = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Nd", "Mn", "Mc", "Me", "Pc"))
_LETTERS_AMONG_SYMBOLS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
"""Circled and squared letters: Unicode calls them alphabetic although their category is that of a symbol."""


def slug(text: str) -> str:
    """GitHub's anchor for a heading that stands alone: lower case, punctuation gone, each space a hyphen."""
    if text.isascii():
        return text.encode().translate(_ASCII_CHANGED).replace(b"\x00", b"").decode()
    return "".join([letter for letter in text.lower() if _is_kept(letter)]).replace(" ", "-")


@lru_cache(maxsize=8192)
def _is_kept(letter: str) -> bool:
    if letter in " -" or unicodedata.category(letter) in _KEPT:
        return True
    code = ord(letter)
    return any(first <= code <= last for first, last in _LETTERS_AMONG_SYMBOLS)


class Slugger:
    """The anchors of one document: repeats get ``-1``, ``-2``, … in reading order."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def slug(self, text: str) -> str:
        """GitHub's anchor for the next heading; empty for the first heading made of nothing but punctuation."""
        first = slug(text)
        seen = self._seen
        if first not in seen:
            seen[first] = 0
            return first
        count = seen[first]
        found = first
        while found in seen:
            count += 1
            found = f"{first}-{count}"
        seen[first] = count
        seen[found] = 0
        return found

    def anchor(self, text: str) -> str:
        """Like `slug`, but never empty: the empty anchor belongs to the document as a whole.

        Where GitHub leaves a heading without an anchor it numbers the repeats from ``-1``, so the first becomes ``-0``.
        """
        found = self.slug(text)
        return found or self.slug("-0")

    def anchors(self, texts: Iterable[str]) -> list[str]:
        """What `anchor` gives for each text, with a third of the calls: few headings repeat."""
        seen = self._seen
        made = []
        for text in texts:
            first = slug(text)
            if first and first not in seen:
                seen[first] = 0
                made.append(first)
            else:
                made.append(self.anchor(text))
        return made
