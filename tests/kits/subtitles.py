"""A parser for a format that Pinakes does not have: subtitles, a section for each minute."""

from __future__ import annotations

from pinakes.parse.plain import parse_with
from pinakes.parse.structure import Contents
from pinakes.records import Document, Raw


def parse_subtitles(raw: Raw) -> Document:
    """Read a ``.subtitles`` file: lines of ``== minute`` with what is said under them."""
    return parse_with(_read, raw)


def _read(body: bytes, found: Contents) -> str:
    start = 0
    for line in body.splitlines(keepends=True):
        if line.startswith(b"== "):
            found.headings.append((start, 1, [line[3:].decode().strip()]))
        start += len(line)
    return ""
