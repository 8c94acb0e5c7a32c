"""Sections as the words that keywords are made of.

A document enters, a `SectionText` per section leaves: its prose cut into tokens, or its code where its prose is silent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pinakes.enrich.bodies import SectionBody, bodies
from pinakes.enrich.options import KeywordOptions
from pinakes.enrich.words import code_tokens, read, tokens
from pinakes.records import Document, Layout

_LONG_LINES = 15
_LONG_BONUS = 2


@dataclass(frozen=True, slots=True)
class SectionText:
    """A section on its way to its keywords."""

    document: int
    """Position of its document in the batch."""
    position: int
    """Its own position in the document."""
    prose: str
    tokens: list[str]
    length: int
    """Characters of its own text."""
    wanted: int
    """How many keywords it should get."""


def read_texts(number: int, document: Document, options: KeywordOptions) -> Iterator[SectionText]:
    """The sections of document `number` of a batch; none of a drawing, whose labels are its keywords."""
    if document.stamp.media.layout is Layout.DRAWING:
        return
    for position, body in enumerate(bodies(document)):
        text = body.prose()
        found = tokens(text)
        if body.length >= options.min_chars and not _says_something(found):
            text, found = _from_code(body)
        yield SectionText(number, position, text, found, body.length, _wanted(body, options))


def _says_something(found: Sequence[str]) -> bool:
    return any(read(token).stands_alone for token in found)


def _from_code(body: SectionBody) -> tuple[str, list[str]]:
    """For sections whose prose says nothing: first the code in their lines, then their code blocks."""
    text = body.prose_with_code()
    found = tokens(text)
    if body.code and not _says_something(found):
        text = body.program_text()
        found = code_tokens(text)
    return text, found


def _wanted(body: SectionBody, options: KeywordOptions) -> int:
    if body.length < options.min_chars:
        return 0
    return options.top_n + (_LONG_BONUS if body.lines >= _LONG_LINES else 0)
