"""Plain text files become documents, and so does every format that is not Markdown.

Bytes as found, or a decoded text and what was found in it, enter; a `Document` leaves. All these formats end here, so
that sections, anchors, links and their relations are made by one set of rules. A ``.txt`` file is one section called by
its first line. No content makes it fail.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from pinakes.parse.decode import Decoded, decode
from pinakes.parse.kind import kind_of
from pinakes.parse.language import language_of
from pinakes.parse.marks import note_bare_links
from pinakes.parse.sections import body_of, code_blocks, links, sections
from pinakes.parse.structure import Contents, note_blocks, structure
from pinakes.records import Document, Metadata, Raw, Relation

_TELLING = 4_000
"""Bytes by which the language of a text is told."""
_LONGEST_TITLE = 100
_LINE_END = re.compile(r"[\r\n]")
_LONE_CR = re.compile(rb"\r(?!\n)")


def parse_plain(raw: Raw) -> Document:
    """Read a text without headings."""
    return parse_with(_read_text, raw)


def parse_with(read: Callable[[bytes, Contents], str], raw: Raw) -> Document:
    """Read a text with headings: `read` notes down what it finds and gives the title, or "" where only headings say it.

    Without a title or heading the document is called by its first line.
    """
    decoded = decode(raw.data)
    found = Contents()
    title = read(decoded.source[decoded.start :], found)
    return assemble(raw, decoded, found, title or _first_heading(found) or _first_line(decoded.text))


def _first_heading(found: Contents) -> str:
    """The first heading of level 1, else the first heading."""
    titles = [(level, "".join(parts)) for _, level, parts in found.headings]
    return next((title for level, title in titles if level == 1), titles[0][1] if titles else "")


def _read_text(body: bytes, found: Contents) -> str:
    note_bare_links(found, body)
    return ""


def _first_line(text: str) -> str:
    """The first line that says something, cut where it gets long; lines of mere signs are ornaments."""
    # A title stands near the top, and a file may be megabytes of blanks.
    lines = [line for row in _LINE_END.split(text[:10_000]) if (line := " ".join(row.split()))]
    said = next((line for line in lines if any(map(str.isalnum, line))), lines[0] if lines else "")
    return said[:_LONGEST_TITLE].rstrip()


def assemble(raw: Raw, decoded: Decoded, found: Contents, title: str) -> Document:
    """The document; positions in `found` count from where the text starts. Without a title it is called by its file."""
    text = decoded.source[decoded.start :]
    body = body_of(found, _LONE_CR.sub(b"\n", text) if b"\r" in text else text, decoded.start, decoded.start, 0)
    tree = sections(found, body)
    document_links = links(found, body, tree, Relation.LINKS_TO, ())
    note_blocks(found, body.text)
    title = title or os.fsencode(raw.stamp.ref.path.rpartition("/")[2]).decode("utf-8", "replace")
    return Document(
        raw.stamp,
        raw.digest,
        title=title,
        kind=kind_of(raw.stamp.ref.path, tree, title),
        source=decoded.source,
        sections=tree,
        links=document_links,
        code=code_blocks(found, decoded.start),
        metadata=Metadata(language=language_of("", raw.stamp.ref.path, text[:_TELLING].decode("utf-8", "ignore"))),
        tags=tuple(sorted(found.tags)),
        warnings=decoded.warnings,
        body=decoded.start,
        structure=structure(found, decoded.start),
    )
