"""Answers of several corpora become one.

Each corpus has an index of its own, so the scores of two of them share no scale: the best hit of each stands near 1
even where only one of them answers. What does mean the same everywhere is the belief that there is an answer at all
(see `evidence`), so a corpus's scores count by as much as it is believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pinakes.records import Hit, Query, Results
from pinakes.tokens import count_tokens


def merge_results(query: Query, answers: Sequence[Results]) -> Results:
    """One answer to `query` from the answers of one or several corpora, each hit with its own reasons."""
    if len(answers) == 1:
        return answers[0]
    weighed = [(hit.score * _belief(answer), hit) for answer in answers for hit in answer.hits]
    ranked = sorted(weighed, key=lambda pair: (-pair[0], pair[1].ref))
    hits = _within(query, [replace(hit, score=score) for score, hit in ranked[: query.limit]])
    best = max(answers, key=_belief)
    unknown = [word for word in best.unknown if all(word in answer.unknown for answer in answers)]
    return Results(
        query,
        best.kind,
        tuple(hits),
        tuple(stage for answer in answers for stage in answer.stages),
        tuple(dict.fromkeys(part for answer in answers for part in answer.missing)),
        tuple(unknown),
        best.evidence,
        "" if hits else best.abstained,
        () if hits else best.nearest,
    )


def _belief(answer: Results) -> float:
    return answer.evidence.belief if answer.evidence else float(bool(answer.hits))


def _within(query: Query, hits: list[Hit]) -> list[Hit]:
    """As many of the best as the token budget holds: each corpus kept to it by itself."""
    if not query.max_tokens:
        return hits
    kept, left = [], query.max_tokens
    for hit in hits:
        left -= count_tokens(hit.text)
        if left < 0:
            break
        kept.append(hit)
    return kept
