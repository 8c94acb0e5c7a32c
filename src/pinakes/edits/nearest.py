"""The lines of a file that are most like a text that does not stand there.

Two texts enter, a number of a line and some lines leave. Every line of the file is worth the words that it shares with
the text, rare ones more than common ones; the lines together that are worth most are the nearest, and of several such
places the one whose lines fit one by one. This takes time in proportion to the file, however long the text is.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate

_WORDS = re.compile(r"\w+|[^\w\s]+")
_MOST_LINES = 40
_LONGEST_LINE = 400
_AT_LEAST = 0.25
"""The share of a text's words that must stand in some lines before they are called like it."""
_AS_GOOD = 1 - 1e-9
"""Sums of fractions differ in their last digits."""


def nearest(text: str, wanted: str) -> tuple[int, str]:
    """The number of the first line, and the lines; 0 and nothing where no lines are like `wanted`."""
    lines = [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]
    asked = [line.removesuffix("\r") for line in wanted.strip("\r\n").split("\n")]
    words = Counter(_WORDS.findall("\n".join(asked)))
    shared = [words.keys() & set(_WORDS.findall(line)) for line in lines]
    often = Counter(word for some in shared for word in some)
    worth = [sum(1 / often[word] for word in sorted(some)) for some in shared]
    height = min(len(asked), len(lines), _MOST_LINES)
    total = [0.0, *accumulate(worth)]
    places = [total[start + height] - total[start] for start in range(len(lines) - height + 1)]
    best = max(places)
    first = places.index(best)
    as_good = [start for start in range(first, min(first + height, len(places))) if places[start] >= best * _AS_GOOD]
    first = max(as_good, key=lambda start: _fit(shared[start : start + height], asked))
    found = set().union(*shared[first : first + height])
    if sum(words[word] for word in found) < _AT_LEAST * words.total():
        return 0, ""
    return first + 1, "\n".join(line[:_LONGEST_LINE] for line in lines[first : first + height])


def _fit(shared: list[set[str]], asked: list[str]) -> int:
    """How many words stand in the line of which they are asked."""
    return sum(len(some & set(_WORDS.findall(line))) for some, line in zip(shared, asked, strict=False))
