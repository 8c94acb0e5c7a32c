"""Which of the leading candidates are worth showing: one per section, duplicates folded, no document too often.

Two texts are the same when they are equal but for case and white space, and nearly the same when their runs of three
words overlap by 0.7 or more (runs of five characters for short text and scripts without spaces).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pinakes.records import Candidate, Chunk, Numbered, Ranking, Ref
from pinakes.search.plan import Plan
from pinakes.search.shelf import Shelf
from pinakes.words import fits

NEARLY = 0.7
_SHORT_WORDS = 12
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A candidate that will be shown, with what it stands for."""

    candidate: Candidate
    numbered: Numbered
    chunk: Chunk
    also_in: tuple[Ref, ...]


def select(ranking: Ranking, plan: Plan, shelf: Shelf, limit: int, per_document: int) -> list[Chosen]:
    """The first `limit` that differ from each other; what is folded away is named by the one that stays."""
    kept: list[tuple[Chosen, frozenset[str], list[Ref]]] = []
    seen_sections: set[tuple[int, int]] = set()
    per_page: Counter[int] = Counter()
    for candidate, numbered, chunk in _available(ranking, shelf):
        section = (numbered.number, chunk.section)
        if section in seen_sections or (per_document and per_page[numbered.number] >= per_document):
            continue
        text = numbered.document.text(chunk.span)
        if candidate.votes[0].retriever != "words" and not fits(text, plan.asked):
            continue
        shingles = _shingles(text)
        twin = next((held for held in kept if _is_twin(shingles, held[1])), None)
        if twin is not None:
            twin[2].append(numbered.document.section_ref(chunk.section))
            continue
        if len(kept) == limit:
            break
        seen_sections.add(section)
        per_page[numbered.number] += 1
        kept.append((Chosen(candidate, numbered, chunk, ()), shingles, []))
    return [Chosen(one.candidate, one.numbered, one.chunk, tuple(folded)) for one, _, folded in kept]


def _available(ranking: Ranking, shelf: Shelf) -> Iterator[tuple[Candidate, Numbered, Chunk]]:
    """Candidates that are still in the store, fetched by the dozen, so that a refill never fetches everything."""
    step = 24
    for start in range(0, len(ranking), step):
        leading = ranking[start : start + step]
        shelf.fetch(leading)
        for candidate in leading:
            found = shelf.find(candidate.chunk)
            if found is not None:
                yield candidate, *found


def _shingles(text: str) -> frozenset[str]:
    words = _WORD.findall(text.casefold())
    if len(words) < _SHORT_WORDS:
        joined = " ".join(words)
        return frozenset(joined[i : i + 5] for i in range(max(1, len(joined) - 4)))
    return frozenset(" ".join(words[i : i + 3]) for i in range(len(words) - 2))


def _is_twin(one: frozenset[str], other: frozenset[str]) -> bool:
    smaller, larger = sorted((len(one), len(other)))
    if not smaller or smaller < NEARLY * larger:
        return False
    shared = len(one & other)
    return shared >= NEARLY * (len(one) + len(other) - shared)
