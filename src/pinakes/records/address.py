"""Addresses: where a document or a section is, and which stretch of it is meant.

A `Ref` prints as ``docs:guide/auth.md#tokens`` and parses back to itself for every path a file system allows:
``%``, ``#``, control characters and bytes that are not UTF-8 are percent-encoded in the printed form only.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from pinakes.errors import BadAddress

CorpusName = str
"""The name of a body of documents: ``docs``, ``memories``, ``history``, …"""

DOCS: CorpusName = "docs"
"""The documents below the root; those of a further root are ``docs@name``."""
MEMORIES: CorpusName = "memories"
"""Notes of people and agents."""
HISTORY: CorpusName = "history"
"""Commits."""
ADDED: CorpusName = "added"
"""Documents from elsewhere, by project."""
CODE: CorpusName = "code"
"""The source code below the root."""
ALL_CORPORA: CorpusName = "all"
"""Stands for every corpus in a filter; no corpus has this name."""

_CORPUS = re.compile(r"[a-z][a-z0-9_@-]*\Z")
_UNPRINTABLE = re.compile("[%#\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Span(NamedTuple):
    """A half-open stretch ``[start, end)`` of bytes or of lines, counted from 0.

    A named tuple and not a dataclass: half a million are made in one sync, and tuples are built four times faster.
    """

    start: int
    end: int

    def __contains__(self, position: object) -> bool:
        return isinstance(position, int) and self.start <= position < self.end

    @property
    def length(self) -> int:
        return self.end - self.start

    def outside(self) -> str:
        """As people count lines: from 1, both ends included (``12-30``, or ``12`` for a single line)."""
        first, last = self.start + 1, max(self.end, self.start + 1)
        return f"{first}-{last}" if last > first else str(first)


class Ref(Struct, frozen=True, order=True):
    """The address of a document (no anchor) or of one of its sections."""

    corpus: CorpusName
    """The body of documents it belongs to."""
    path: str
    """Relative to the corpus's root, with ``/``, exactly as on disk (undecodable bytes as surrogates)."""
    anchor: str = ""
    """The section's anchor; empty for the document as a whole."""

    def __str__(self) -> str:
        text = f"{self.corpus}:{_escape(self.path)}"
        return f"{text}#{_escape(self.anchor)}" if self.anchor else text

    @property
    def document(self) -> Ref:
        """The address of the whole document: this one without its anchor."""
        return Ref(self.corpus, self.path) if self.anchor else self

    @property
    def label(self) -> str:
        """The document's path as it is on disk, with the corpus in front unless it is one of the root's documents."""
        return self.path if self.corpus == DOCS else f"{self.corpus}:{self.path}"

    @classmethod
    def parse(cls, text: str, corpus: CorpusName = DOCS) -> Ref:
        """Read a printed address; without a ``corpus:`` prefix it belongs to `corpus`."""
        name, colon, rest = text.partition(":")
        if colon and _CORPUS.match(name):
            corpus = name
        else:
            rest = text
        path, _, anchor = rest.partition("#")
        if not path:
            raise BadAddress(f"“{text}” names no document.", "Write path#anchor, such as guide/auth.md#tokens.")
        return cls(corpus, _unescape(path), _unescape(anchor))

    @classmethod
    def parse_or_none(cls, text: str) -> Ref | None:
        """Like `parse`; None for a text that names no document."""
        try:
            return cls.parse(text)
        except BadAddress:
            return None


def _escape(text: str) -> str:
    return _UNPRINTABLE.sub(lambda found: "".join(f"%{byte:02X}" for byte in os.fsencode(found[0])), text)


def _unescape(text: str) -> str:
    return os.fsdecode(unquote_to_bytes(text.encode("utf-8", "surrogateescape"))) if "%" in text else text
