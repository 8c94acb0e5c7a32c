"""Plain text files become documents, and so do formats that give their headings and titles in a way of their own.

Bytes as found enter, a `Document` leaves. A ``.txt`` file is one section called by its first line. No content makes it
fail.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pinakes.parse.assemble import assemble
from pinakes.parse.contents import Contents
from pinakes.parse.decode import decode
from pinakes.parse.marks import note_bare_links
from pinakes.records import Document, Raw

_LONGEST_TITLE = 100
_LINE_END = re.compile(r"[\r\n]")


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
