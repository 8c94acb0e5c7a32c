"""Which words of a text a question asked for, to be marked when it is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import islice

from pinakes.records import ParsedQuestion, Span
from pinakes.words.tokenize import Normalizer, english

_WORD = re.compile(r"[^\W_]+")
_START = 2
_MOST = 200
"""Marks in one text; more would mark everything."""


@cache
def _stems() -> Normalizer:
    return lru_cache(maxsize=100_000)(english())


def fits(text: str, asked: ParsedQuestion) -> bool:
    """Whether a text holds every phrase of the question and nothing it excludes; for hits that words did not find."""
    if not asked.phrases and not asked.excluded:
        return True
    stem = _stems()
    words = [stem(word.lower()) for word in _WORD.findall(text)]
    return all(_stands_in(phrase, words) for phrase in asked.phrases) and not any(
        _stands_in(phrase, words) for phrase in asked.excluded
    )


def _stands_in(phrase: Sequence[str], words: Sequence[str]) -> bool:
    stem = _stems()
    wanted = [stem(part) for word in phrase for part in _WORD.findall(word.lower())]
    first, length = wanted[0] if wanted else "", len(wanted)
    return any(words[at : at + length] == wanted for at, word in enumerate(words) if word == first)


def marks(text: str, asked: ParsedQuestion) -> tuple[Span, ...]:
    """Stretches of characters whose word has the same stem as a word of the question, in order."""
    stem = _stems()
    here, wanted = _wanted(asked.terms)
    found = (Span(*word.span()) for word in here.finditer(text) if stem(word[0].lower()) in wanted)
    return tuple(islice(found, _MOST)) if wanted else ()


@lru_cache(maxsize=64)
def _wanted(terms: tuple[str, ...]) -> tuple[re.Pattern[str], frozenset[str]]:
    """The stems of a question's words, and what finds words that may have one of them: stems hardly differ from their
    words in the first letters."""
    stem = _stems()
    words = {part for term in terms for part in _WORD.findall(term.lower())}
    stems = frozenset(map(stem, words))
    starts = "|".join(sorted({re.escape(word[:_START]) for word in words | stems}))
    return re.compile(rf"(?<![^\W_])(?:{starts})[^\W_]*", re.IGNORECASE), stems


def held_terms(text: str, asked: ParsedQuestion) -> frozenset[str]:
    """Those terms of a question whose words a text holds, all parts of a term together."""
    stem = _stems()
    here = {stem(word.lower()) for word in _WORD.findall(text)}
    return frozenset(
        term for term in asked.terms if all(stem(part) in here for part in _WORD.findall(term.lower()) or [term])
    )
