"""What programs print for ``--help``: sections by the lines that are headings there.

The bytes of a body enter; what stands where is noted down. The title is what stands behind ``usage:`` up to the first
option. A heading is a line without indent that ends in a colon or is in capitals, with indented text below it.
"""

from __future__ import annotations

import re

from pinakes.parse.marks import indent_of, note_bare_links, rows_of
from pinakes.parse.plain import parse_with
from pinakes.parse.structure import Contents
from pinakes.records import Document, Raw

_USAGE = re.compile(rb"usage:[ \t]*(\S.*)?\Z", re.IGNORECASE)
_HEADING = re.compile(rb"(?!usage:)([^\s:][^:]{0,78}):[ \t]*\Z|([A-Z][A-Z0-9 /&-]{2,78})[ \t]*\Z", re.IGNORECASE)
_ARGUMENT = re.compile(r"\s+(?:[\[<({\-]|\.\.\.|[A-Z][A-Z_]+(?:\s|\Z)).*")


def parse_help(raw: Raw) -> Document:
    """Read the help of a program."""
    return parse_with(_read_help, raw)


def _read_help(body: bytes, found: Contents) -> str:
    rows = rows_of(body)
    title = ""
    for row, text in enumerate(rows.texts):
        if not title and (usage := _USAGE.match(text)):
            words = usage[1] or next((one.strip() for one in rows.texts[row + 1 : row + 3] if one.strip()), b"")
            title = _ARGUMENT.sub("", words.decode("utf-8", "replace")[:200].partition("   ")[0]).strip()
        elif not indent_of(text) and _has_text_below(rows.texts, row) and (heading := _heading(text)):
            found.headings.append((rows.start(row), 1, [heading]))
    note_bare_links(found, body)
    return title


def _heading(text: bytes) -> str:
    named = _HEADING.match(text)
    if named is None or (named[2] and named[2] != named[2].upper()):
        return ""
    return (named[1] or named[2]).decode("utf-8", "replace").strip()


def _has_text_below(texts: list[bytes], row: int) -> bool:
    """Whether the next row that holds something is indented."""
    for below in texts[row + 1 : row + 3]:
        if below.strip():
            return indent_of(below) > 0
    return False
