"""What a section-level chunk is found by.

A numbered document enters, one `Row` of terms for each of its section-level chunks leaves. The fields they are put in
decide how much they count: `words` holds everything, so that how rare a term is and how long a chunk is are judged once
for all of it; `about` repeats what the chunk is called; `code` has the text of code blocks in its order, for phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pinakes.records import Chunk, Document, Media, Numbered
from pinakes.words.tokenize import BREAK, Terms, is_part

_BREAK = f" {BREAK} "
_DESTINATION = re.compile(r"\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)")
_ATTRIBUTES = re.compile(r"\{ ?#[^}\n]*\}")
_ENDING = re.compile(r"\.[A-Za-z]{1,9}\Z")
_MOST_CALLS = 2000
"""Characters of link texts: what a thousand pages call a section says no more about it than what fifty do."""


class Row(NamedTuple):
    """The terms of one chunk, joined by spaces."""

    ordinal: int
    section: int
    words: str
    about: str
    code: str


def rows(numbered: Numbered, prose: Terms, code: Terms) -> Iterator[Row]:
    """One row for each section-level chunk."""
    document = numbered.document
    page = _page(document, numbered.called[0] if numbered.called else "")
    is_first = True
    for chunk in numbered.chunks:
        if chunk.parent != chunk.ordinal:
            continue
        yield _row(numbered, chunk, page if is_first else "", prose, code)
        is_first = False


def _page(document: Document, called: str) -> str:
    """What a document says about itself as a whole; its first chunk is found by it."""
    known = document.metadata
    path = _ENDING.sub("", document.ref.path)
    parts = (
        *known.keywords,
        *document.tags,
        *known.aliases,
        known.description,
        known.author,
        path,
        called[:_MOST_CALLS],
    )
    return "\n".join(filter(None, parts))


def _row(numbered: Numbered, chunk: Chunk, page: str, prose: Terms, code: Terms) -> Row:
    document = numbered.document
    trail = document.trail(chunk.section)
    names = trail if document.title in trail else (document.title, *trail)
    called = numbered.called[chunk.section][:_MOST_CALLS] if chunk.section and numbered.called else ""
    written, blocks = _parted(document, chunk)
    lines: list[str] = []
    besides: list[str] = []
    for text in (*names, page, called, written):
        line, more = prose.of(text)
        lines.append(line)
        besides += more.split()
    about = " ".join(lines[: len(names)])
    # Each term of code once: a variable's name is no more what a section is about for being used ten times.
    line, more = prose.of(blocks)
    once = {*line.split(), *more.split()}
    known = {*_BREAK.join(lines).split(), *once}
    once.update(part for part in besides if is_part(part) and part not in known)
    # What has no place in the text stands at the end and, so that no phrase can seem to be there, in falling order.
    rest = sorted([*once, *(name for name in besides if not is_part(name))], reverse=True)
    words = _BREAK.join(filter(None, (*lines, " ".join(rest))))
    return Row(chunk.ordinal, chunk.section, words, about, code.of(blocks)[0] if blocks else "")


def _parted(document: Document, chunk: Chunk) -> tuple[str, str]:
    """A chunk's prose and its code."""
    if document.stamp.media is Media.SVG:
        return "\n".join(document.sections[chunk.section].keywords), ""
    start, end = chunk.span
    prose: list[bytes] = []
    code: list[bytes] = []
    for block in document.code:
        if block.span.end > start and block.span.start < end:
            prose.append(document.source[start : max(start, block.span.start)])
            code.append(document.source[max(start, block.span.start) : min(end, block.span.end)])
            start = min(end, block.span.end)
    prose.append(document.source[start:end])
    text = b"\n".join(prose).decode("utf-8", "replace")
    if document.stamp.media is Media.MARKDOWN:
        text = _ATTRIBUTES.sub(" ", _DESTINATION.sub("] ", text))
    return text, b"\n".join(code).decode("utf-8", "replace")
