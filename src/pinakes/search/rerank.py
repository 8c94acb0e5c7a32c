"""The leading candidates again, each read together with the question by a finer model."""

from __future__ import annotations

from msgspec.structs import replace

from pinakes.errors import ExtraMissing, ModelFailed
from pinakes.records import Ranking, Vote, best_first
from pinakes.search.plan import SearchPlan, Tools

MOST = 50
"""Candidates that are read again."""
TRUST = ((3, 0.75), (10, 1.0), (MOST, 1.25))
"""Up to which place, how much of the model's share counts: what both retrievers put first is moved the least."""


def rerank(ranking: Ranking, plan: SearchPlan, tools: Tools) -> Ranking:
    """Blend the model's order into the leading places; without a model nothing changes."""
    if tools.reranker is None or not plan.question.text:
        return ranking
    leading = [(candidate, found) for candidate, found in plan.slices.available(ranking[:MOST])]
    try:
        read = tools.reranker.score(plan.question.text, [found.text for _, found in leading])
    except (ModelFailed, ExtraMissing) as error:
        plan.missing.append(f"rerank: {error}")
        return ranking
    if not leading:
        return ranking
    best, least = max(read), min(read)
    top = leading[0][0].score
    moved = {}
    for place, ((candidate, _), said) in enumerate(zip(leading, read, strict=True), 1):
        scaled = (said - least) / (best - least) if best > least else 1.0
        share = min(1.0, plan.weighing.rerank * next(trust for until, trust in TRUST if place <= until))
        score = (1.0 - share) * candidate.score + share * top * scaled
        vote = Vote("rerank", 0, said, tools.reranker.name)
        moved[candidate.chunk] = replace(candidate, score=score, votes=(*candidate.votes, vote))
    return tuple(best_first([moved.get(candidate.chunk, candidate) for candidate in ranking]))
