"""The leading candidates again, each read together with the question by a finer model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from msgspec.structs import replace

from pinakes.errors import ExtraMissing, ModelFailed
from pinakes.records import Candidate, Ranking, Slice, Vote, best_first
from pinakes.search.plan import SearchPlan, Tools

MOST, MOST_ADDED = 50, 24
"""Candidates that are read again; of a model whose numbers are added, as many as its weights were found on."""
USUAL_SHARE = 0.5
"""With which numbers that are added count in full."""
TRUST = ((3, 0.75), (10, 1.0), (MOST, 1.25))
"""Up to which place, how much of the model's share counts: what both retrievers put first is moved the least."""


def rerank(ranking: Ranking, plan: SearchPlan, tools: Tools) -> Ranking:
    """Blend the model's order into the leading places; without a model nothing changes."""
    if tools.reranker is None or not plan.question.text:
        return ranking
    is_added = isinstance(tools.reranker, Adding) and tools.reranker.is_added
    leading = leading_candidates(ranking, plan, is_added=is_added)
    try:
        read = tools.reranker.score(plan.question.text, [found.text for _, found in leading])
    except (ModelFailed, ExtraMissing) as error:
        plan.missing.append(f"rerank: {error}")
        return ranking
    if not leading:
        return ranking
    before = [candidate.score for candidate, _ in leading]
    scores = (_raised if is_added else _blended)(before, read, plan.weighing.rerank)
    moved = {}
    for (candidate, _), said, score in zip(leading, read, scores, strict=True):
        vote = Vote("rerank", 0, said, tools.reranker.name)
        moved[candidate.chunk] = replace(candidate, score=score, votes=(*candidate.votes, vote))
    return tuple(best_first([moved.get(candidate.chunk, candidate) for candidate in ranking]))


@runtime_checkable
class Adding(Protocol):
    """A reranker whose numbers may be added to search's own scores."""

    is_added: bool


def leading_candidates(ranking: Ranking, plan: SearchPlan, *, is_added: bool) -> list[tuple[Candidate, Slice]]:
    """Those that are read again, with their text."""
    return list(plan.slices.available(ranking[: MOST_ADDED if is_added else MOST]))


def _blended(before: Sequence[float], read: Sequence[float], share: float) -> list[float]:
    """The model's order, evenly spread, takes a share of each score."""
    best, least = max(read), min(read)
    scores = []
    for place, (score, said) in enumerate(zip(before, read, strict=True), 1):
        scaled = (said - least) / (best - least) if best > least else 1.0
        own = min(1.0, share * next(trust for until, trust in TRUST if place <= until))
        scores.append((1.0 - own) * score + own * before[0] * scaled)
    return scores


def _raised(before: Sequence[float], read: Sequence[float], share: float) -> list[float]:
    """What the model says is added. On average nothing changes, for the sake of candidates that it does not read."""
    middle = sum(read) / len(read)
    return [score + share / USUAL_SHARE * (said - middle) for score, said in zip(before, read, strict=True)]
