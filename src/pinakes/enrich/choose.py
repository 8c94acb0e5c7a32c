"""Which of a section's best phrases become its keywords.

In come a few scored phrases per section and, where there is an embedder, their vectors; out come the chosen ones, best
first. Relevance blends contrast with closeness of meaning; Maximal Marginal Relevance keeps near-repeats out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.enrich.candidates import IntArray
    from pinakes.enrich.contrast import Scores
    from pinakes.ports import Vectors

    Grid = NDArray[np.float64]

_CONTRAST_WEIGHT = 0.6
_MEANING_WEIGHT = 0.4


class Shortlist(Struct, frozen=True):
    """Candidates of a number of sections, side by side: one row a section, its candidates in order of contrast."""

    section: IntArray
    """Per row, its section."""
    candidate: IntArray
    """Numbers of the candidates; -1 fills a row up."""
    contrast: Scores
    words: IntArray
    """Per row and candidate its words' stems, filled up with -1."""
    wanted: IntArray
    """Per row, how many keywords to choose."""

    def part(self, rows: slice) -> Shortlist:
        """Some of the rows."""
        return Shortlist(
            self.section[rows], self.candidate[rows], self.contrast[rows], self.words[rows], self.wanted[rows]
        )


class Meaning(Struct, frozen=True):
    """Vectors to compare a shortlist with."""

    phrases: Vectors
    """Per row and candidate."""
    sections: Vectors
    """Per row. Both are zeros where closeness is not to be asked."""


def choose(shortlist: Shortlist, meaning: Meaning | None, diversity: float, min_score: float) -> list[list[int]]:
    """Per row, the candidates chosen, best first; the best one always is."""
    candidate = shortlist.candidate
    is_there = candidate >= 0
    best = np.where(is_there, shortlist.contrast, 0.0).max(axis=1, initial=0.0)
    relevance = np.where(is_there, shortlist.contrast / np.where(best > 0, best, 1.0)[:, None], 0.0)
    likeness, repeats = _overlap(shortlist.words)
    if meaning is not None:
        vectors, sections = meaning.phrases, meaning.sections
        closeness = np.maximum(np.einsum("nmd,nd->nm", vectors, sections).astype(np.float64), 0.0) * is_there
        # Both halves reach from 0 to 1: cosines of a static table lie close together and would weigh nothing.
        closeness /= np.maximum(closeness.max(axis=1, initial=0.0), 1e-6)[:, None]
        asked = (sections != 0).any(axis=1)
        relevance = np.where(asked[:, None], _CONTRAST_WEIGHT * relevance + _MEANING_WEIGHT * closeness, relevance)
        likeness = np.maximum(likeness, np.einsum("nad,nbd->nab", vectors, vectors))
    return _pick(candidate, _Field(relevance, likeness, repeats), shortlist.wanted, diversity, min_score)


class _Field(Struct, frozen=True):
    relevance: Grid
    likeness: Grid
    """Per row, candidate and other candidate, from 0 to 1."""
    repeats: NDArray[np.bool_]
    """Whether one says a word that the other says, too."""


def _pick(candidate: IntArray, field: _Field, wanted: IntArray, diversity: float, min_score: float) -> list[list[int]]:
    every = np.arange(len(candidate))
    # Rounded, so that the last bits of a sum never decide; the first of equals wins.
    relevance = np.round(field.relevance, 6)
    is_open = candidate >= 0
    nearest = np.zeros(relevance.shape)
    chosen: list[list[int]] = [[] for _ in every]
    for turn in range(int(wanted.max(initial=0))):
        value = np.where(is_open, (1.0 - diversity) * relevance - diversity * nearest, -np.inf)
        pick = np.argmax(np.round(value, 6), axis=1)
        for row in np.flatnonzero(is_open[every, pick] & (turn < wanted)).tolist():
            chosen[row].append(int(candidate[row, pick[row]]))
        is_open = is_open & ~field.repeats[every, pick] & (relevance >= min_score)
        nearest = np.maximum(nearest, field.likeness[every, pick])
    return chosen


def _overlap(words: IntArray) -> tuple[Grid, NDArray[np.bool_]]:
    """Share of words that two candidates of a row have in common, and whether there is one: a stem is said once."""
    is_word = words >= 0
    lengths = is_word.sum(axis=2)
    same = (words[:, :, None, :, None] == words[:, None, :, None, :]) & is_word[:, :, None, :, None]
    shared = same.any(axis=4).sum(axis=3)
    longer = np.maximum(np.maximum(lengths[:, :, None], lengths[:, None, :]), 1)
    return shared / longer, shared > 0
