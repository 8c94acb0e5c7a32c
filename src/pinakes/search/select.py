"""Which of the leading candidates are worth showing: one per section, duplicates folded, no document too often.

Two texts are the same when they are equal but for case and white space, and nearly the same when their runs of three
words overlap by 0.7 or more (runs of five characters for short text and scripts without spaces), or, where a library
chooses so, when their vectors are alike.

For a question that asks for diverse hits, `diversified` puts them in another order: each next one is near the question
and far from those before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pinakes.cancelling import checked
from pinakes.records import Candidate, ChunkId, Ranking, Ref, Slice
from pinakes.search.plan import SearchPlan, Tools
from pinakes.words import fits

NEARLY = 0.7
_SHORT_WORDS = 12
_RELEVANCE = 0.7
"""Share of nearness to the question; the rest is difference from what was chosen."""

Shingles = frozenset[str] | frozenset[tuple[str, str, str]]
"""Runs of characters of a short text, or of words of a longer one."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A candidate that will be shown, with what it stands for."""

    candidate: Candidate
    slice: Slice
    siblings: tuple[Slice, ...] = ()
    """Other chunks of the same section among the first candidates, as many as are wanted."""
    also_in: tuple[Ref, ...] = ()


def select(ranking: Ranking, plan: SearchPlan, tools: Tools, limit: int) -> tuple[Chosen, ...]:
    """The first `limit` that differ from each other; what is folded away is named by the one that stays."""
    chosen: dict[tuple[int, int], Chosen] = {}  # by document number and section
    shingles: dict[tuple[int, int], Shingles] = {}
    per_page: Counter[int] = Counter()
    per_document = plan.options.per_document
    least = max(plan.query.min_score, plan.query.min_share * ranking[0].score if ranking else 0.0)
    for place, (candidate, found) in enumerate(checked(plan.slices.available(ranking))):
        if len(chosen) == limit or candidate.score < least:
            break
        page = candidate.chunk.document
        section = (page, found.section)
        if section in chosen:
            if place < limit:
                chosen[section] = replace(chosen[section], siblings=(*chosen[section].siblings, found))
            continue
        if (per_document and per_page[page] >= per_document) or not fits(found.text, plan.question):
            continue
        own = _shingles(found.text)
        twin = next(
            (
                known
                for known, one in chosen.items()
                if _is_twin(own, shingles[known]) or _is_like(one.candidate, candidate, plan, tools)
            ),
            None,
        )
        if twin is not None:
            also_in = dict.fromkeys((*chosen[twin].also_in, found.ref))
            chosen[twin] = replace(chosen[twin], also_in=tuple(also_in))
            continue
        per_page[page] += 1
        chosen[section], shingles[section] = Chosen(candidate, found), own
    return tuple(chosen.values())


def _is_like(first: Candidate, second: Candidate, plan: SearchPlan, tools: Tools) -> bool:
    """Whether the vectors of two candidates are alike, where the library asks for that comparison."""
    least = plan.options.duplicate_cosine
    if not least or tools.meaning is None:
        return False
    pair: tuple[ChunkId, ChunkId] = (first.chunk, second.chunk)
    one, other = tools.meaning.vectors.section_vectors(pair)
    return float(one @ other) >= least


def _shingles(text: str) -> Shingles:
    """Of what stands under the heading: the same text under another heading is the same text."""
    heading, _, body = text.partition("\n")
    words = (body if heading.startswith("#") and body.strip() else text).lower().split()
    if len(words) < _SHORT_WORDS:
        joined = " ".join(words)
        return frozenset(joined[i : i + 5] for i in range(max(1, len(joined) - 4)))
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def _is_twin(one: Shingles, other: Shingles) -> bool:
    if len(one) < NEARLY * len(other) or len(other) < NEARLY * len(one) or not one:
        return False
    shared = len(one & other)
    return shared >= NEARLY * (len(one) + len(other) - shared)


def diversified(found: Sequence[Chosen], plan: SearchPlan, tools: Tools) -> Sequence[Chosen]:
    """All of them in another order; as they are where there are no vectors to compare."""
    text = plan.query.hypothesis or plan.question.text
    if tools.meaning is None or len(found) < 3 or not text:
        return found
    import numpy as np

    chunks: list[ChunkId] = [one.candidate.chunk for one in found]
    vectors = tools.meaning.vectors.section_vectors(chunks)
    question = tools.meaning.embedder.encode([text])[0]
    if vectors.shape[1] != len(question):
        return found
    near = vectors @ question
    alike = vectors @ vectors.T
    chosen = [0]
    left = set(range(1, len(found)))
    while left:
        taken = np.array(chosen)
        gains = {at: _RELEVANCE * near[at] - (1.0 - _RELEVANCE) * alike[at, taken].max() for at in left}
        following = max(sorted(gains), key=gains.__getitem__)
        chosen.append(following)
        left.remove(following)
    return [found[at] for at in chosen]
