"""Finds the most similar texts: for "did you mean".

A text and the known texts enter, the few most similar leave. Both may come from a stranger, long and many, so one
matcher has a budget of comparisons; when it is spent, the matcher finds nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nlargest

BUDGET = 50_000_000
"""Pairs of letters compared in all: a second or two. Checking 12,000 documents takes a tenth of it."""

_COUNTING = 8
"""The cost of counting the letters of two texts, in pairs of letters per letter."""


class FuzzyMatcher:
    """Finds similar texts until its budget is spent."""

    def __init__(self, budget: int = BUDGET) -> None:
        self._left = budget

    def closest(self, wanted: str, known: Iterable[str], *, count: int, at_least: float) -> list[str]:
        """Up to `count` of the known texts, the most alike first, none less alike than `at_least` (0 to 1)."""
        matcher = SequenceMatcher(b=wanted)
        found = []
        for text in known:
            both = len(wanted) + len(text)
            self._left -= 1
            if self._left <= 0 or 2 * min(len(wanted), len(text)) < at_least * both:
                continue
            matcher.set_seq1(text)
            self._left -= _COUNTING * both
            if matcher.quick_ratio() < at_least:
                continue
            self._left -= len(wanted) * len(text)
            if self._left > 0 and (ratio := matcher.ratio()) >= at_least:
                found.append((ratio, text))
        return [text for _, text in nlargest(count, found)]
