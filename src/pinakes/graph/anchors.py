"""Which section a fragment means.

A document's anchors and the part of a link after ``#`` enter; the canonical anchor of a section leaves, or None. Where
the document is and how the link got there is not known here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from urllib.parse import unquote

from pinakes.slugs import slug

_PREFIX_ON_GITHUB = "user-content-"
"""GitHub puts this before every id of a page and finds sections with or without it."""
_TEXT_DIRECTIVE = ":~:"
"""Marks the rest of a fragment as words to highlight, not as a place."""
_LINES = re.compile(r"L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?\Z")
"""Lines of a file's source, which every file has."""


def fold(text: str) -> str:
    """Text without its case and without the difference between composed and decomposed letters."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


class Anchors:
    """The anchors of one document."""

    __slots__ = ("_exact", "_folded")

    def __init__(self, anchors: Mapping[str, str]) -> None:
        self._exact = anchors
        self._folded: dict[str, str] = {}
        # Headings before other ids, then by name: engines may list them in any order.
        for anchor in sorted(anchors, key=lambda anchor: (anchor != anchors[anchor], anchor)):
            self._folded.setdefault(fold(anchor), anchors[anchor])

    def __bool__(self) -> bool:
        return bool(self._exact)

    def exactly(self, anchor: str) -> str:
        """The section with this anchor, letter by letter; empty when there is none."""
        return self._exact.get(anchor, "")

    def find(self, fragment: str, *, by_heading: bool = False) -> str | None:
        """The section a fragment means; an empty answer is the document as a whole, None is nothing.

        Browsers want the anchor itself, in any case on GitHub. `by_heading` also takes the words of a heading, as
        between double brackets, or the anchor that another way of making them gives.
        """
        fragment = fragment.partition(_TEXT_DIRECTIVE)[0]
        if not fragment:
            return ""
        found = self._exact.get(fragment)
        if found is not None:
            return found
        plain = unquote(fragment, errors="surrogateescape")
        for spelled in (plain, plain.removeprefix(_PREFIX_ON_GITHUB), plain.removeprefix("^")):
            found = self._exact.get(spelled)
            if found is None:
                found = self._folded.get(fold(spelled))
            if found is not None:
                return found
        if by_heading:
            # Asciidoctor makes `_token_lifetime` of what is `token-lifetime` elsewhere.
            for words in (plain.strip(), plain.strip(" _").replace("_", " ")):
                found = self._folded.get(slug(words)) if slug(words) else None
                if found is not None:
                    return found
        return "" if fold(plain) == "top" or _LINES.match(plain) else None
