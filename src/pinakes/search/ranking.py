"""Lists and their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pinakes.records import Candidate, Ranking, Scored

Lists = Mapping[str, Sequence[Scored]]
"""What each retriever found, best first."""
RANK_CONSTANT = 60
"""Of reciprocal ranks: how little the first places differ."""


def ordered(candidates: Iterable[Candidate]) -> Ranking:
    """Best first; equal scores by address, so that the same question has the same answer."""
    return tuple(sorted(candidates, key=lambda candidate: (-candidate.score, candidate.chunk)))
