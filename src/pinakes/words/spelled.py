"""The words of an index as they are written, found by how they begin.

A way to read them enters (`SpelledWords`); the forms of a stem, and the words that a short one may stand for, leave.
What was found is remembered, because words come up again in other questions. Words of documents that changed since are
given with each call: they are few, and looked through anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

from pinakes.words.fields import BESIDES
from pinakes.words.forms import by_frequency, first_letters, likely_longer, one_for_each_stem, start_of_longer, unsigned
from pinakes.words.tokenize import Normalizer

Starting = Callable[[str], Mapping[str, int]]
"""The words that begin like this, and in how many chunks each occurs, about."""

_Key = TypeVar("_Key", bound=Hashable)
_Known = TypeVar("_Known")
_MOST_STARTS = 200
"""A hundred words each, and all of a letter's where a short word has no vowel. What is made of them is kept longer."""
_MOST_STEMS = 5_000
_MOST_SHORT = 500
"""Short words, each of which begins a few hundred words."""


class SpelledWords:
    """Threads may share it."""

    def __init__(self, read: Starting, stem: Normalizer) -> None:
        self._read = read
        self._stem = stem
        self._starts: dict[str, Mapping[str, int]] = {}
        self._forms: dict[tuple[str, str], Mapping[str, int]] = {}
        self._longer: dict[str, Mapping[str, int]] = {}

    def starting(self, start: str) -> Mapping[str, int]:
        """The words that begin like this, and in how many chunks each occurs, about."""
        known = self._starts.get(start)
        return _kept(self._starts, start, self._read(start), _MOST_STARTS) if known is None else known

    def forms(self, term: str, signs: tuple[str, ...], fresh: Starting) -> dict[str, int]:
        """The words with the stem of a term, under each of the signs that words are kept with."""
        stem = self._stem(term)
        start = first_letters(stem)
        found: dict[str, int] = {}
        for sign in signs:
            known = self._forms.get((sign, stem))
            if known is None:
                forms = self._with_stem(self.starting(sign + start), sign, stem)
                known = _kept(self._forms, (sign, stem), forms, _MOST_STEMS)
            found |= known
            for word, times in self._with_stem(fresh(sign + start), sign, stem).items():
                found[word] = found.get(word, 0) + times
        return found

    def _with_stem(self, words: Mapping[str, int], sign: str, stem: str) -> dict[str, int]:
        return {word: times for word, times in words.items() if self._stem(word[len(sign) :]) == stem}

    def longer(self, word: str, most: int, fresh: Starting) -> list[str]:
        """The most frequent words that a short one may stand for, one for each stem."""
        known = self._longer.get(word)
        if known is None:
            known = _kept(self._longer, word, by_frequency(_longer(self.starting, word)), _MOST_SHORT)
        if new := _longer(fresh, word):
            known = by_frequency(new + Counter(known))
        return one_for_each_stem(known, most, besides=word, stem=self._stem)


def _longer(starting: Starting, word: str) -> Counter[str]:
    start = start_of_longer(word)
    return likely_longer(starting(start), word) + likely_longer(unsigned(starting(BESIDES + start)), word)


def _kept(table: dict[_Key, _Known], key: _Key, value: _Known, most: int) -> _Known:
    """Remember; when there are many, all are forgotten."""
    if len(table) >= most:
        table.clear()
    table[key] = value
    return value
