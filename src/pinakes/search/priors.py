"""What is likely before anything is asked: central sections, the leaders' community, recent documents.

Each prior is a bounded factor and stands among the votes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from math import log1p

from pinakes.records import Candidate, Ranking, Slice, Vote, best_first
from pinakes.search.plan import SearchPlan, Tools

LEADERS = 5
"""Candidates whose communities count."""
LOOKED_AT = 50
"""Candidates a prior may move; what stands behind them is not worth fetching."""
RECENT = ((7, 1.2), (30, 1.1))
"""Days, and the factor for what was changed since."""


def community(ranking: Ranking, plan: SearchPlan, tools: Tools) -> Ranking:
    """Lift what belongs to the community most of the leaders are in."""
    if not tools.communities:
        return ranking
    plan.slices.fetch(candidate.chunk for candidate in ranking[:LOOKED_AT])
    leading = [plan.slices.find(candidate.chunk) for candidate in ranking[:LEADERS]]
    groups = Counter(tools.communities[one.ref.path] for one in leading if one and one.ref.path in tools.communities)
    if not groups or groups.most_common(1)[0][1] < 2:
        return ranking
    leader = groups.most_common(1)[0][0]

    def factor(found: Slice) -> float:
        return plan.weighing.community if tools.communities.get(found.ref.path) == leader else 1.0

    return _lifted(ranking, plan, "community", factor)


def centrality(ranking: Ranking, plan: SearchPlan, tools: Tools) -> Ranking:
    """Lift what much leads to, by the logarithm of its PageRank."""
    if not tools.ranks:
        return ranking
    most = log1p(max((max(ranks, default=0.0) for ranks in tools.ranks.values()), default=0.0)) or 1.0

    def factor(found: Slice) -> float:
        ranks = tools.ranks.get(found.ref.path, ())
        rank = ranks[found.section] if found.section < len(ranks) else 0.0
        return 1.0 + plan.weighing.centrality * log1p(rank) / most

    return _lifted(ranking, plan, "centrality", factor)


def recency(ranking: Ranking, plan: SearchPlan, tools: Tools) -> Ranking:
    """Lift what was changed lately, by its own date or git's, never by its file's time."""
    del tools
    today = datetime.now(UTC).date()

    def factor(found: Slice) -> float:
        try:
            age = (today - date.fromisoformat(found.modified[:10])).days
        except ValueError:
            return 1.0
        return next((lift for days, lift in RECENT if 0 <= age <= days), 1.0)

    return _lifted(ranking, plan, "recency", factor)


def _lifted(ranking: Ranking, plan: SearchPlan, name: str, factor: Callable[[Slice], float]) -> Ranking:
    plan.slices.fetch(candidate.chunk for candidate in ranking[:LOOKED_AT])
    moved = [_moved(candidate, plan, name, factor) for candidate in ranking[:LOOKED_AT]]
    return tuple(best_first([*moved, *ranking[LOOKED_AT:]]))


def _moved(candidate: Candidate, plan: SearchPlan, name: str, factor: Callable[[Slice], float]) -> Candidate:
    found = plan.slices.find(candidate.chunk)
    lift = factor(found) if found is not None else 1.0
    if lift == 1.0:
        return candidate
    return replace(candidate, score=candidate.score * lift, votes=(*candidate.votes, Vote(name, 0, lift)))
