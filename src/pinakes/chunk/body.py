"""A document's source as chunking sees it: one kind of line end, and no frontmatter.

Bytes of equal length leave, so that every position stays true.
"""

from __future__ import annotations

import re

from pinakes.records import Document, Media

_LONE_CR = re.compile(rb"\r(?!\n)")
_OPENING = re.compile(rb"(---|\+\+\+)[ \t]*(?:\r\n|\n)")
_CLOSING = {
    b"---": re.compile(rb"---(?<=\n---)[ \t]*(?:\r\n|\n|\Z)"),
    b"+++": re.compile(rb"\+\+\+(?<=\n\+\+\+)[ \t]*(?:\r\n|\n|\Z)"),
}


def with_line_feeds(source: bytes) -> bytes:
    """The source with a line feed at every line end; carriage returns remain before line feeds only."""
    return _LONE_CR.sub(b"\n", source) if b"\r" in source else source


def body_start(document: Document, seen: bytes) -> int:
    """Where the text begins, behind a byte order mark and the frontmatter."""
    start = document.sections[0].span.start
    if document.stamp.media is not Media.MARKDOWN:
        return start
    opening = _OPENING.match(seen, start)
    closing = opening and _CLOSING[opening[1]].search(seen, opening.end())
    return closing.end() if closing else start
