"""Hits that differ from each other: each next one is chosen for being near the question and far from those before."""

from __future__ import annotations

from collections.abc import Sequence

from pinakes.records import Candidate, ChunkId
from pinakes.search.plan import SearchPlan, Tools

RELEVANCE = 0.7
"""Share of nearness to the question; the rest is difference from what was chosen."""


def diversified(candidates: Sequence[Candidate], plan: SearchPlan, tools: Tools) -> tuple[Candidate, ...]:
    """All of them in another order; as they are where there are no vectors to compare."""
    text = plan.query.hypothesis or plan.question.text
    if tools.meaning is None or len(candidates) < 3 or not text:
        return tuple(candidates)
    import numpy as np

    chunks: list[ChunkId] = [candidate.chunk for candidate in candidates]
    vectors = tools.meaning.vectors.section_vectors(chunks)
    question = tools.meaning.embedder.encode([text])[0]
    if vectors.shape[1] != len(question):
        return tuple(candidates)
    near = vectors @ question
    alike = vectors @ vectors.T
    chosen = [0]
    left = set(range(1, len(candidates)))
    while left:
        taken = np.array(chosen)
        gains = {at: RELEVANCE * near[at] - (1.0 - RELEVANCE) * alike[at, taken].max() for at in left}
        following = max(sorted(gains), key=gains.__getitem__)
        chosen.append(following)
        left.remove(following)
    return tuple(candidates[at] for at in chosen)
