"""Several lists become one ranking.

Words and meaning are brought to one scale (least of a list 0, best 1) and added by weight. A retriever whose scores for
this question are flat tells little apart, so it counts for less: how far its best stands above its tail, without regard
to scale, decides, down to a floor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pinakes.records import Candidate, ChunkId, Ranking, Scored, Vote
from pinakes.search.recall import Lists

FLOOR = 0.6
"""A flat list keeps at least this share of its weight."""
STEEP = 0.35
"""From this relative gap between best and tail on, a list counts in full."""


def fuse(lists: Lists, weights: Mapping[str, float]) -> Ranking:
    """Add up what each list says, weighted; best first, ties by address."""
    shares = {name: weights[name] * decisiveness(rows) for name, rows in lists.items()}
    whole = sum(shares.values()) or 1.0
    scores: dict[ChunkId, float] = {}
    votes: dict[ChunkId, list[Vote]] = {}
    for name, rows in lists.items():
        for rank, (chunk, score, scaled) in enumerate(_scaled(rows), 1):
            scores[chunk] = scores.get(chunk, 0.0) + shares[name] / whole * scaled
            votes.setdefault(chunk, []).append(Vote(name, rank, score))
    order = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))
    return tuple(Candidate(chunk, scores[chunk], tuple(votes[chunk])) for chunk in order)


def decisiveness(rows: Sequence[Scored]) -> float:
    """Between the floor and 1: how clearly a list's best stand above its tail."""
    if len(rows) < 10:
        return 1.0
    best = rows[0].score
    tail = sum(row.score for row in rows[len(rows) // 2 :]) / (len(rows) - len(rows) // 2)
    gap = (best - tail) / abs(best) if best else 0.0
    return FLOOR + (1.0 - FLOOR) * min(1.0, max(0.0, gap) / STEEP)


def _scaled(rows: Sequence[Scored]) -> list[tuple[ChunkId, float, float]]:
    if not rows:
        return []
    best, least = rows[0].score, rows[-1].score
    spread = best - least
    return [(chunk, score, (score - least) / spread if spread > 0 else 1.0) for chunk, score in rows]
