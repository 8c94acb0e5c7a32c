"""Questions to the lists of terms: every chunk that holds any of them is scored, all of it exact.

`ParsedQuestion` and `Scope` enter, `Scored` chunks leave, best first; equal scores in the order of document and
ordinal.

A chunk's score is the sum over the question's terms of how much a term is wanted, how rare it is, and how often it
stands there beside how long the chunk is: BM25 as the engine for folders has it. The lists of terms that come up again
lie in memory, so most questions are answered without asking the database for any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec import Struct

from pinakes.postgres.database import PostgresConnection, sql
from pinakes.records import ChunkId, ParsedQuestion, Scope, Scored, best_first
from pinakes.words.ask import DIGITS, PAIR_WEIGHT, SHARES, term_weights
from pinakes.words.engine import FieldStatistics
from pinakes.words.postgres.lists import KeptIndex, Lengths, OpenLists, open_lists
from pinakes.words.postgres.parts import places
from pinakes.words.tokenize import Normalizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.words.postgres.parts import ChunkNumbers, Part

_TOGETHER = 1000
"""Chunks whose lines are read at a time, where the first that pass are the best."""

TermFacts = tuple[int, int, int, int]
"""The number of a term, and in how many chunks it stands in `words`, `about` and `code`."""
KnownTerms = Mapping[str, TermFacts]


class Scorer(NamedTuple):
    """What the chunks of parts score, by their numbers there."""

    opened: OpenLists
    lengths: Lengths
    terms: Sequence[WeighedTerm]

    def every(self, part: int) -> NDArray[np.float64]:
        """Of each chunk of a part; 0 for those that no longer count."""
        here = self.opened.parts[part]
        scores = np.zeros(len(here.part.documents))
        for term in self.terms:
            for field, length, factor in term.shares(self.lengths):
                held = self.opened.of(part, term.number, field, length)
                scores[held.numbers] += factor * held.weights
        scores[here.dead] = 0.0
        return scores

    def of(self, part: int, numbers: ChunkNumbers) -> NDArray[np.float64]:
        """Of certain chunks of a part."""
        scores = np.zeros(len(numbers))
        for term in self.terms:
            for field, length, factor in term.shares(self.lengths):
                scores += factor * self.opened.of(part, term.number, field, length).of(numbers)
        return scores


class Asking(Struct, frozen=True):
    """What a question is asked of."""

    connect: Callable[[], AbstractContextManager[PostgresConnection]]
    store: int
    made: KeptIndex
    stem: Normalizer
    counts: Callable[[Iterable[str]], KnownTerms]

    def match(self, asked: ParsedQuestion, scope: Scope | None, limit: int) -> list[Scored]:
        """The best of the chunks that hold any of the terms and all of the phrases, and nothing that is excluded."""
        terms = self._weighted(asked)
        if not terms or (scope is not None and not (scope.documents if scope.sections is None else scope.sections)):
            return []
        if asked.phrases or asked.excluded:
            return self._with_phrases(asked, terms, scope, limit)
        scorer = self._scorer(terms)
        found: list[Scored] = []
        for part in scorer.opened.parts:
            scores = scorer.every(part)
            numbers = np.flatnonzero(scores)
            if scope is not None:
                numbers = _inside(scorer.opened, part, numbers, scope)
            found += _best(scorer.opened.parts[part].part, numbers, scores[numbers], limit)
        return best_first(found)[:limit]

    def scores(self, asked: ParsedQuestion, chunks: Sequence[ChunkId]) -> dict[ChunkId, float]:
        """Of certain chunks, words that stand together as they do in the question counting more."""
        terms = self._weighted(asked)
        if not terms:
            return {}
        pairs = [_Run("words", tuple(map(self.stem, pair)), PAIR_WEIGHT) for pair in asked.pairs]
        scorer = self._scorer(terms)
        found = [one for one in _certain(scorer, chunks) if one.score > 0]
        if not pairs:
            return {one.chunk: round(one.score, DIGITS) for one in found}
        lines = self._lines([one.chunk for one in found], [_holds(pairs)], [pair.text for pair in pairs])
        return {one.chunk: one.score for one in self._scored(scorer, found, lines, pairs)}

    def _with_phrases(
        self, asked: ParsedQuestion, terms: Sequence[WeighedTerm], scope: Scope | None, limit: int
    ) -> list[Scored]:
        """Those that hold all terms of the phrases are few; their lines are looked at, and so are those of what is
        excluded."""
        wanted = [self._runs(phrase) for phrase in asked.phrases]
        unwanted = [self._runs(phrase) for phrase in asked.excluded]
        runs = [run for either in wanted for run in either]
        conditions = [_holds(either) for either in wanted] + [f"NOT {_holds(either)}" for either in unwanted]
        tested = [run.text for either in (*wanted, *unwanted) for run in either]
        # What stands together in code stands, stemmed, in `words` too.
        needed = {term for either in wanted for term in either[0].terms}
        counts = self.counts(needed)
        if needed - counts.keys():
            return []
        scorer = self._scorer(terms, [number for number, *_ in counts.values()])
        candidates: list[Scored] = []
        for part in scorer.opened.parts:
            numbers = _holding(scorer, part, [number for number, *_ in counts.values()])
            if scope is not None:
                numbers = _inside(scorer.opened, part, numbers, scope)
            scores = scorer.of(part, numbers)
            here = scorer.opened.parts[part].part
            candidates += [one for one in _best(here, numbers, scores, len(numbers)) if one.score > 0]
        candidates, found = best_first(candidates), list[Scored]()
        # A phrase may lift whoever holds it above the others; what is excluded lifts nobody.
        step = len(candidates) if runs else _TOGETHER
        for start in range(0, len(candidates), max(1, step)):
            some = candidates[start : start + step]
            lines = self._lines([one.chunk for one in some], conditions, tested)
            found += self._scored(scorer, [one for one in some if one.chunk in lines], lines, runs)
            if len(found) >= limit:
                break
        return best_first(found)[:limit]

    def _runs(self, phrase: Sequence[str]) -> list[_Run]:
        """Where a phrase is looked for: a single word in `words` only, which has those of code."""
        stems = tuple(map(self.stem, phrase))
        return [_Run("words", stems)] + ([_Run("code", tuple(phrase))] if len(phrase) > 1 else [])

    def _lines(
        self, chunks: Sequence[ChunkId], conditions: Sequence[str], tested: Sequence[str]
    ) -> dict[ChunkId, tuple[str, str]]:
        """The lines of `words` and `code` of those of the chunks for which all conditions hold."""
        if not chunks:
            return {}
        documents, ordinals = map(list, zip(*chunks, strict=True))
        # The tables in their order, since other rooms let the planner look for no other.
        statement = (
            "SELECT lines.document, lines.ordinal, lines.words, lines.code"
            " FROM unnest(%s::bigint[], %s::int[]) AS wanted (document, ordinal) JOIN chunk_lines lines"
            " ON lines.store = %s AND lines.document = wanted.document AND lines.ordinal = wanted.ordinal"
            f" WHERE {' AND '.join(conditions)}"
        )
        with self.connect() as connection:
            rows = connection.execute(sql(statement), (documents, ordinals, self.store, *tested)).fetchall()
        return {ChunkId(document, ordinal): (words, code) for document, ordinal, words, code in rows}

    def _scored(
        self,
        scorer: Scorer,
        found: Sequence[Scored],
        lines: Mapping[ChunkId, tuple[str, str]],
        runs: Sequence[_Run],
    ) -> list[Scored]:
        """With what runs of terms in the lines add, each as rare as all of its terms together."""
        counts = self.counts(term for run in runs for term in run.terms) if runs else {}
        fields = {name: FieldStatistics(self.made.chunks, getattr(scorer.lengths, name)) for name in ("words", "code")}
        scored = []
        for chunk, score in found:
            words, code = lines.get(chunk, ("", ""))
            for run in runs:
                line = words if run.field == "words" else code
                if times := run.times(line):
                    field = fields[run.field]
                    rarity = sum(field.rarity(counts.get(term, _NONE)[run.place]) for term in run.terms)
                    score += run.weight * field.score(times, len(line.split()), rarity)
            scored.append(Scored(chunk, round(score, DIGITS)))
        return best_first(scored)

    def _scorer(self, terms: Sequence[WeighedTerm], others: Sequence[int] = ()) -> Scorer:
        """With the lists of the terms, and of others that are looked at."""
        numbers = [*dict.fromkeys([*(term.number for term in terms), *others])]
        with self.connect() as connection:
            opened = open_lists(connection, {self.store: self.made.parts}, {self.store: numbers})
        return Scorer(opened, self.made.lengths, terms)

    def _weighted(self, asked: ParsedQuestion) -> list[WeighedTerm]:
        """The terms that occur, the rarest first."""
        weights = term_weights(asked, self.stem)
        return weighed_terms(weights, self.counts(weights), self.made.chunks)


_NONE = (0, 0, 0, 0)


class WeighedTerm(NamedTuple):
    """A term of the question."""

    number: int
    chunks: int
    """In how many chunks it stands."""
    words: float
    """What its weight in `words` is multiplied by."""
    about: float

    def shares(self, lengths: Lengths) -> Iterator[tuple[str, float, float]]:
        """The fields that count for it, how long they are, and how much it counts there."""
        yield "words", lengths.words, self.words
        if self.about:
            yield "about", lengths.about, self.about


def weighed_terms(weights: Mapping[str, float], counts: KnownTerms, chunks: int) -> list[WeighedTerm]:
    """Those of the terms that occur in so many chunks, the rarest first."""
    field = FieldStatistics(chunks, 1.0)
    found = []
    for term, weight in weights.items():
        number, *times = counts.get(term, _NONE)
        if times[0]:
            shares = (share * weight * field.rarity(count) for (_, share), count in zip(SHARES, times, strict=False))
            words, about = shares
            found.append(WeighedTerm(number, times[0], words, about if times[1] else 0.0))
    return sorted(found, key=lambda term: (term.chunks, term.number))


class _Run(NamedTuple):
    """Terms that stand together in a field, and how much that counts."""

    field: str
    terms: tuple[str, ...]
    weight: float = 1.0

    @property
    def place(self) -> int:
        """Of the field among the counts of a term."""
        return 1 if self.field == "words" else 3

    @property
    def text(self) -> str:
        """What a line holds where they stand side by side."""
        return f" {' '.join(self.terms)} "

    def times(self, line: str) -> int:
        """How often they stand side by side in a line of terms."""
        line, text, found = f" {line} ", self.text, 0
        at = line.find(text)
        while at >= 0:
            found, at = found + 1, line.find(text, at + 1)
        return found


def _best(part: Part, numbers: ChunkNumbers, scores: NDArray[np.float64], limit: int) -> list[Scored]:
    """The best of these chunks of a part, with all that are as good as the last."""
    if len(scores) > limit:
        kept = scores >= np.partition(scores, -limit)[-limit] - 1 / 10**DIGITS
        numbers, scores = numbers[kept], scores[kept]
    rounded = np.round(scores, DIGITS).tolist()
    return [Scored(chunk, score) for chunk, score in zip(part.chunks(numbers), rounded, strict=True)]


def _certain(scorer: Scorer, chunks: Sequence[ChunkId]) -> Iterator[Scored]:
    """What these chunks score; those that are not there are left out."""
    for part, here in scorer.opened.parts.items():
        numbers = here.numbers_of(chunks)
        is_here = np.flatnonzero(numbers >= 0)
        scores = scorer.of(part, numbers[is_here])
        for at, score in zip(is_here.tolist(), scores.tolist(), strict=True):
            yield Scored(chunks[at], score)


def _holding(scorer: Scorer, part: int, terms: Sequence[int]) -> ChunkNumbers:
    """The chunks of a part that hold all of these terms, or of none that hold any of the question's."""
    opened = scorer.opened
    if not terms:
        return np.flatnonzero(scorer.every(part))
    held = [opened.lists[part, term][0].numbers for term in terms]
    both = reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), held)
    return np.setdiff1d(both, opened.parts[part].dead).astype(np.int64)


def _inside(opened: OpenLists, part: int, numbers: ChunkNumbers, scope: Scope) -> ChunkNumbers:
    """Those of the chunks that a scope lets through."""
    here = opened.parts[part].part
    documents = np.fromiter(scope.documents, dtype=np.int64)
    if scope.sections is not None:
        wanted = np.array([*scope.sections], dtype=np.int64).reshape(-1, 2)
        sections = places(here.documents[numbers], here.sections[numbers])
        return numbers[np.isin(sections, places(wanted[:, 0], wanted[:, 1]))]
    return numbers[np.isin(here.documents[numbers], documents)]


def _holds(either: Sequence[_Run]) -> str:
    """Whether one of the runs is there; each stands for one value."""
    tests = [f"strpos(' ' || lines.{run.field} || ' ', %s) > 0" for run in either]
    return f"({' OR '.join(tests)})"
