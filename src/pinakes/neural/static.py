"""The default embedder: a table of word-piece vectors, summed.

In come texts, out come unit vectors; framework: numpy. The table and its vocabulary are those that ship inside the
`wordllama` package, read in place. The package itself is never imported (its loader reaches for a model hub).

A text's vector is the sum of its distinct words' vectors, each weighted 1 + ln(occurrences); a word's vector is the sum
of its pieces. Measured as NDCG@10 of the vectors alone on four question sets: counting occurrences linearly costs 0 to
.06 and folding case .002 to .07. Weighting pieces by their frequency in the corpus itself (a/(a+p)) moves it −.005 to
+.005 at a = .01 and loses up to .03 at .001, and an estimate by rank does no better, so pieces are not weighted: the
table was trained for plain averages and already gives “the” a twentieth of the length of “MongoDB”.

Same text, same vector, to the bit, whatever it is encoded together with: texts with equally many pieces are summed
side by side, always piece after piece, and never through BLAS, whose order of adding depends on the shape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import log
from typing import TYPE_CHECKING

import numpy as np

from pinakes.neural.installed import static_files, static_name
from pinakes.neural.pieces import WORD, cut, read_vocabulary
from pinakes.neural.tensors import read_tensors
from pinakes.records import Traits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Vectors

_BLOCK = 4096
"""Pieces summed at a time: 4 MB, which stays in a processor's cache. A longer text is summed block by block."""
_MANY = 64
"""From so many texts on it pays to turn the whole table into float32 (18 ms) instead of row after row."""
_REMEMBERED_WORDS = 200_000
"""Distinct words whose pieces are remembered, about 40 MB."""
_FEW = 8
_DAMPED = tuple(1.0 + log(count) for count in range(1, 257))


class StaticEmbedder:
    """Keeps the promise `Embedder` with nothing but files that are already installed."""

    dimensions = 256
    traits = Traits(dense_weight=0.4, noise=0.35)

    def __init__(self) -> None:
        self._weights, self._tokenizer = static_files()
        self.name = static_name()
        self._pieces: dict[str, tuple[int, ...]] = {}
        self._is_wide = False

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of length 1, or 0 where a text holds no word; values are exact in float16."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if len(texts) >= _MANY:
            self._widen()
        by_length: dict[int, list[int]] = {}
        pieces: list[list[int]] = []
        weights: list[list[float]] = []
        for row, text in enumerate(texts):
            numbers, shares = self._count(text)
            pieces.append(numbers)
            weights.append(shares)
            if numbers:
                by_length.setdefault(len(numbers), []).append(row)
        for length, rows in by_length.items():
            step = max(1, _BLOCK // length)
            for first in range(0, len(rows), step):
                chosen = rows[first : first + step]
                vectors[chosen] = self._sum([pieces[row] for row in chosen], [weights[row] for row in chosen])
        return _unit(vectors)

    def _count(self, text: str) -> tuple[list[int], list[float]]:
        """The pieces of a text's distinct words, in order of first appearance, and what each one weighs."""
        known = self._pieces
        numbers: list[int] = []
        shares: list[float] = []
        words = WORD.findall(text)
        # A Counter costs two microseconds to make, more than a phrase of two words is worth.
        counts = Counter(words) if len(words) > _FEW else {word: words.count(word) for word in words}
        for word, count in counts.items():
            found = known.get(word)
            if found is None:
                found = self._remember(word)
            numbers += found
            share = _DAMPED[count - 1] if count <= len(_DAMPED) else 1.0 + log(count)
            shares += [share] * len(found)
        return numbers, shares

    def _remember(self, word: str) -> tuple[int, ...]:
        if len(self._pieces) >= _REMEMBERED_WORDS:
            self._pieces.clear()
        found = self._pieces[word] = cut(word, self._vocabulary)
        return found

    def _sum(self, pieces: list[list[int]], weights: list[list[float]]) -> Vectors:
        total = np.zeros((len(pieces), self.dimensions), dtype=np.float32)
        for first in range(0, len(pieces[0]), _BLOCK):
            numbers = np.array([row[first : first + _BLOCK] for row in pieces], dtype=np.intp)
            shares = np.array([row[first : first + _BLOCK] for row in weights], dtype=np.float32)
            rows = self._table[numbers].astype(np.float32, copy=False)
            rows *= shares[:, :, None]
            total += np.add.reduce(rows, axis=1)
        return total

    def _widen(self) -> None:
        if not self._is_wide:
            self._table = self._table.astype(np.float32)
            self._is_wide = True

    @cached_property
    def _vocabulary(self) -> Mapping[str, int]:
        return read_vocabulary(self._tokenizer)

    @cached_property
    def _table(self) -> NDArray[np.floating]:
        return read_tensors(self._weights)["embedding.weight"]


def _unit(vectors: Vectors) -> Vectors:
    """Rows at length 1 and rounded to float16, so that a cache can keep them in half the space and lose nothing."""
    lengths = np.sqrt(np.add.reduce(np.square(vectors, dtype=np.float64), axis=1))
    lengths[lengths == 0.0] = 1.0
    halves: NDArray[np.float16] = (vectors / lengths[:, None]).astype(np.float16)
    return halves.astype(np.float32)
