"""docs-rerank: the first hits again, every word of the question held against every word of a passage.

A question and passages enter, one number a passage leaves: by how much search's own score should rise. A passage has
one vector for all it says, and search by words counts those that are the same; here a word of the question also meets
words that mean nearly the same, each by its own vector from the table of docs-static, and where they stand counts.

Twelve numbers are made of how near the words are, and a weight for each was found on questions about nine projects
(`python -m training reread`, docs/models.md). Frameworks: numpy.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pinakes.errors import ConfigError
from pinakes.neural.model_files import READER, read_settings, reader_name
from pinakes.neural.word_pieces import WORD, folded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Embedder

    _Numbers = NDArray[np.float32]

FEATURES = (
    "nearest",
    "same",
    "least",
    "found",
    *(f"around_{near}" for near in (95, 80, 65, 50, 35, 20)),
    "together",
    "beginning",
)
"""What is told of a passage, each with a weight."""
_QUESTION, _PASSAGE = 24, 200
"""Words that are read of each."""
_CHARACTERS = 12
"""Of a word, with what stands around it: no more text is looked at than so many words can take."""
_NEAR = np.array([0.95, 0.8, 0.65, 0.5, 0.35, 0.2], dtype=np.float32)
_WIDTH = 0.02
_FOUND, _AT_HAND = 0.6, 0.7
"""Cosines from which on a word counts as found, and as found among its neighbours."""
_WINDOW, _STEP = 30, 10
_BEGINNING = 40
_LEAST_RARITY = 0.2


class WordReader:
    """Keeps the promise `Reranker` with a table of word vectors and a weight for each of `FEATURES`."""

    is_added = True
    """Its numbers are added to search's own scores; of a cross-encoder's only the order counts."""

    def __init__(self, table: Embedder) -> None:
        self.name = reader_name()
        self._table = table
        held = read_settings(READER)
        try:
            self._weights = np.array([held[one] for one in FEATURES], dtype=np.float32)
        except (KeyError, ValueError, TypeError) as error:
            raise ConfigError(f"{READER} cannot be read: {error}.", "Install Pinakes again.") from error

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """One number per passage, in the measure of search's own scores. Rarity is that among these passages."""
        return [float(one) for one in features(question, passages, self._table) @ self._weights]


def features(question: str, passages: Sequence[str], table: Embedder) -> _Numbers:
    """A row of `FEATURES` for each passage; all 0 where the question has no words or the passage has none."""
    asked = _words(question, _QUESTION)
    read = [_words(passage, _PASSAGE) for passage in passages]
    found = np.zeros((len(passages), len(FEATURES)), dtype=np.float32)
    if not asked:
        return found
    numbers = {word: number for number, word in enumerate(dict.fromkeys([*asked, *(w for one in read for w in one)]))}
    vectors = table.encode(list(numbers))
    own = np.array([numbers[word] for word in asked])
    near = vectors[own] @ vectors.T
    places = [np.array([numbers[word] for word in one], dtype=np.intp) for one in read]
    rarity = _rarity(own, places)
    for row, place in zip(found, places, strict=True):
        if len(place):
            row[:] = _told(near[:, place], own[:, None] == place, rarity)
    return found


def _told(near: _Numbers, is_same: NDArray[np.bool_], rarity: _Numbers) -> list[float]:
    """Rows are words of the question, columns those of a passage in their order."""
    near = np.where(is_same, np.float32(1.0), near)
    nearest = near.max(axis=1)
    around = np.exp(-np.square(near[:, :, None] - _NEAR) / _WIDTH).sum(axis=1)
    starts = range(0, max(1, near.shape[1] - _WINDOW + 1), _STEP)
    together = max(float(rarity @ (near[:, at : at + _WINDOW].max(axis=1) > _AT_HAND)) for at in starts)
    return [
        float(rarity @ nearest),
        float(rarity @ is_same.any(axis=1)),
        float(nearest.min()),
        float(rarity @ (nearest > _FOUND)),
        *(rarity @ np.log1p(around)).tolist(),
        together,
        float(rarity @ near[:, :_BEGINNING].max(axis=1)),
    ]


def _rarity(own: NDArray[np.intp], places: Sequence[NDArray[np.intp]]) -> _Numbers:
    """How much each word of the question tells, by how few of the passages hold it; all together tell 1."""
    holders = np.array([sum(bool((place == word).any()) for place in places) for word in own], dtype=np.float32)
    rarity = np.log1p((len(places) - holders + 0.5) / (holders + 0.5)) + _LEAST_RARITY
    told: _Numbers = (rarity / rarity.sum()).astype(np.float32)
    return told


def _words(text: str, most: int) -> list[str]:
    return WORD.findall(folded(text[: most * _CHARACTERS]))[:most]


def written_weights(weights: Sequence[float]) -> str:
    """The file that holds these weights."""
    return json.dumps(dict(zip(FEATURES, weights, strict=True)), indent=1) + "\n"
