"""What documents hold in a Sphinx site: labels, and in Markdown by MyST lists of the documents below.

A parsed document enters; the labels of its sections leave, and the document with a link for each entry of its toctrees.
Labels are known to all documents of a site: ``[text](label)`` leads to one, or to something in the code that Sphinx
knows and we do not (`is_cross_reference`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from msgspec.structs import replace

from pinakes.records import Document, Link, LinkForm, Span

_LABEL = re.compile(rb"^(?:\(([^()\r\n]{1,200})\)=|\.\.[ \t]_([^:`\r\n]{1,200}):)[ \t]*\r?$", re.MULTILINE)
_REFERENCE = re.compile(r"[\w+-][\w.+-]*\Z")
_FILE = re.compile(r"\.(?:md|rst|txt|html?|pdf|png|jpe?g|gif|svg|py|ipynb|json|ya?ml|toml|csv|zip)\Z")
_TOCTREE = "toctree"
_LONGEST_ENTRY = 700
"""A longer line is no entry."""
MADE_BY_SPHINX = frozenset(("self", "genindex", "modindex", "py-modindex", "search"))
"""Entries that name no file."""
_ENTRY = re.compile(rb"(?:([^:<>][^<>]{0,300}?)[ \t]*<([^<>\s]{1,300})>|([^\s:*?<>`~-][^\s*?<>]{0,300}))\Z")
"""A document, with or without a title before it; options begin with a colon."""


def labels_of(document: Document) -> Iterator[tuple[int, str]]:
    """Positions of sections and labels: of the section that follows a label, or else of the one it stands in."""
    starts = [section.span.start for section in document.sections]
    for label in _LABEL.finditer(document.source):
        position = bisect_right(starts, label.start()) - 1
        following = position + 1
        if following < len(starts) and not document.source[label.end() : starts[following]].strip():
            position = following
        yield max(position, 0), (label[1] or label[2]).decode("utf-8", "replace").strip()


def is_cross_reference(text: str) -> bool:
    """Whether a destination that no file answers to may be the name of something in the code."""
    return _REFERENCE.match(text) is not None and not _FILE.search(text)


def with_toctrees(document: Document) -> Document:
    """The document with a link for each document that one of its toctrees names."""
    made = list(_entries(document))
    if not made:
        return document
    links = sorted((*document.links, *made), key=lambda link: link.span.start)
    return replace(document, links=tuple([replace(link, ordinal=at) for at, link in enumerate(links)]))


def _entries(document: Document) -> Iterator[Link]:
    for block in document.code:
        if block.language != _TOCTREE:
            continue
        line = document.source.count(b"\n", 0, block.span.start)
        start = block.span.start
        for number, row in enumerate(document.source[start : block.span.end].splitlines(keepends=True)):
            at, start = start + len(row) - len(row.lstrip()), start + len(row)
            words = row.strip()
            entry = _ENTRY.match(words) if number and len(words) <= _LONGEST_ENTRY else None
            if entry is None or (written := (entry[2] or entry[3]).decode("utf-8", "replace")) in MADE_BY_SPHINX:
                continue
            text = (entry[1] or entry[3]).decode("utf-8", "replace").strip()
            yield Link(0, block.section, Span(at, at + len(words)), line + number, LinkForm.LINK, written, text)
