"""What the leading candidates link to, and what links to them.

Neighbours have no scores of their own, so they join by the rank of the candidate that led to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pinakes.ports import Reader
from pinakes.records import Candidate, ChunkId, Edge, Ranking, Ref, Vote, best_first
from pinakes.search.fuse import RANK_CONSTANT
from pinakes.search.plan import SearchPlan, Tools

SEEDS = 5
"""Candidates whose links are followed."""
FAN_OUT = 10
"""Links followed from each: a page with a hundred of them says little by any one."""


def neighbours(ranking: Ranking, plan: SearchPlan, tools: Tools) -> Ranking:
    """Add one hop of links around the leaders, lifting what is there already and appending what is not."""
    seeds = ranking[:SEEDS]
    plan.slices.fetch(candidate.chunk for candidate in seeds)
    led: dict[Ref, int] = {}
    for rank, candidate in enumerate(seeds, 1):
        found = plan.slices.find(candidate.chunk)
        if found is not None:
            for ref in _around(found.ref, tools.reader):
                led.setdefault(ref, rank)
    gains: dict[ChunkId, tuple[float, int]] = {}
    for ref, chunk in tools.reader.places(tuple(led)).items():
        if plan.scope is None or _is_inside(chunk, plan, tools.reader):
            gains[chunk] = (plan.weights.links / (RANK_CONSTANT + led[ref]), led[ref])
    known = {candidate.chunk: candidate for candidate in ranking}
    for chunk, (gain, rank) in gains.items():
        before = known.get(chunk, Candidate(chunk, 0.0, ()))
        known[chunk] = replace(before, score=before.score + gain, votes=(*before.votes, Vote("links", rank, gain)))
    return tuple(best_first(known.values()))


def _is_inside(chunk: ChunkId, plan: SearchPlan, reader: Reader) -> bool:
    """A filter holds for neighbours too."""
    scope = plan.scope
    if scope is None or chunk.document not in scope.documents:
        return scope is None
    if scope.sections is None:
        return True
    found = reader.slices((chunk,)).get(chunk)
    return found is not None and (chunk.document, found.section) in scope.sections


def _around(ref: Ref, reader: Reader) -> Iterator[Ref]:
    """Where the links of a section lead, and where links to it stand; never to its own document."""
    near: dict[Ref, None] = {}
    for edge in _first(reader.edges(ref.corpus, origin=ref), ref):
        if edge.to is not None:
            near[edge.to] = None
    for edge in _first(reader.edges(ref.corpus, to=ref), ref):
        near[edge.origin] = None
    yield from near


def _first(edges: Iterable[Edge], ref: Ref) -> Iterator[Edge]:
    kept = 0
    for edge in edges:
        if edge.to is not None and edge.to.document != edge.origin.document and ref in (edge.origin, edge.to):
            yield edge
            kept += 1
            if kept == FAN_OUT:
                return
