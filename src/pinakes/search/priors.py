"""What is likely before anything is asked: that lists of links answer less, and recent documents more.

Each prior is a bounded factor and stands among the votes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime

from msgspec.structs import replace

from pinakes.records import Candidate, Kind, Ranking, Shape, Slice, Vote, best_first
from pinakes.search.plan import SearchPlan, Tools

LOOKED_AT = 24
"""Candidates a prior may move; what stands behind them is not worth fetching."""
_CHANGES = re.compile(
    r"\b(?:change ?logs?|chang(?:es?|ed)|releas(?:es?|ed)|what'?s new|new in|versions?|deprecated|removed|breaking)\b"
    r"|\bv?\d+\.\d+",
    re.IGNORECASE,
)
"""Words of a question that a change log may answer best."""
FADING = 4
"""For so many times the days in which a document is recent, it gains half as much."""


def answering(ranking: Ranking, plan: SearchPlan, tools: Tools) -> Ranking:
    """Lower what names an answer without giving it: lists of links, and change logs unless changes are asked for."""
    del tools
    changelog = 1.0 if _CHANGES.search(plan.question.text) else plan.weighing.changelog

    def factor(found: Slice) -> float:
        links = plan.weighing.link_list if Shape.LINKS in found.shapes else 1.0
        return min(links, changelog if found.kind is Kind.CHANGELOG else 1.0)

    return _lifted(ranking, plan, "answering", factor)


def recency(ranking: Ranking, plan: SearchPlan, tools: Tools) -> Ranking:
    """Lift what was changed lately, by its own date or git's, never by its file's time."""
    del tools
    today = datetime.now(UTC).date()
    days, gain = plan.options.recency_days, plan.weighing.recency - 1.0
    steps = ((days, gain), (FADING * days, gain / 2))

    def factor(found: Slice) -> float:
        try:
            age = (today - date.fromisoformat(found.modified[:10])).days
        except ValueError:
            return 1.0
        return next((1.0 + gain for days, gain in steps if 0 <= age <= days), 1.0)

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
