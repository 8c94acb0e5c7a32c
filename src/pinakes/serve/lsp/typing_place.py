"""What somebody is about to write where the cursor stands: a path, an anchor, a wikilink or a tag.

The text up to the cursor enters, a `TypingPlace` leaves, or None where nothing of ours is written. Text that is being
typed is not valid yet, so no parser is asked: only the line, and whether it lies in the frontmatter or in code.
"""

from __future__ import annotations

import re
from enum import Enum

from msgspec import Struct

from pinakes.records import BlockKind, Document


class Wanted(Enum):
    """What completes the text."""

    PATH = "path"
    ANCHOR = "anchor"
    NOTE = "note"
    """The name of a document between double brackets."""
    HEADING = "heading"
    """A heading of such a document."""
    TAG = "tag"


class TypingPlace(Struct, frozen=True):
    """What is being written."""

    wanted: Wanted
    typed: str
    """What stands there already and is replaced."""
    target: str = ""
    """The document that an anchor or heading is of, as written; empty for the one at hand."""


_NOTE = re.compile(r"!?\[\[([^\[\]|\r\n]*)\Z")
_ADDRESSES = (
    re.compile(r"\]\(\s*<([^<>\r\n]*)\Z"),
    re.compile(r"\]\(\s*([^()<>\s\"']*)\Z"),
    re.compile(r"\A {0,3}\[[^\[\]]+\]:\s*<?([^<>\s]*)\Z"),
    re.compile(r"\b(?:href|src)\s*=\s*\"([^\"<>]*)\Z", re.IGNORECASE),
    re.compile(r"\b(?:href|src)\s*=\s*'([^'<>]*)\Z", re.IGNORECASE),
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_TAG = re.compile(r"(?:\A|(?<=\s))#([\w/-]*)\Z")
_TAG_FIELD = re.compile(r"\A[\"']?tags?[\"']?\s*:\s*(?:\[|.*[,\s\[])?[\"'#]*([\w/-]*)\Z", re.IGNORECASE)
_TAG_ITEM = re.compile(r"\A\s*-\s+[\"'#]*([\w/-]*)\Z")
_OPEN_TAGS = re.compile(r"\A[\"']?tags?[\"']?\s*:\s*\Z", re.IGNORECASE)
_FENCE = re.compile(r"\A(?:---|\.\.\.)\s*\Z")
_LONGEST = 2000
"""Characters of a line that are looked at; no link is longer."""


def typing_place(document: Document, offset: int) -> TypingPlace | None:
    """What is being written at a byte of a document; None where nothing is to be completed."""
    if not document.stamp.media.is_markdown:
        return None
    before = document.source[:offset]
    line = re.split(rb"\r\n|\n|\r", before[-4 * _LONGEST :])[-1].decode("utf-8", "ignore")
    if before.startswith(b"---"):
        lines = before.decode("utf-8", "ignore").splitlines()
        if not before.endswith((b"\n", b"\r")):
            lines = lines[:-1]
        if lines and not any(_FENCE.match(one) for one in lines[1:]):
            return _in_frontmatter(lines[1:], line)
    if _is_code(document, offset) or line.count("`") % 2:
        return None
    if note := _NOTE.search(line):
        target, mark, typed = note[1].partition("#")
        return TypingPlace(Wanted.HEADING, typed, target) if mark else TypingPlace(Wanted.NOTE, target)
    for form in _ADDRESSES:
        if (found := form.search(line)) and not _SCHEME.match(found[1]):
            target, mark, typed = found[1].partition("#")
            return TypingPlace(Wanted.ANCHOR, typed, target) if mark else TypingPlace(Wanted.PATH, target)
    if (tag := _TAG.search(line)) and (tag[1] or line.strip() != "#"):  # a lone one begins a heading
        return TypingPlace(Wanted.TAG, tag[1])
    return None


def _in_frontmatter(above: list[str], line: str) -> TypingPlace | None:
    found = _TAG_FIELD.match(line)
    if found is None and _TAG_ITEM.match(line):
        field = next((one for one in reversed(above) if not _TAG_ITEM.match(one)), "")
        found = _TAG_ITEM.match(line) if _OPEN_TAGS.match(field) else None
    return TypingPlace(Wanted.TAG, found[1]) if found is not None else None


def _is_code(document: Document, offset: int) -> bool:
    return any(block.kind is BlockKind.CODE and block.span.start < offset < block.span.end for block in document.blocks)
