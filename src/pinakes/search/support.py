"""A page that answers in several places lifts each of them: a section gains a share of its page's best."""

from __future__ import annotations

from pinakes.records import Candidate, Ranking, Vote
from pinakes.search.plan import SearchPlan, Tools
from pinakes.search.ranking import ordered

BEST = 3
"""So many sections of a page stand for it."""


def page_support(ranking: Ranking, plan: SearchPlan, tools: Tools) -> Ranking:
    """Add to each candidate a share of the mean of its document's best candidates."""
    del tools
    pages: dict[int, list[float]] = {}
    for candidate in ranking:
        scores = pages.setdefault(candidate.chunk.document, [])
        if len(scores) < BEST:
            scores.append(candidate.score)
    gains = {page: plan.weighing.page_support * sum(scores) / BEST for page, scores in pages.items()}
    lifted = []
    for candidate in ranking:
        gain = gains[candidate.chunk.document]
        votes = (*candidate.votes, Vote("page", 0, gain))
        lifted.append(Candidate(candidate.chunk, candidate.score + gain, votes))
    return ordered(lifted)
