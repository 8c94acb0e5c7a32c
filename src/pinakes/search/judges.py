"""Which model said what of a hit: while a better embedder takes over, hits of one answer can have different ones."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pinakes.records import ChunkId
from pinakes.search.plan import Tools
from pinakes.search.select import Chosen


def with_judges(chosen: Sequence[Chosen], tools: Tools) -> tuple[Chosen, ...]:
    """What was chosen, each vote by meaning with the name of the embedder that gave it."""
    names = _embedders([one.candidate.chunk for one in chosen], tools)
    return tuple(_named(one, name) for one, name in zip(chosen, names, strict=True)) if names else tuple(chosen)


def _embedders(chunks: Sequence[ChunkId], tools: Tools) -> list[str]:
    """Whose vector each section was compared by; nothing where meaning is not asked."""
    if tools.meaning is None or not chunks:
        return []
    own, finer = tools.meaning.embedder.name, tools.meaning.finer
    if finer is None:
        return [own] * len(chunks)
    return [finer.embedder.name if row.any() else own for row in finer.vectors.section_vectors(chunks)]


def _named(one: Chosen, embedder: str) -> Chosen:
    votes = tuple(replace(vote, by=embedder) if vote.retriever == "meaning" else vote for vote in one.candidate.votes)
    return replace(one, candidate=replace(one.candidate, votes=votes))
