"""Which words of a text a question asked for, to be marked when it is shown."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from pinakes.records import Span
from pinakes.words.query import Asked
from pinakes.words.tokenize import Form, english

_WORD = re.compile(r"[^\W_]+")
_MOST = 200
"""Marks in one text; more would mark everything."""


@cache
def _stems() -> Form:
    return lru_cache(maxsize=100_000)(english())


def marks(text: str, asked: Asked) -> tuple[Span, ...]:
    """Stretches of characters whose word has the same stem as a word of the question, in order."""
    form = _stems()
    wanted = {form(part) for term in asked.terms for part in _WORD.findall(term.lower())}
    found: list[Span] = []
    for word in _WORD.finditer(text):
        if form(word[0].lower()) in wanted:
            found.append(Span(word.start(), word.end()))
            if len(found) == _MOST:
                break
    return tuple(found)
