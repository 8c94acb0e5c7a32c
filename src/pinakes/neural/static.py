"""The default embedder, docs-static: a table of word-piece vectors, summed.

In come texts, out come unit vectors; framework: numpy. The table comes with Pinakes (`models/docs-static`; how it was
made: training/README.md). A word's vector is the sum of its pieces' over the root of their number, so that a word
counts no more for being spelled in many. A text's is the sum of its distinct words', each weighing 1 + ln(occurrences):
a word said ten times is not ten times what the text is about.

Same text, same vector, to the bit, whatever it is encoded together with: each text is summed by itself, and never
through BLAS, whose order of adding depends on the shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import shake_256
from itertools import chain, count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from pinakes.errors import ConfigError
from pinakes.neural.model_files import STATIC, StaticFiles, static_files, static_name
from pinakes.neural.registry import traits
from pinakes.neural.word_pieces import LETTERS, count_words, cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Vectors

_DIMENSIONS = 256
_MOST_COUNTED = 256
_DAMPED = (1.0 + np.log(np.maximum(np.arange(_MOST_COUNTED + 1), 1))).astype(np.float32)
_FEW_WORDS, _MOST_WORDS = 1024, 32_768
"""Words whose vectors are kept: 1 MB to begin with, 34 MB at most. When there are more, all are forgotten, and the
frequent ones soon met again."""
_TOGETHER = 256
"""Texts whose new words are learned at once."""
_TELLING, _ENOUGH_WORDS = 3, 200
"""Letters of a word that tells whether a text is known, and how many such words tell it."""


class StaticEmbedder:
    """Keeps the promise `Embedder` with nothing but files of `folder`; raises `ExtraMissing` when one is not there."""

    dimensions = _DIMENSIONS

    def __init__(self, folder: Path = STATIC) -> None:
        self._files = static_files(folder)
        self.name = static_name(folder)
        self.traits = traits(folder, "")
        self._lock = Lock()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of length 1, or 0 where a text holds no word; values are exact in float16."""
        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        with self._lock:  # words of one text must not take the place of another's
            for first in range(0, len(texts), _TOGETHER):
                counted = [count_words(text) for text in texts[first : first + _TOGETHER]]
                self._words.add_up(counted, vectors[first : first + _TOGETHER])
        return _unit(vectors)

    def known_share(self, texts: Sequence[str]) -> float:
        """Of the words of these texts, how many have a row of their own; 1 where there are too few to tell. Each counts
        once for each text, and those of one or two letters, with a digit or a sign, tell nothing."""
        words = [word for text in texts for word in count_words(text) if word.isalpha() and len(word) >= _TELLING]
        with self._lock:
            return self._words.known_share(words) if len(words) >= _ENOUGH_WORDS else 1.0

    @cached_property
    def _words(self) -> _Words:
        return _Words(self._files)


class _Words:
    """Vectors of words, each made when it is first met. One thread at a time."""

    def __init__(self, files: StaticFiles) -> None:
        try:
            # Mapped, since one question needs few of the rows.
            self._rows: NDArray[np.int8] = np.load(files.rows, mmap_mode="r")
            self._scales: NDArray[np.float32] = np.load(files.scales)
            pieces = files.pieces.read_text(encoding="utf-8").split()
            if not len(pieces) == len(self._rows) == len(self._scales):
                raise ValueError("its parts are not of one size")
        except (OSError, ValueError) as error:
            raise ConfigError(f"{files.rows.parent} cannot be read: {error}.", "Install Pinakes again.") from error
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._places: dict[bytes, int] = {}
        self._vectors: NDArray[np.float32] = np.empty((_FEW_WORDS, _DIMENSIONS), dtype=np.float32)

    def add_up(self, texts: Sequence[Mapping[bytes, int]], sums: NDArray[np.float32]) -> None:
        """Put the weighted sum of each text's words into its row of `sums`."""
        try:
            places = self._found(texts)
        except KeyError:
            self._learn(texts)
            places = self._found(texts)
        counts = np.array([*chain.from_iterable(text.values() for text in texts)], dtype=np.intp)
        weights = _DAMPED[np.minimum(counts, _MOST_COUNTED)]
        # One place for all of them: getting fresh memory for each takes as long as the sums.
        rows = np.empty((max(map(len, texts), default=0), _DIMENSIONS), dtype=np.float32)
        start = 0
        for text, total in zip(texts, sums, strict=True):
            end = start + len(text)
            if text:
                own = self._vectors.take(places[start:end], axis=0, out=rows[: end - start], mode="clip")
                np.einsum("n,nd->d", weights[start:end], own, out=total)
            start = end

    def known_share(self, words: Sequence[bytes]) -> float:
        """How many of them are pieces as they are."""
        known = {word: len(cut(word, self._numbers)) == 1 for word in set(words)}
        return sum(map(known.__getitem__, words)) / len(words)

    def _found(self, texts: Sequence[Mapping[bytes, int]]) -> NDArray[np.intp]:
        """Where the vectors of all words stand, text after text; raises `KeyError` for a new one."""
        return np.array([*map(self._places.__getitem__, chain.from_iterable(texts))], dtype=np.intp)

    def _learn(self, texts: Iterable[Iterable[bytes]]) -> None:
        """Make the vectors of words not met before."""
        wanted: set[bytes] = set().union(*texts)
        new = wanted.difference(self._places)  # not with `-`, which would look at every word that is known
        if len(self._places) + len(new) > _MOST_WORDS:
            self._places, new = {}, wanted
        if not new:
            return
        while len(self._places) + len(new) > len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.empty_like(self._vectors)])
        pieces = [cut(word, self._numbers) for word in new]
        counts = np.array([len(one) for one in pieces])
        numbers = list(chain.from_iterable(one or (0,) for one in pieces))
        first = len(self._places)
        fresh = self._vectors[first : first + len(new)]
        lengths = np.maximum(counts, 1)
        np.add.reduceat(self._pieces(np.array(numbers)), np.cumsum(lengths) - lengths, axis=0, out=fresh)
        fresh *= np.where(counts, 1.0 / np.sqrt(lengths), 0.0).astype(np.float32)[:, None]
        self._places.update(zip(new, count(first), strict=False))

    def _pieces(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of pieces, and of letters that are none."""
        size = len(self._rows)
        if numbers.max() < size:
            return self._rows[numbers] * self._scales[numbers][:, None]
        found = self._letters[np.maximum(numbers - size, 0)]
        known = np.flatnonzero(numbers < size)
        found[known] = self._pieces(numbers[known]) if len(known) else 0.0
        return found

    @cached_property
    def _letters(self) -> NDArray[np.float32]:
        """A direction at random for each, always the same, as long as a usual piece."""
        bits = np.unpackbits(np.frombuffer(shake_256(b"letters").digest(LETTERS * _DIMENSIONS // 8), dtype=np.uint8))
        signs: NDArray[np.float32] = bits.reshape(LETTERS, _DIMENSIONS) * np.float32(2.0) - np.float32(1.0)
        return signs / np.float32(np.sqrt(_DIMENSIONS))


def _unit(vectors: Vectors) -> Vectors:
    """Rows at length 1 and rounded to float16, so that a cache can keep them in half the space and lose nothing."""
    lengths = np.sqrt(np.add.reduce(np.square(vectors, dtype=np.float64), axis=1))
    lengths[lengths == 0.0] = 1.0
    halves: NDArray[np.float16] = (vectors / lengths[:, None]).astype(np.float16)
    return halves.astype(np.float32)
