"""Texts to word pieces and what each weighs in them.

A list of pieces and texts enter, piece numbers and weights leave; what a piece means is not known here. A word that is
itself a piece is taken whole. Any other is parted where its spelling parts it (getUserById, HTTPResponse, utf8), and
the parts are cut from the left into the longest pieces there are; those that continue a word are written ##so.

Every distinct word weighs 1 + ln(occurrences): a word said ten times is not ten times what the text is about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from unicodedata import category, normalize

_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"

WORD = re.compile(
    # Scripts written without spaces are taken character by character. Longer words are cut at 48: nobody wrote them.
    rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]{{1,48}}"
)
"""What counts as a word. Punctuation carries no meaning here, and underscores part the words of an identifier."""
HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^A-Za-z\d]+")
"""What the spelling of a word parts it into."""
CONTINUES = "##"
_REMEMBERED_WORDS = 200_000
"""Distinct words whose pieces are remembered, about 40 MB."""
_FEW = 8
_DAMPED = tuple(1.0 + log(count) for count in range(1, 257))


def folded(word: str) -> str:
    """A word as pieces are written: small letters, no accents."""
    word = word.lower()
    if word.isascii():
        return word
    return "".join(letter for letter in normalize("NFD", word) if category(letter) != "Mn")


def cut(word: str, numbers: Mapping[str, int]) -> tuple[int, ...]:
    """The numbers of the pieces of one `WORD`; what no piece begins with is left out, letter by letter."""
    plain = folded(word)
    whole = numbers.get(plain)
    if whole is not None:
        return (whole,)
    humps = HUMP.findall(word)
    if len(humps) > 1:
        return tuple(number for hump in humps for number in cut(hump, numbers))
    found: list[int] = []
    start = 0
    while start < len(plain):
        front = CONTINUES if found else ""
        for end in range(len(plain), start, -1):
            number = numbers.get(front + plain[start:end])
            if number is not None:
                found.append(number)
                start = end
                break
        else:
            start += 1
    return tuple(found)


class Cutter:
    """Cuts texts, and remembers how words were cut."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._known: dict[str, tuple[int, ...]] = {}

    def weigh(self, text: str) -> tuple[list[int], list[float]]:
        """The pieces of a text's distinct words, in order of first appearance, and what each one weighs."""
        known = self._known
        numbers: list[int] = []
        weights: list[float] = []
        words = WORD.findall(text)
        # A Counter costs two microseconds to make, more than a phrase of two words is worth.
        counts = Counter(words) if len(words) > _FEW else {word: words.count(word) for word in words}
        for word, count in counts.items():
            found = known.get(word)
            if found is None:
                found = self._remember(word)
            numbers += found
            weight = _DAMPED[count - 1] if count <= len(_DAMPED) else 1.0 + log(count)
            weights += [weight] * len(found)
        return numbers, weights

    def _remember(self, word: str) -> tuple[int, ...]:
        if len(self._known) >= _REMEMBERED_WORDS:
            self._known.clear()
        found = self._known[word] = cut(word, self._numbers)
        return found
