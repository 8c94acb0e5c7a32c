"""The part of an XML file before its root element, made harmless.

Bytes of an XML text enter; the same bytes leave, equally long, with the declaration and the document type blanked out.
Without a document type there is no entity to expand, nothing external to load and no hidden default attribute, so no
reader behind this can be made to do any of that. It refuses to know what the root element is.
"""

from __future__ import annotations

import re

_SPACE = re.compile(rb"\s*")
_STEP = re.compile(rb"""["'\[\]<>]""")
_ENCODING = re.compile(rb"""\A\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")


def declared_encoding(data: bytes) -> str:
    """The encoding that the XML declaration names, in lower case; empty when it names none."""
    found = _ENCODING.match(data[:400])
    return found[1].decode("ascii").lower() if found else ""


def without_doctype(source: bytes) -> tuple[bytes, bool]:
    """The source with everything but comments blanked before the root element, and whether it declared entities."""
    blanked = bytearray(source)
    declares_entities = False
    at = 0
    while True:
        at = _after_space(source, at)
        if source.startswith(b"<!--", at):
            end = _after(source, b"-->", at + 4)
        elif source.startswith(b"<?", at):
            end = _after(source, b"?>", at + 2)
            _blank(blanked, at, end)
        elif source[at : at + 9].upper() == b"<!DOCTYPE":
            end = _doctype_end(source, at + 9)
            declares_entities |= b"<!ENTITY" in source[at:end]
            _blank(blanked, at, end)
        else:
            return bytes(blanked), declares_entities
        at = end


def _after_space(source: bytes, at: int) -> int:
    found = _SPACE.match(source, at)
    return found.end() if found else at


def _after(source: bytes, mark: bytes, at: int) -> int:
    found = source.find(mark, at)
    return len(source) if found < 0 else found + len(mark)


def _doctype_end(source: bytes, at: int) -> int:
    """Where a document type ends; quotes, comments and its inner brackets may hold any sign."""
    depth = 0
    while found := _STEP.search(source, at):
        sign, at = found[0], found.end()
        if sign in (b'"', b"'"):
            at = _after(source, sign, at)
        elif sign == b"<":
            if source.startswith(b"!--", at):
                at = _after(source, b"-->", at + 3)
            elif source.startswith(b"?", at):
                at = _after(source, b"?>", at)
        elif sign == b"[":
            depth += 1
        elif sign == b"]":
            depth -= 1
        elif depth <= 0:
            return at
    return len(source)


def _blank(blanked: bytearray, start: int, end: int) -> None:
    blanked[start:end] = re.sub(rb"[^\r\n]", b" ", blanked[start:end])
