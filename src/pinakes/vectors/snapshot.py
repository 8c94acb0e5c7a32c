"""Questions to one published version of the vectors, whatever happens to the files in the meantime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pinakes.errors import StoreError
from pinakes.records import ChunkId, Scope, Scored
from pinakes.vectors.layout import VectorTable
from pinakes.vectors.scan import allowed_rows, cosines_of, nearest, section_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Vectors


class VectorSnapshot:
    """An immutable view of one published vector file; several threads may ask it at once."""

    def __init__(self, opened: VectorTable) -> None:
        self.opened = opened
        self._scoped: tuple[Scope | None, NDArray[np.bool_] | None] | None = None

    @property
    def generation(self) -> int:
        """The store's, when these were made; 0 when they are only a part."""
        return self.opened.header.generation

    @property
    def embedder(self) -> str:
        """The name of the embedder that made them."""
        return self.opened.header.embedder

    @property
    def rows(self) -> int:
        """How many vectors can be found."""
        return int(np.count_nonzero(self.opened.live[self.opened.section_of]))

    def limited(self, live: NDArray[np.bool_]) -> VectorSnapshot:
        """A snapshot of only these sections."""
        return self if np.array_equal(live, self.opened.live) else VectorSnapshot(replace(self.opened, live=live))

    def nearest(self, vector: Vectors, scope: Scope | None, limit: int) -> list[Scored]:
        """See `VectorIndex`. Raises `StoreError` for a question of another length."""
        header = self.opened.header
        question = np.asarray(vector, dtype=np.float32).reshape(-1)
        if len(question) != header.dimensions:
            raise StoreError(
                f"The vectors made by {header.embedder} have {header.dimensions} dimensions, the question has"
                f" {len(question)}.",
                f"Encode the question with {header.embedder}, or sync to embed with the present embedder.",
            )
        return nearest(self.opened, question, self._allowed(scope), limit)

    def scores(self, vector: Vectors, chunks: Sequence[ChunkId]) -> dict[ChunkId, float]:
        """See `VectorIndex`."""
        question = np.asarray(vector, dtype=np.float32).reshape(-1)
        if len(question) != self.opened.header.dimensions:
            return {}
        return cosines_of(self.opened, question, chunks)

    def section_vectors(self, chunks: Sequence[ChunkId]) -> Vectors:
        """See `VectorIndex`."""
        return section_vectors(self.opened, chunks)

    def _allowed(self, scope: Scope | None) -> NDArray[np.bool_] | None:
        known = self._scoped
        if known is None or known[0] is not scope:
            known = self._scoped = (scope, allowed_rows(self.opened, scope))
        return known[1]
