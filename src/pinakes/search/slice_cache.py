"""The texts behind the leading candidates, fetched once and late."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pinakes.ports import Reader
from pinakes.records import Candidate, ChunkId, Slice

_STEP = 12
"""Fetched at a time: a little more than a usual answer shows, so that most questions fetch once."""


class SliceCache:
    """Slices by chunk, read from the store when first asked for, many at a time."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._held: dict[ChunkId, Slice | None] = {}

    def fetch(self, chunks: Iterable[ChunkId]) -> None:
        """Read these in one go."""
        wanted = [chunk for chunk in dict.fromkeys(chunks) if chunk not in self._held]
        if wanted:
            self._held.update(dict.fromkeys(wanted))
            self._held.update(self._reader.slices(wanted))

    def find(self, chunk: ChunkId) -> Slice | None:
        """A chunk's slice; None when the store no longer has it (a derived part may lag behind)."""
        if chunk not in self._held:
            self.fetch((chunk,))
        return self._held[chunk]

    def available(self, ranking: Sequence[Candidate]) -> Iterator[tuple[Candidate, Slice]]:
        """Candidates that are still in the store, in order, fetched by the dozen: a refill never fetches everything."""
        for start in range(0, len(ranking), _STEP):
            leading = ranking[start : start + _STEP]
            self.fetch(candidate.chunk for candidate in leading)
            for candidate in leading:
                found = self.find(candidate.chunk)
                if found is not None:
                    yield candidate, found
