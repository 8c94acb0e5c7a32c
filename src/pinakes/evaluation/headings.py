"""Which section does a judged heading, or a hit's anchor, mean?

A document enters; positions of its sections leave. Judges and hits may name the same text in different ways: by an
anchor, an explicit id or a plain slug; by nothing at all, which is the text before the first heading or, where there is
none, the first heading. A judge may name a heading that has no text of its own and means the section after it; a hit
must also show that section's text.
"""

from __future__ import annotations

import sys

from pinakes.prose import leaves
from pinakes.records import BlockKind, Document, Span
from pinakes.slugs import Slugger

NO_TEXT = 40
"""A heading with fewer characters than this before the next one is only a step on the way to that one."""

_HEADING = BlockKind.HEADING


class Headings:
    """The sections of one document by every name they have."""

    __slots__ = ("_named", "_stands_for", "document")

    def __init__(self, document: Document) -> None:
        self.document = document
        self._stands_for = _stands_for(document)
        self._named = _named(document)

    def find(self, name: str) -> int | None:
        """Position of the section that a judge means by `name`; None when nothing is called so."""
        found = self._position(name)
        return None if found is None else self._stands_for[found]

    def shown(self, name: str, span: Span) -> int | None:
        """Position of the section whose text a reader of the hit at `name` sees at `span`: a bare heading stands for
        the section after it only where the hit reaches into that section's text."""
        found = self._position(name)
        if found is None:
            return None
        after = self._stands_for[found]
        own = self.document.own(after)
        reaches = span.end >= own.end or len(_text(self.document, after, span.end)) >= NO_TEXT
        return after if reaches else found

    def _position(self, name: str) -> int | None:
        plain = name.lstrip("#")
        return self._named.get(plain, self._named.get(plain.lower()))


def _named(document: Document) -> dict[str, int]:
    """Anchors first, then what else leads to a section, then slugs of the bare titles; the first to claim a name has
    it."""
    sections = document.sections
    named = {section.anchor: position for position, section in enumerate(sections)}
    for position, section in enumerate(sections):
        for alias in section.aliases:
            named.setdefault(alias, position)
            named.setdefault(alias.lower(), position)
    slugger = Slugger()
    for position, section in enumerate(sections[1:], 1):
        named.setdefault(slugger.slug(section.title.strip()), position)
    if _text(document, 0):
        root = Slugger().slug(document.title)
        named.setdefault(root, 0)
    return named


def _stands_for(document: Document) -> list[int]:
    """For each section, the one whose text a reader finds there."""
    last = len(document.sections) - 1
    found = list(range(last + 1))
    for position in range(last - 1, -1, -1):
        if len(_text(document, position)) < (NO_TEXT if position else 1):
            found[position] = found[position + 1]
    return found


def _text(document: Document, position: int, end: int = sys.maxsize) -> str:
    """A section's own words up to the byte `end`, without its heading; the root's without frontmatter, unless that is
    all there is before a heading that is no title."""
    blocks = [span for kind, span in leaves(document, document.own(position)) if kind is not _HEADING]
    texts = [document.text(Span(start, min(stop, end))) for start, stop in blocks if start < end]
    text = "\n".join(text for text in texts if not text.startswith("<!--")).strip()
    has_title = position > 0 or (len(document.sections) > 1 and document.sections[1].level == 1)
    return text or ("" if has_title else (document.metadata.title + document.metadata.description).strip())
