"""Questions to the tables: candidates by the numbers of their terms, scores by their weights, all of it exact.

`ParsedQuestion` and `Scope` enter, `Scored` chunks leave, best first; equal scores in the order of document and
ordinal.

A chunk's score is the product of its weights with how rare and how wanted each term is. Chunks that hold the rarest
terms are scored first. Each further term can add no more than so much: once the last of the wanted chunks has more than
all terms still to come could give together, nobody else can take its place, and the chunks that hold only those are
never looked at. Where that does not come true, all chunks that hold any of the terms are scored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

from msgspec import Struct

from pinakes.postgres.database import PostgresConnection, sql
from pinakes.records import ChunkId, ParsedQuestion, Scope, Scored, best_first
from pinakes.words.ask import DIGITS, PAIR_WEIGHT, SHARES, place_number, term_weights
from pinakes.words.engine import FieldStatistics
from pinakes.words.postgres.schema import PLACES
from pinakes.words.postgres.update import KeptIndex
from pinakes.words.tokenize import Normalizer

_GROWTH = 2.2
"""The most that standing there often enough makes of a term."""
_FIRST = 2000
"""Chunks, about, that are scored before it is asked whether that is enough; each time after that four times as many."""
_LOWER = (1 << 24) - 1

TermFacts = tuple[int, int, int, int]
"""The number of a term, and in how many chunks it stands in `words`, `about` and `code`."""
KnownTerms = Mapping[str, TermFacts]


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
        inside = _Inside(scope)
        if asked.phrases or asked.excluded:
            return self._with_phrases(asked, terms, inside, limit)
        found: list[Scored] = []
        left = sum(term.most for term in terms)
        with self.connect() as connection:
            for some, before in _steps(terms):
                left -= sum(term.most for term in some)
                fresh = self._best(connection, terms, some, before, inside, limit)
                found = best_first([*found, *fresh])[:limit]
                if len(found) == limit and found[-1].score > left + 0.5 / 10**DIGITS:
                    break
        return found

    def scores(self, asked: ParsedQuestion, chunks: Sequence[ChunkId]) -> dict[ChunkId, float]:
        """Of certain chunks, words that stand together as they do in the question counting more."""
        terms = self._weighted(asked)
        if not terms:
            return {}
        pairs = [_Run("words", tuple(map(self.stem, pair)), PAIR_WEIGHT) for pair in asked.pairs]
        documents, ordinals = [chunk.document for chunk in chunks], [chunk.ordinal for chunk in chunks]
        lines = (
            " JOIN chunk_lines lines"
            " ON (lines.store, lines.document, lines.ordinal) = (one.store, one.document, one.ordinal)"
            if pairs
            else ""
        )
        with self.connect() as connection:
            # The tables in their order, since other rooms let the planner look for no other.
            rows = connection.execute(
                sql(
                    "SELECT one.document, one.ordinal, -(weights <#> %s::sparsevec), one.words, one.code,"
                    f" {_texts('words', pairs)}, '' FROM unnest(%s::bigint[], %s::int[]) AS wanted (document, ordinal)"
                    " JOIN chunk_terms one ON one.store = %s AND one.document = wanted.document"
                    f" AND one.ordinal = wanted.ordinal{lines}"
                ),
                (as_vector(terms), *_wanted(pairs), documents, ordinals, self.store),
            ).fetchall()
        return {one.chunk: one.score for one in self._scored(rows, pairs) if one.score > 0}

    def _best(
        self,
        connection: PostgresConnection,
        terms: Sequence[WeighedTerm],
        some: Sequence[WeighedTerm],
        before: Sequence[WeighedTerm],
        inside: _Inside,
        limit: int,
    ) -> list[Scored]:
        """The best of those that hold some of the terms and none of those before."""
        known = "AND NOT terms && %s::int[]" if before else ""
        rows = connection.execute(
            sql(
                f"SELECT document, ordinal, round(-(weights <#> %s::sparsevec) * {10**DIGITS}) AS score"
                f" FROM chunk_terms WHERE store = %s AND terms && %s::int[] {known} {inside.condition}"
                " ORDER BY score DESC, document, ordinal LIMIT %s"
            ),
            (
                as_vector(terms),
                self.store,
                [2 * term.number for term in some],
                *([[2 * term.number for term in before]] if before else []),
                *inside.values,
                limit,
            ),
        ).fetchall()
        return [Scored(ChunkId(document, ordinal), score / 10**DIGITS) for document, ordinal, score in rows]

    def _with_phrases(
        self, asked: ParsedQuestion, terms: Sequence[WeighedTerm], inside: _Inside, limit: int
    ) -> list[Scored]:
        """Those that hold all phrases are few; their lines are looked at, and so are those of what is excluded."""
        wanted = [self._runs(phrase) for phrase in asked.phrases]
        unwanted = [self._runs(phrase) for phrase in asked.excluded]
        runs = [run for either in wanted for run in either]
        conditions = [_holds(either) for either in wanted] + [f"NOT {_holds(either)}" for either in unwanted]
        tested = [_line(run.terms) for either in (*wanted, *unwanted) for run in either]
        # What stands together in code stands, stemmed, in `words` too.
        needed = {term for either in wanted for term in either[0].terms}
        counts = self.counts(needed)
        if needed - counts.keys():
            return []
        held = [2 * number for number, *_ in counts.values()]
        with self.connect() as connection:
            rows = connection.execute(
                sql(
                    "SELECT one.document, ordinal, -(weights <#> %s::sparsevec), one.words, one.code, lines.words,"
                    " lines.code FROM chunk_terms one JOIN chunk_lines lines USING (store, document, ordinal)"
                    f" WHERE store = %s AND terms && %s::int[] AND terms @> %s::int[] {inside.condition}"
                    f" AND {' AND '.join(conditions)}"
                ),
                (
                    as_vector(terms),
                    self.store,
                    [2 * term.number for term in terms],
                    held,
                    *inside.values,
                    *tested,
                ),
            ).fetchall()
        return self._scored(rows, runs)[:limit]

    def _runs(self, phrase: Sequence[str]) -> list[_Run]:
        """Where a phrase is looked for: a single word in `words` only, which has those of code."""
        stems = tuple(map(self.stem, phrase))
        return [_Run("words", stems)] + ([_Run("code", tuple(phrase))] if len(phrase) > 1 else [])

    def _scored(self, rows: Iterable[tuple[int, int, float, int, int, str, str]], runs: Sequence[_Run]) -> list[Scored]:
        """With what runs of terms add, each as rare as all of its terms together."""
        counts = self.counts(term for run in runs for term in run.terms) if runs else {}
        lengths = {"words": self.made.words_length, "code": max(1, self.made.code) / max(1, self.made.chunks)}
        found = []
        for document, ordinal, score, words, code, words_line, code_line in rows:
            for run in runs:
                line, length = (words_line, words) if run.field == "words" else (code_line, code)
                if times := run.times(line):
                    field = FieldStatistics(self.made.chunks, lengths[run.field])
                    rarity = sum(field.rarity(counts.get(term, _NONE)[run.place]) for term in run.terms)
                    score += run.weight * field.score(times, length, rarity)
            found.append(Scored(ChunkId(document, ordinal), round(score, DIGITS)))
        return best_first(found)

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

    @property
    def most(self) -> float:
        """No chunk gets more by it."""
        return _GROWTH * (self.words + self.about)


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

    def times(self, line: str) -> int:
        """How often they stand side by side in a line of terms."""
        wanted = list(self.terms)
        here = line.split()
        return sum(here[at : at + len(wanted)] == wanted for at in range(len(here) - len(wanted) + 1))


class _Inside:
    """The condition that a scope is."""

    def __init__(self, scope: Scope | None) -> None:
        self.condition = ""
        self.values: list[list[int]] = []
        if scope is not None and scope.sections is None:
            self.condition = "AND document = ANY(%s::bigint[])"
            self.values = [list(scope.documents)]
        elif scope is not None and scope.sections is not None:
            self.condition = "AND document = ANY(%s::bigint[]) AND (document << 24 | section) = ANY(%s::bigint[])"
            places = [place_number(document, section) for document, section in scope.sections]
            self.values = [sorted({document for document, _ in scope.sections}), places]


def _steps(terms: Sequence[WeighedTerm]) -> Iterator[tuple[list[WeighedTerm], list[WeighedTerm]]]:
    """The terms, some after some, each time with those before: those that few chunks hold first."""
    room, start = _FIRST, 0
    while start < len(terms):
        end, count = start + 1, terms[start].chunks
        while end < len(terms) and count + terms[end].chunks <= room:
            count += terms[end].chunks
            end += 1
        yield list(terms[start:end]), list(terms[:start])
        start, room = end, room * 4


def as_vector(terms: Sequence[WeighedTerm]) -> str:
    """The question, to multiply the weights of a chunk with."""
    places = {2 * term.number: term.words for term in terms} | {2 * term.number + 1: term.about for term in terms}
    kept = ",".join([f"{place}:{value:.7g}" for place, value in sorted(places.items()) if value])
    return f"{{{kept}}}/{PLACES}"


def _line(terms: Sequence[str]) -> str:
    return f" {' '.join(terms)} "


def _holds(either: Sequence[_Run]) -> str:
    """Whether one of the runs is there; each stands for one value."""
    tests = [f"strpos(' ' || lines.{run.field} || ' ', %s) > 0" for run in either]
    return f"({' OR '.join(tests)})"


def _texts(field: str, runs: Sequence[_Run]) -> str:
    """A line, where it holds one of the runs; else nothing need be read."""
    return f"CASE WHEN {_holds(runs)} THEN lines.{field} ELSE '' END" if runs else "''"


def _wanted(runs: Sequence[_Run]) -> list[str]:
    return [_line(run.terms) for run in runs]
