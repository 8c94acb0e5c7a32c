"""Which known words is an unknown one near to?

The words of an index with their counts enter once (`SpellingTable`). For a misspelt word the nearest known one leaves,
for the beginning of a word those that begin so. Letters left out, added, replaced or exchanged with their neighbour
count as one slip each.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ONE_SLIP_FROM = 5
"""Letters of a word in which one slip is looked for; nearly every shorter word is one slip from another."""
TWO_SLIPS_FROM = 8
_LONGEST = 32
LAST = "\U0010ffff"
"""Sorts behind every other letter."""
_BITS = 61
"""Into so many kinds letters are put: a prime below 64, so that no two letters of an alphabet share one."""


class SpellingTable:
    """The words of an index, ready to be compared with; about 100 bytes and half a microsecond for each."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        self._sorted = sorted(counts)
        fit = [word for word in self._sorted if word.isalpha() and ONE_SLIP_FROM - 1 <= len(word) <= _LONGEST]
        self._words = np.array(fit, dtype=f"U{_LONGEST}")
        letters = self._letters = self._words.view(np.uint32).reshape(len(fit), _LONGEST)
        self._lengths = np.count_nonzero(letters, axis=1)
        signs = np.where(letters > 0, np.uint64(1) << (letters % _BITS).astype(np.uint64), np.uint64(0))
        self._signs = np.bitwise_or.reduce(signs, axis=1)

    def nearest(self, word: str) -> str:
        """The known word with the fewest slips between it and `word`, of several the most frequent; empty for none."""
        slips = 0 if len(word) < ONE_SLIP_FROM or not word.isalpha() else 1 if len(word) < TWO_SLIPS_FROM else 2
        if not slips or len(word) > _LONGEST:
            return ""
        # A slip changes the length by one at most, and takes away and adds one kind of letter at most.
        kinds = np.uint64(sum(1 << kind for kind in {ord(letter) % _BITS for letter in word}))
        close = np.abs(self._lengths - len(word)) <= slips
        close[close] = np.bitwise_count(self._signs[close] ^ kinds) <= 2 * slips
        away = _distances(word, self._letters[close, : len(word) + slips], self._lengths[close])
        others = self._words[close][away <= slips].tolist()
        near = zip(away[away <= slips].tolist(), [-self._counts[other] for other in others], others, strict=True)
        return min(near, default=(0, 0, ""))[2]

    def beginning(self, start: str, most: int) -> list[str]:
        """The most frequent words that begin like this and go on."""
        first, end = bisect_left(self._sorted, start), bisect_left(self._sorted, start + LAST)
        found = [word for word in self._sorted[first:end] if word != start]
        return sorted(found, key=lambda word: (-self._counts[word], word))[:most]


def _distances(word: str, letters: NDArray[np.uint32], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Slips between a word and each of some others, whose letters are given in rows: `distance` for all at once."""
    columns = np.arange(letters.shape[1] + 1)
    before = row = np.repeat(columns[None], len(letters), axis=0)
    for at, sign in enumerate(map(ord, word), 1):
        earlier, before = before, row
        best = np.minimum(before[:, 1:] + 1, before[:, :-1] + (letters != sign))
        if at > 1:  # two letters that were exchanged
            is_swapped = (letters[:, :-1] == sign) & (letters[:, 1:] == ord(word[at - 2]))
            best[:, 1:] = np.where(is_swapped, np.minimum(best[:, 1:], earlier[:, :-2] + 1), best[:, 1:])
        # A letter more costs one more than the column before: the least of all before, each that far away.
        row = np.concatenate([np.full((len(letters), 1), at), best], axis=1) - columns
        row = np.minimum.accumulate(row, axis=1) + columns
    return row[np.arange(len(letters)), lengths]


def distance(one: str, other: str, most: int) -> int:
    """Slips between two words; some number above `most` where there are more than that."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for place, its in enumerate(other, 1):
            cost = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != its))
            if at > 1 and place > 1 and letter == other[place - 2] and one[at - 2] == its:
                cost = min(cost, earlier[place - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
