"""Lines of code that make a name: a definition by one of the usual words, or an option in a call that says so.

A line or a whole file enters, the names that it makes leave, and what it says of them. No language is known here.
"""

from __future__ import annotations

import re

from pinakes.records import is_test_file

_MAKES = re.compile(
    rb"\b(?:def|class|fn|func|function|const|let|var|type|struct|enum|interface|trait)[ \t]+"
    rb"(?:\([^)\n]{0,200}\)[ \t]*)?(\w+)"
    rb"|(?i:option|argument|flag|switch)\w{0,40}\([^\n]{0,200}?[\"'](--[A-Za-z][\w-]*)[\"']"
    rb"|^[-+]?[ \t]*(?:[\"']-\w[\"'],[ \t]*)?[\"'](--[A-Za-z][\w-]*)[\"'],?[ \t]*\r?$",
    re.MULTILINE,
)
"""Where a name is made: a definition by one of the usual words, or an option as a string in a call that says so, or
alone on its line as in a call of several lines. Wherever else it stands, it is used."""
_STRING = re.compile(rb"(?:,[ \t]*)?(?:\w+[ \t]*[=:][ \t]*)?(\"[^\"]*\"|'[^']*')")
"""A string, with the name of the argument that it is."""
_GOES_ON = re.compile(rb"[(\[{]\s*\Z|\A\s*[\"'][^()]*\Z")
"""A definition of several lines; what stands in the others is not known here."""
_LONGEST = 2_000
"""Nobody writes a definition of more bytes in one line."""


def made_in(path: str, text: bytes) -> set[bytes]:
    """The names that a file, or a line of it, makes; a test makes none that a document would mean."""
    return set() if is_test_file(path) else {b"".join(found) for found in _MAKES.findall(text)}


def definition_in(line: bytes) -> bytes:
    """What a line says of the name that it makes, without layout and texts for readers; nothing when it goes on in the
    next line."""
    if len(line) > _LONGEST or _GOES_ON.search(line):
        return b""
    return b"".join(_STRING.sub(lambda text: b"" if b" " in text[1] else text[0], line).split())
