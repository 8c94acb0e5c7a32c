"""The documents behind the leading candidates, fetched once and late."""

from __future__ import annotations

from collections.abc import Iterable

from pinakes.ports import Reader
from pinakes.records import Candidate, Chunk, ChunkId, Numbered


class Shelf:
    """Numbered documents by number, read from the store when first asked for, many at a time."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._held: dict[int, Numbered | None] = {}

    def fetch(self, candidates: Iterable[Candidate]) -> None:
        """Read what these candidates stand in, in one go."""
        wanted = {candidate.chunk.document for candidate in candidates} - self._held.keys()
        self._held.update(dict.fromkeys(wanted))
        for numbered in self._reader.numbered(sorted(wanted)):
            self._held[numbered.number] = numbered

    def find(self, chunk: ChunkId) -> tuple[Numbered, Chunk] | None:
        """A chunk and its document; None when the store no longer has it (a derived part may lag behind)."""
        numbered = self._held.get(chunk.document)
        if numbered is None or chunk.ordinal >= len(numbered.chunks):
            return None
        return numbered, numbered.chunks[chunk.ordinal]

    def text(self, chunk: ChunkId) -> str:
        """The chunk's own words; empty when it is no longer there."""
        found = self.find(chunk)
        return found[0].document.text(found[1].span) if found else ""
