"""What stands around a link.

Links as understood enter, for each the words of its paragraph next to it leave: enough to tell why it is there.
Documents are asked of a `Reader`, each once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pinakes.ports import Reader
from pinakes.records import Document, Edge, Link, Ref

_WIDTH = 100
_WIDEST_LETTER = 4
"""Bytes of a character in UTF-8, at most."""
_SPACE = re.compile(r"\s+")
_BETWEEN_PARAGRAPHS = re.compile(r"\n[ \t\r]*\n")
_OPENING = re.compile(rb"<a\s", re.IGNORECASE)
_CLOSING = re.compile(r"\A.*?</a\s*>", re.IGNORECASE | re.DOTALL)


def surroundings(reader: Reader, edges: Iterable[Edge]) -> tuple[str, ...]:
    """For each link, in their order, what `around` says; empty where its document is not kept."""
    documents: dict[Ref, Document | None] = {}
    found = []
    for edge in edges:
        ref = edge.origin.document
        if ref not in documents:
            documents[ref] = reader.document(ref)
        document = documents[ref]
        found.append("" if document is None else around(document, edge.link))
    return tuple(found)


def around(document: Document, link: Link, width: int = _WIDTH) -> str:
    """A link's text with its paragraph on both sides, about `width` characters on one line.

    Only whole words, and ``…`` where the paragraph goes on. Empty for links in the frontmatter, which stand in no text.
    """
    if link.span.start == link.span.end:
        return ""
    own = document.own(link.section)
    reach = _WIDEST_LETTER * (width + 1)
    before = document.source[max(own.start, link.span.start - reach) : link.span.start].decode("utf-8", "ignore")
    after = document.source[link.span.end : min(own.end, link.span.end + reach)].decode("utf-8", "ignore")
    before = _SPACE.sub(" ", _BETWEEN_PARAGRAPHS.split(before)[-1]).lstrip()
    after = _SPACE.sub(" ", _BETWEEN_PARAGRAPHS.split(after, maxsplit=1)[0]).rstrip()
    if _OPENING.match(document.source, link.span.start):  # its text stands between this tag and the closing one
        after = _CLOSING.sub("", after)
    text = _SPACE.sub(" ", link.text or link.target).strip()
    if len(text) >= width:
        return _start(text, width)
    room = width - len(text)
    left = min(len(before), max(room // 2, room - len(after)))
    return _start(before[::-1], left)[::-1] + text + _start(after, room - left)


def _start(text: str, longest: int) -> str:
    """The first whole words of a text; one that has no words, or none so short, is cut between letters."""
    if len(text) <= longest:
        return text
    cut = text[:longest]
    if not text[longest].isspace() and " " in cut.strip():
        cut = cut[: cut.rindex(" ")]
    return f"{cut.rstrip()}…"
