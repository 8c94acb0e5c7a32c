"""One list by meaning out of two embedders, neither of which is ever compared with the other's vectors.

A question, vectors of everything and finer vectors of a part enter; scores leave, all on one scale. A section that has
finer vectors is judged by them. Any other is judged by its coarse cosine, brought to the finer scale by a line that is
fitted for each question to the sections that have both: the means and spreads of both embedders there, and, while there
are few of those, what is known of any question: noise lies at noise, and a text lies at 1 from itself.

The scale itself moves from the coarse embedder's to the finer's with the share that has come over, and so do weight and
noise (`ActiveVectors.traits`), so that nothing jumps when the first vectors come and when the last ones do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from pinakes.ports import Cosines, Embedder, FinerVectors
from pinakes.records import ChunkId, Scope, Scored

if TYPE_CHECKING:
    from pinakes.ports import Vectors

_PRIOR = 20.0
"""What is known of any question counts as much as so many sections that have both."""


class Line(Struct, frozen=True):
    """Coarse cosines to finer ones."""

    slope: float
    offset: float

    def __call__(self, coarse: float) -> float:
        return self.slope * coarse + self.offset

    def back(self, finer: float) -> float:
        return (finer - self.offset) / self.slope


class BlendedVectors:
    """One question to both. `best` comes before `scores`, which keeps to its line."""

    def __init__(self, text: str, coarse: Cosines, embedder: Embedder, finer: FinerVectors) -> None:
        self._text = text
        self._coarse = coarse
        self._embedder = embedder
        self._finer = finer
        self._line = prior(embedder.traits.noise, finer.embedder.traits.noise)

    def best(self, scope: Scope | None, limit: int) -> list[Scored]:
        """The best of all, by whichever judges them."""
        coarse = dict(self._coarse.nearest(self._vector, scope, limit))
        finer = dict(self._finer.vectors.nearest(self._finer_vector, scope, limit))
        finer |= self._finer.vectors.scores(self._finer_vector, [chunk for chunk in coarse if chunk not in finer])
        coarse |= self._coarse.scores(self._vector, [chunk for chunk in finer if chunk not in coarse])
        self._line = fitted(self._line, [(coarse[chunk], finer[chunk]) for chunk in finer if chunk in coarse])
        judged = self._judged(coarse, finer)
        ranked = sorted(judged, key=lambda chunk: (-judged[chunk], chunk))
        return [Scored(chunk, judged[chunk]) for chunk in ranked[:limit]]

    def scores(self, chunks: Sequence[ChunkId]) -> Mapping[ChunkId, float]:
        """What `best` would score certain sections."""
        finer = self._finer.vectors.scores(self._finer_vector, chunks)
        rest = [chunk for chunk in chunks if chunk not in finer]
        return self._judged(self._coarse.scores(self._vector, rest), finer)

    def _judged(self, coarse: Mapping[ChunkId, float], finer: Mapping[ChunkId, float]) -> dict[ChunkId, float]:
        line, share = self._line, self._finer.share
        on_finer = {chunk: line(score) for chunk, score in coarse.items()} | dict(finer)
        return {chunk: share * score + (1.0 - share) * line.back(score) for chunk, score in on_finer.items()}

    @cached_property
    def _vector(self) -> Vectors:
        vector: Vectors = self._embedder.encode([self._text])[0]
        return vector

    @cached_property
    def _finer_vector(self) -> Vectors:
        vector: Vectors = self._finer.embedder.encode([self._text])[0]
        return vector


def prior(coarse_noise: float, finer_noise: float) -> Line:
    """Noise to noise, 1 to 1."""
    slope = (1.0 - finer_noise) / (1.0 - coarse_noise)
    return Line(slope, 1.0 - slope)


def fitted(before: Line, pairs: Sequence[tuple[float, float]]) -> Line:
    """A line through the means of pairs of cosines, as steep as their spreads say; the fewer, the more as `before`."""
    if not pairs:
        return before
    count = len(pairs)
    means = [sum(pair[side] for pair in pairs) / count for side in (0, 1)]
    coarse, finer = (sum((pair[side] - means[side]) ** 2 for pair in pairs) for side in (0, 1))
    spread = _PRIOR * coarse / count if coarse else 1.0
    slope = ((finer + before.slope**2 * spread) / (coarse + spread)) ** 0.5
    shift = count / (count + _PRIOR) * (means[1] - before(means[0]))
    return Line(slope, before(means[0]) + shift - slope * means[0])
