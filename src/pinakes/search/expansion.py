"""Words of the corpus near those of a question, so that `auth` finds *authentication*.

A vocabulary of terms with their vectors enters once; for each question the nearest few terms leave, with weights. Off
in the usual profiles: fused with meaning, which knows the same vectors, it gained nothing (docs/search.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pinakes.ports import Embedder, Vectors

MOST_TERMS = 10_000
"""Of a vocabulary, the most frequent ones."""
NEAREST = 3
"""So many terms are added for each word of the question."""
NEAR = 0.6
"""The least cosine."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The corpus's own terms and a vector for each."""

    terms: Sequence[str]
    vectors: Vectors
    embedder: Embedder
    """Which made them."""


def expansion(words: Sequence[str], vocabulary: Vocabulary) -> Mapping[str, float]:
    """Terms near to these words and how near each is; the words themselves are left out."""
    asked = [word for word in words if word.isalpha()]
    if not asked or not vocabulary.terms:
        return {}
    cosines = vocabulary.embedder.encode(asked) @ vocabulary.vectors.T
    near: dict[str, float] = {}
    for row in cosines:
        best = row.argsort()[::-1][: NEAREST + len(asked)]
        fitting = [(vocabulary.terms[at], float(row[at])) for at in best.tolist() if row[at] >= NEAR]
        for term, cosine in [(term, cosine) for term, cosine in fitting if term not in asked][:NEAREST]:
            near[term] = max(near.get(term, 0.0), cosine)
    return near
