"""Which of the leading candidates are worth showing: one per section, duplicates folded, no document too often.

Two texts are the same when they are equal but for case and white space, and nearly the same when their runs of three
words overlap by 0.7 or more (runs of five characters for short text and scripts without spaces), or, where a library
chooses so, when their vectors are alike.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from pinakes.records import Candidate, ChunkId, Ranking, Ref, Slice
from pinakes.search.plan import SearchPlan, Tools
from pinakes.words import fits

NEARLY = 0.7
_SHORT_WORDS = 12

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


@dataclass(slots=True)
class _Held:
    """A choice while others may still be folded into it."""

    candidate: Candidate
    slice: Slice
    shingles: Shingles
    siblings: list[Slice] = field(default_factory=list)
    also_in: list[Ref] = field(default_factory=list)


def select(ranking: Ranking, plan: SearchPlan, tools: Tools, limit: int) -> tuple[Chosen, ...]:
    """The first `limit` that differ from each other; what is folded away is named by the one that stays."""
    kept: list[_Held] = []
    sections: dict[tuple[int, int], _Held] = {}
    per_page: Counter[int] = Counter()
    per_document = plan.options.per_document
    for place, (candidate, found) in enumerate(plan.shelf.available(ranking)):
        if len(kept) == limit or candidate.score < plan.query.min_score:
            break
        section = (candidate.chunk.document, found.section)
        if section in sections:
            if place < limit:
                sections[section].siblings.append(found)
            continue
        if per_document and per_page[candidate.chunk.document] >= per_document:
            continue
        if not fits(found.text, plan.question):
            continue
        shingles = _shingles(found.text)
        twin = next(
            (held for held in kept if _is_twin(shingles, held.shingles) or _is_like(held, candidate, plan, tools)), None
        )
        if twin is not None:
            twin.also_in.append(found.ref)
            continue
        per_page[candidate.chunk.document] += 1
        kept.append(_Held(candidate, found, shingles))
        sections[section] = kept[-1]
    return tuple(
        Chosen(held.candidate, held.slice, tuple(held.siblings), tuple(dict.fromkeys(held.also_in))) for held in kept
    )


def _is_like(held: _Held, candidate: Candidate, plan: SearchPlan, tools: Tools) -> bool:
    """Whether vectors say so, where the library asks for it."""
    least = plan.options.duplicate_cosine
    if not least or tools.vectors is None:
        return False
    pair: tuple[ChunkId, ChunkId] = (held.candidate.chunk, candidate.chunk)
    one, other = tools.vectors.section_vectors(pair)
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
