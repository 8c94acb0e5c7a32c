"""Which of the leading candidates are worth showing: one per section, duplicates folded, no document too often.

Two texts are nearly the same when their runs of three words overlap by 0.7 or more (runs of five characters for short
text and scripts without spaces), unless each speaks of what it alone is called; or, where a library chooses so, when
their vectors are alike.

For a question that asks for diverse hits, `diversified` puts them in another order: each next one is near the question
and far from those before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from pinakes.cancelling import checked
from pinakes.records import Candidate, ChunkId, Ranking, Ref, Slice
from pinakes.search.plan import SearchPlan, Tools
from pinakes.words import fits

_SHORT_WORDS = 12
_NEAR = 0.7
"""Share of a retriever's best score, above its noise, with which a candidate is worth showing whatever its place."""
_SIGNS = ".,:;!?()[]{}<>\"'`*_"
"""What may stand around a word without changing it; C++ and C# keep theirs."""

Shingles = frozenset[str] | frozenset[tuple[str, str, str]]
"""Runs of characters of a short text, or of words of a longer one."""


class Chosen(Struct, frozen=True):
    """A candidate that will be shown, with what it stands for."""

    candidate: Candidate
    slice: Slice
    siblings: tuple[Slice, ...] = ()
    """Other chunks of the same section among the first candidates, as many as are wanted."""
    also_in: tuple[Ref, ...] = ()
    headings: tuple[Ref, ...] = ()
    """Headings above it that have no text of their own and were chosen too."""


class Selection(Struct, frozen=True):
    """What will be shown, and how many candidates were left out for which reason."""

    chosen: tuple[Chosen, ...]
    left_out: Mapping[str, int]


class _Body(Struct, frozen=True, dict=True):
    """What is compared of a text."""

    runs: Shingles
    written: list[str]
    """Its words in their order."""
    headings: tuple[str, ...]
    """Its title and the headings above it."""

    # Only of texts that are nearly the same is this asked.

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset([word.strip(_SIGNS) for word in self.written])

    @cached_property
    def names(self) -> frozenset[str]:
        """The words of its title and headings."""
        return frozenset(" ".join(self.headings).lower().split())


def near_best(ranking: Ranking, plan: SearchPlan, tools: Tools) -> Ranking:
    """The candidates that are not far below the best, by their score or by one retriever's own.

    Of a few candidates the least has no score at all, however good it is: scores are brought to one scale.
    """
    share = plan.query.min_share
    if not share or not ranking:
        return ranking
    floors = {"meaning": tools.meaning.traits.noise} if tools.meaning is not None else {}
    best: dict[str, float] = {}
    for vote in (vote for one in ranking for vote in one.votes if vote.rank):
        best[vote.retriever] = max(vote.score, best.get(vote.retriever, 0.0))

    least = share * ranking[0].score

    def is_near(one: Candidate) -> bool:
        if one.score >= least or one.chunk in plan.rare:
            return True
        for vote in one.votes:
            if vote.rank:
                floor = floors.get(vote.retriever, 0.0)
                if vote.score - floor >= _NEAR * (best[vote.retriever] - floor) > 0:
                    return True
        return False

    return tuple(filter(is_near, ranking))


def select(ranking: Ranking, plan: SearchPlan, tools: Tools, limit: int) -> Selection:
    """The first `limit` that differ from each other; what is folded away is named by the one that stays."""
    chosen: dict[tuple[int, int], Chosen] = {}  # by document number and section
    bodies: dict[tuple[int, int], _Body] = {}
    per_page: Counter[int] = Counter()
    left_out: Counter[str] = Counter()
    per_document = plan.options.per_document
    for place, (candidate, found) in enumerate(checked(plan.slices.available(ranking))):
        if len(chosen) == limit or candidate.score < plan.query.min_score:
            left_out["limit" if len(chosen) == limit else "score"] += len(ranking) - place
            break
        page = candidate.chunk.document
        section = (page, found.section)
        if section in chosen:
            left_out["same_section"] += 1
            if place < limit:
                chosen[section] = replace(chosen[section], siblings=(*chosen[section].siblings, found))
            continue
        if (per_document and per_page[page] >= per_document) or not fits(found.text, plan.question):
            left_out["per_document" if per_document and per_page[page] >= per_document else "phrase"] += 1
            continue
        own = _body(found)
        twin = None if plan.query.duplicates else _twin(candidate, own, chosen, bodies, plan, tools)
        if twin is not None:
            left_out["duplicate"] += 1
            also_in = dict.fromkeys((*chosen[twin].also_in, found.ref))
            chosen[twin] = replace(chosen[twin], also_in=tuple(also_in))
            continue
        per_page[page] += 1
        chosen[section], bodies[section] = Chosen(candidate, found), own
    return Selection(tuple(chosen.values()), dict(left_out))


def _twin(
    candidate: Candidate,
    own: _Body,
    chosen: Mapping[tuple[int, int], Chosen],
    bodies: Mapping[tuple[int, int], _Body],
    plan: SearchPlan,
    tools: Tools,
) -> tuple[int, int] | None:
    """The section among the chosen that says the same; None when none does."""
    for known, one in chosen.items():
        if _is_twin(own, bodies[known], plan.options.duplicates) or _is_like(one.candidate, candidate, plan, tools):
            return known
    return None


def _is_like(first: Candidate, second: Candidate, plan: SearchPlan, tools: Tools) -> bool:
    """Whether the vectors of two candidates are alike, where the library asks for that comparison."""
    least = plan.options.duplicate_cosine
    if not least or tools.meaning is None:
        return False
    pair: tuple[ChunkId, ChunkId] = (first.chunk, second.chunk)
    one, other = tools.meaning.vectors.section_vectors(pair)
    return float(one @ other) >= least


def _body(found: Slice) -> _Body:
    """Of what stands under the heading: the same text under another heading is the same text."""
    heading, _, below = found.text.partition("\n")
    words = (below if heading.startswith("#") and below.strip() else found.text).lower().split()
    if len(words) < _SHORT_WORDS:
        joined = " ".join(words)
        runs: Shingles = frozenset(joined[i : i + 5] for i in range(max(1, len(joined) - 4)))
    else:
        runs = frozenset(zip(words, words[1:], words[2:], strict=False))
    return _Body(runs, words, (found.title, *found.trail))


def _is_twin(one: _Body, other: _Body, least: float) -> bool:
    """Whether two texts are nearly the same, and not about different things."""
    first, second = one.runs, other.runs
    if not least or len(first) < least * len(second) or len(second) < least * len(first) or not first:
        return False
    shared = len(first & second)
    return shared >= least * (len(first) + len(second) - shared) and not _differ_in_subject(one, other)


def _differ_in_subject(one: _Body, other: _Body) -> bool:
    """Whether each text speaks of what it alone is called: pages made from a template, about cats and about dogs."""
    return bool(
        (one.names - other.names) & one.words - other.words and (other.names - one.names) & other.words - one.words
    )


def diversified(found: tuple[Chosen, ...], plan: SearchPlan, tools: Tools) -> tuple[Chosen, ...]:
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
    share = plan.options.mmr_lambda
    while left:
        taken = np.array(chosen)
        gains = {at: share * near[at] - (1.0 - share) * alike[at, taken].max() for at in left}
        following = max(sorted(gains), key=gains.__getitem__)
        chosen.append(following)
        left.remove(following)
    return tuple([found[at] for at in chosen])
