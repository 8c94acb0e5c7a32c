"""Several lists become one ranking, and a page that answers in several places is lifted.

Words and meaning are brought to one scale and added by weight: the best of a list is 1, and 0 is the least candidate's
score, or no score at all where a candidate has none. Candidates that only who looks further finds stand `behind` all
others. `page_support` then adds to each section a share of its page's best sections.

Adding by rank alone (reciprocal ranks) is there as well. It measures worse: a weak list then outvotes a strong one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from pinakes.errors import ConfigError
from pinakes.records import Candidate, ChunkId, Ranking, Scored, Vote, best_first
from pinakes.search.plan import SearchPlan, Tools

Lists = Mapping[str, Sequence[Scored]]
"""What each retriever found, best first."""
RANK_CONSTANT = 60
"""Of reciprocal ranks: how little the first places differ."""
PAGE_SECTIONS = 3
"""So many sections of a page stand for it."""


def fuse(lists: Lists, weights: Mapping[str, float], fusion: str = "convex") -> Ranking:
    """Add up what each list says, weighted; best first, ties by address."""
    if fusion not in _SCALES:
        raise ConfigError(f"There is no fusion “{fusion}”.", f"Choose one of {', '.join(_SCALES)}.")
    whole = sum(map(weights.__getitem__, lists)) or 1.0
    scores = dict.fromkeys([one.chunk for rows in lists.values() for one in rows], 0.0)
    votes: dict[ChunkId, list[Vote]] = {}
    for name, rows in lists.items():
        least = rows[-1].score if rows and len(rows) == len(scores) else 0.0
        scaled = _SCALES[fusion](rows, least)
        weight = weights[name] / whole
        for rank, ((chunk, score), share) in enumerate(zip(rows, scaled, strict=True), 1):
            scores[chunk] += weight * share
            votes.setdefault(chunk, []).append(Vote(name, rank, score))
    return tuple(best_first([Candidate(chunk, score, tuple(votes[chunk])) for chunk, score in scores.items()]))


def behind(ranking: Ranking, lists: Lists, further: Lists, weights: Mapping[str, float], fusion: str) -> Ranking:
    """A ranking that was made of `lists`, and after its last what only the `further` lists hold."""
    least = max(ranking[-1].score, 0.0) if ranking else 1.0
    last = []
    for one in fuse(further, weights, fusion):
        votes = tuple(replace(vote, rank=vote.rank + len(lists[vote.retriever])) for vote in one.votes)
        last.append(replace(one, score=least * one.score, votes=votes))
    return (*ranking, *last)


def _by_score(rows: Sequence[Scored], least: float) -> list[float]:
    spread = rows[0].score - least if rows else 0.0
    return [max((row.score - least) / spread, 0.0) if spread > 0 else 1.0 for row in rows]


def _by_rank(rows: Sequence[Scored], least: float) -> list[float]:
    del least
    return [(RANK_CONSTANT + 1) / (RANK_CONSTANT + rank) for rank in range(1, len(rows) + 1)]


_SCALES: Mapping[str, Callable[..., list[float]]] = {"convex": _by_score, "rrf": _by_rank}


def page_support(ranking: Ranking, plan: SearchPlan, tools: Tools) -> Ranking:
    """Add to each candidate a share of the mean of its document's best candidates."""
    del tools
    pages: dict[int, list[float]] = {}
    for candidate in ranking:
        scores = pages.setdefault(candidate.chunk.document, [])
        if len(scores) < PAGE_SECTIONS:
            scores.append(candidate.score)
    gains = {page: plan.weighing.page_support * sum(scores) / PAGE_SECTIONS for page, scores in pages.items()}
    lifted = []
    for candidate in ranking:
        gain = gains[candidate.chunk.document]
        votes = (*candidate.votes, Vote("page", 0, gain))
        lifted.append(Candidate(candidate.chunk, candidate.score + gain, votes))
    return tuple(best_first(lifted))
