"""Several lists become one ranking.

Words and meaning are brought to one scale and added by weight: the best of a list is 1, and 0 is the least candidate's
score, or no score at all where a candidate has none.

Adding by rank alone (reciprocal ranks) is there as well. It measures worse: a weak list then outvotes a strong one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pinakes.errors import ConfigError
from pinakes.records import Candidate, ChunkId, Ranking, Scored, Vote
from pinakes.search.ranking import RANK_CONSTANT, Lists, ordered


def fuse(lists: Lists, weights: Mapping[str, float], fusion: str = "convex") -> Ranking:
    """Add up what each list says, weighted; best first, ties by address."""
    if fusion not in _SCALES:
        raise ConfigError(f"There is no fusion “{fusion}”.", f"Choose one of {', '.join(_SCALES)}.")
    whole = sum(weights[name] for name in lists) or 1.0
    count = len({one.chunk for rows in lists.values() for one in rows})
    scores: dict[ChunkId, float] = {}
    votes: dict[ChunkId, list[Vote]] = {}
    for name, rows in lists.items():
        scaled = _SCALES[fusion](rows, is_whole=len(rows) == count)
        weight = weights[name] / whole
        for rank, ((chunk, score), share) in enumerate(zip(rows, scaled, strict=True), 1):
            scores[chunk] = scores.get(chunk, 0.0) + weight * share
            votes.setdefault(chunk, []).append(Vote(name, rank, score))
    return ordered(Candidate(chunk, score, tuple(votes[chunk])) for chunk, score in scores.items())


def _by_score(rows: Sequence[Scored], *, is_whole: bool) -> list[float]:
    if not rows:
        return []
    best, least = rows[0].score, rows[-1].score if is_whole else 0.0
    spread = best - least
    return [(row.score - least) / spread if spread > 0 else 1.0 for row in rows]


def _by_rank(rows: Sequence[Scored], *, is_whole: bool) -> list[float]:
    del is_whole
    return [(RANK_CONSTANT + 1) / (RANK_CONSTANT + rank) for rank in range(1, len(rows) + 1)]


_SCALES: Mapping[str, Callable[..., list[float]]] = {"convex": _by_score, "rrf": _by_rank}
