"""Sections as the words that keywords are made of.

In comes a document, out comes a `Text` per section: its prose cut into tokens, or its code where its prose is silent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pinakes.enrich.options import KeywordOptions
from pinakes.enrich.prose import Body, bodies, program_text, prose, prose_with_code
from pinakes.enrich.words import code_tokens, read, tokens
from pinakes.records import Document, Layout

_LONG_LINES = 15
_LONG_BONUS = 2


@dataclass(frozen=True, slots=True)
class Text:
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


def read_texts(number: int, document: Document, options: KeywordOptions) -> Iterator[Text]:
    """The sections of document `number` of a batch; none of a drawing, whose labels are its keywords."""
    if document.stamp.media.layout is Layout.DRAWING:
        return
    is_module = document.ref.path.lower().endswith(".mdx")
    for position, body in enumerate(bodies(document)):
        text = prose(body.text, is_module=is_module)
        found = tokens(text)
        if body.length >= options.min_chars and not _says_something(found):
            text, found = _from_code(document, body, is_module=is_module)
        yield Text(number, position, text, found, body.length, _wanted(body, options))


def _says_something(found: Sequence[str]) -> bool:
    return any(read(token).stands_alone for token in found)


def _from_code(document: Document, body: Body, *, is_module: bool) -> tuple[str, list[str]]:
    """For sections whose prose says nothing: first the code in their lines, then their code blocks."""
    text = prose_with_code(body.text, is_module=is_module)
    found = tokens(text)
    if body.code and not _says_something(found):
        text = program_text(document, body)
        found = code_tokens(text)
    return text, found


def _wanted(body: Body, options: KeywordOptions) -> int:
    if body.length < options.min_chars:
        return 0
    return options.top_n + (_LONG_BONUS if body.lines >= _LONG_LINES else 0)
