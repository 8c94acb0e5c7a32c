"""The forms of a word among the spellings of an index.

Spellings with their counts enter, those that a stem or a short word may stand for leave.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from pinakes.words.fields import BESIDES
from pinakes.words.tokenize import Normalizer

_SHORT = 2
"""Letters of a stem that is taken as it is."""
_VOWELS = frozenset("aeiou")
_LONGER = 3
"""Letters that a word has more than what is short for it, at least."""
_IRREGULAR = {"die": "d", "lie": "l", "tie": "t", "sky": "sk"}
"""How the words of some stems begin, such as `dying` and `skies`."""


def unsigned(counts: Mapping[str, int]) -> Counter[str]:
    """The words without the sign of those that do not stand in a text itself."""
    found = Counter({word: times for word, times in counts.items() if word[0] != BESIDES})
    for word, times in counts.items():
        if word[0] == BESIDES:
            found[word[1:]] += times
    return found


def first_letters(stem: str) -> str:
    """How words of this stem begin: like it, but for an ending such as that of `happi`, `hope`, `possibl`."""
    return _IRREGULAR.get(stem) or (stem[:-1] if len(stem) > _SHORT and stem[-1] in "iel" else stem)


def start_of_longer(word: str) -> str:
    """How the words begin that a short one may stand for."""
    return word[0] if _VOWELS.isdisjoint(word) else word


def likely_longer(known: Mapping[str, int], word: str) -> Counter[str]:
    """Of the known words those that a short one may stand for: they begin with it or, where it has no vowel, hold its
    letters in order."""
    letters = re.escape(word) if start_of_longer(word) == word else ".*".join(map(re.escape, word))
    fits = re.compile(letters).match
    least = len(word) + _LONGER
    return Counter({other: known[other] for other in known if len(other) >= least and other.isalpha() and fits(other)})


def by_frequency(counts: Mapping[str, int]) -> dict[str, int]:
    """The most frequent words first."""
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def one_for_each_stem(words: Iterable[str], most: int, *, besides: str, stem: Normalizer) -> list[str]:
    """The first words, one for each stem besides that of a word."""
    stems = {stem(besides)}
    found: list[str] = []
    for word in words:
        if len(found) == most:
            break
        if (stemmed := stem(word)) not in stems:
            stems.add(stemmed)
            found.append(word)
    return found
