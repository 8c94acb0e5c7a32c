"""Which of these is most like that?

A text and the texts it might have meant enter, the few that come closest leave. Both may be as long and as many as a
stranger likes, so what is spent in all is bounded, and whoever asks later gets no answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nlargest

PATIENCE = 50_000_000
"""Pairs of letters that are compared in all: a second or two. Checking 12,000 documents takes a tenth of it."""

_COUNTING = 8
"""What counting the letters of two texts costs, in pairs of letters per letter."""


class Likeness:
    """Finds similar texts until its patience is spent."""

    def __init__(self, patience: int = PATIENCE) -> None:
        self._left = patience

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
