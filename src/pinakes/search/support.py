"""A page that answers in several places lifts each of them: a section gains a share of its page's best."""

from __future__ import annotations

from dataclasses import replace

from pinakes.records import Ranking, Vote
from pinakes.search.plan import Plan

WEIGHT = 0.2
BEST = 3
"""So many sections of a page stand for it."""


def page_support(ranking: Ranking, plan: Plan) -> Ranking:
    """Add to each candidate a share of the mean of its document's best candidates."""
    del plan
    pages: dict[int, list[float]] = {}
    for candidate in ranking:
        scores = pages.setdefault(candidate.chunk.document, [])
        if len(scores) < BEST:
            scores.append(candidate.score)
    lifted = []
    for candidate in ranking:
        gain = WEIGHT * sum(pages[candidate.chunk.document]) / BEST
        votes = (*candidate.votes, Vote("page", 0, gain))
        lifted.append(replace(candidate, score=candidate.score + gain, votes=votes))
    return tuple(sorted(lifted, key=lambda candidate: (-candidate.score, candidate.chunk)))
