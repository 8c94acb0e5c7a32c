"""Source code becomes a document: its symbols are sections, its imports, calls and base classes are links.

Bytes as found enter, a `Document` leaves. Each language is a row of `languages`; everything else here is the same for
all of them. What is said of code by its author, in documentation strings and comments, is its prose. Any bytes parse:
what a grammar does not understand belongs to the symbol around it. A grammar is native code, so whoever reads files of
strangers does so in a process of its own, which may be stopped.
"""

from __future__ import annotations

import re

from pinakes.parse.code.definitions import Found, LineNumbers, sections_of
from pinakes.parse.code.languages import ROWS
from pinakes.parse.code.links import links_of
from pinakes.parse.code.prose import structure_of
from pinakes.parse.code.read import read
from pinakes.parse.decode import decode
from pinakes.records import Document, Kind, Raw, Structure

__all__ = ["parse_code"]

_LONE_CR = re.compile(rb"\r(?!\n)")
_LONG_LINE = 1_000
"""People write shorter ones; a file of which more than half is longer was made by a program."""


def parse_code(raw: Raw) -> Document:
    """Read a file of source code. One that looks generated keeps its name and text, and nothing is found in it."""
    decoded = decode(raw.data)
    source = decoded.source
    text = _LONE_CR.sub(b"\n", source) if b"\r" in source else source
    warnings = decoded.warnings
    found = Found()
    is_generated = looks_generated(text)
    if is_generated:
        warnings += ("Most of it stands in very long lines, so it looks generated; its symbols are not read.",)
    else:
        found = read(raw.stamp.media, text, raw.stamp.ref.path, raw.modules)
    lines = LineNumbers(text)
    sections = sections_of(found, text, lines)
    return Document(
        raw.stamp,
        raw.digest,
        title=raw.stamp.ref.path.rpartition("/")[2].encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
        kind=Kind.UNKNOWN,
        source=source,
        sections=sections,
        links=links_of(found, sections, text, lines, rules=ROWS[raw.stamp.media.name], path=raw.stamp.ref.path),
        warnings=warnings,
        body=decoded.start,
        structure=Structure() if is_generated else structure_of(found, text),
    )


def looks_generated(text: bytes) -> bool:
    """Whether most of a file stands in lines that nobody would write."""
    if text.count(b"\n") * _LONG_LINE > 2 * len(text):
        return False  # too many lines for that
    long = sum(len(line) for line in text.split(b"\n") if len(line) > _LONG_LINE)
    return 2 * long > max(len(text), 2 * _LONG_LINE)
