"""Questions with known answers are asked, and what comes back is judged.

Questions, somebody who answers and the documents enter; one `Verdict` for each question leaves, and an `Evaluation`
that adds them up with the usual measures (NDCG, reciprocal rank, recall). How an answer is found is not known here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from math import log2, sqrt
from statistics import median_high, stdev
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from pinakes.evaluation.headings import Headings
from pinakes.evaluation.questions import Question
from pinakes.ports import Reader
from pinakes.records import DOCS, Hit, Query, Ref, Results
from pinakes.tokens import count_tokens

CUT = 10

T = TypeVar("T", bound=Hashable)


def ndcg(found: Sequence[T], grades: Mapping[T, int], cut: int = CUT) -> float:
    """Gain of what was found, later places counting less, as a share of the best possible."""
    ideal = sorted(grades.values(), reverse=True)[:cut]
    best = sum(_gain(grade, place) for place, grade in enumerate(ideal))
    return sum(_gain(grades.get(one, 0), place) for place, one in enumerate(found[:cut])) / best if best else 0.0


def reciprocal_rank(found: Sequence[T], grades: Mapping[T, int], cut: int = CUT) -> float:
    """One over the place of the first target."""
    return next((1.0 / place for place, one in enumerate(found[:cut], 1) if one in grades), 0.0)


def recall(found: Sequence[T], grades: Mapping[T, int], cut: int = CUT) -> float:
    """The share of all targets among the first."""
    return len(set(found[:cut]) & grades.keys()) / len(grades) if grades else 0.0


def separation(answerable: Sequence[float], unanswerable: Sequence[float]) -> float:
    """How often evidence is greater for a question that has an answer than for one that has none (AUROC)."""
    if not answerable or not unanswerable:
        return 0.0
    wins = sum((one > other) + 0.5 * (one == other) for one in answerable for other in unanswerable)
    return wins / (len(answerable) * len(unanswerable))


def doubt(differences: Sequence[float]) -> float:
    """How far the mean of such differences may be off, either way, nineteen times in twenty."""
    return 1.96 * stdev(differences) / sqrt(len(differences)) if len(differences) > 1 else 0.0


def _gain(grade: int, place: int) -> float:
    return (2.0**grade - 1.0) / log2(place + 2)


ROOM_TOKENS = 2000
"""What an agent may spend on reading before it must have found what it needs."""
ALL = "all"
MEASURES = ("ndcg", "mrr", "recall", "page_ndcg", "token_recall")
"""Fields of `Verdict` that are added up."""

SectionPlace = tuple[str, int]
"""A path and the position of a section in it; -1 for the document as a whole, -2 for a section nobody knows."""
Ask = Callable[[Question], Results]
OnProgress = Callable[[int, int], None]
"""Hears how many questions of how many are answered."""


def ignore_count(done: int, total: int) -> None:
    """For those who do not want to know."""


def asked_like(question: Question, like: Query) -> Query:
    """A question as a query, with everything it does not say itself taken from `like`."""
    where = replace(like.where, paths=like.where.paths + question.paths)
    return replace(like, text=question.text, where=where)


class JudgingLevel(StrEnum):
    """What a question is judged by."""

    SECTION = "section"
    DOCUMENT = "document"


class Verdict(Struct, frozen=True):
    """How one question was answered."""

    question: Question
    results: Results
    ndcg: float
    mrr: float
    recall: float
    page_ndcg: float
    token_recall: float
    """Share of the targets of the best grade whose text stands in an answer of at most `ROOM_TOKENS`."""
    seconds: float

    @property
    def is_answerable(self) -> bool:
        return bool(self.question.relevant)


class StyleMeans(Struct, frozen=True):
    """Means over the questions of one style that have an answer."""

    style: str
    questions: int
    ndcg: float
    mrr: float
    recall: float
    page_ndcg: float
    token_recall: float


class Silence(Struct, frozen=True):
    """How well it is told which questions have no answer."""

    unanswerable: int
    left_empty: int
    """Of the unanswerable ones."""
    answerable: int
    wrongly_empty: int
    """Of the answerable ones."""
    doubted: int
    """Of the unanswerable ones: left empty, or answered with doubt."""
    wrongly_doubted: int
    """Of the answerable ones, likewise."""
    separation: float | None
    """How often the evidence for an answerable question is greater than for one without an answer (AUROC); None when
    all are of one kind."""
    by: str
    """The evidence: belief, or the top score where answers carry no belief."""


class Evaluation(Struct, frozen=True):
    """All verdicts on a set of questions."""

    verdicts: tuple[Verdict, ...]
    level: JudgingLevel

    def row(self, style: str = ALL) -> StyleMeans:
        held = [one for one in self.verdicts if one.is_answerable and style in (ALL, one.question.style)]
        means = (sum(getattr(one, name) for one in held) / max(1, len(held)) for name in MEASURES)
        return StyleMeans(style, len(held), *means)

    def rows(self) -> tuple[StyleMeans, ...]:
        """One for each style, in alphabetical order, and one over all."""
        styles = sorted({one.question.style for one in self.verdicts if one.is_answerable} - {ALL})
        return (*(self.row(style) for style in styles), self.row())

    def silence(self) -> Silence:
        yes = [one.results for one in self.verdicts if one.is_answerable]
        no = [one.results for one in self.verdicts if not one.is_answerable]
        has_belief = any(one.evidence for one in (*yes, *no))
        told = separation(_evidence(yes, has_belief=has_belief), _evidence(no, has_belief=has_belief))
        return Silence(
            unanswerable=len(no),
            left_empty=sum(not one.hits for one in no),
            answerable=len(yes),
            wrongly_empty=sum(not one.hits for one in yes),
            doubted=sum(_is_doubted(one) for one in no),
            wrongly_doubted=sum(_is_doubted(one) for one in yes),
            separation=told if yes and no else None,
            by="belief" if has_belief else "top score",
        )

    def missing(self) -> tuple[str, ...]:
        """What could not answer, each thing once."""
        return tuple(dict.fromkeys(part for one in self.verdicts for part in one.results.missing))

    @property
    def median_ms(self) -> float:
        """Milliseconds that an answer took."""
        return round(1000 * median_high([one.seconds for one in self.verdicts]), 2) if self.verdicts else 0.0


def evaluate(
    questions: Sequence[Question],
    ask: Ask,
    reader: Reader,
    level: JudgingLevel = JudgingLevel.SECTION,
    on_progress: OnProgress = ignore_count,
    ask_briefly: Ask | None = None,
) -> Evaluation:
    """Ask every question, in order, and judge what comes back. Whoever can answer within `ROOM_TOKENS` is asked that
    way, too (`ask_briefly`); else the first hits that fit are judged."""
    judge = _Judge(reader, level)
    verdicts = []
    for done, question in enumerate(questions, 1):
        started = time.perf_counter()
        results = ask(question)
        seconds = time.perf_counter() - started
        verdicts.append(judge.verdict(question, results, ask_briefly(question) if ask_briefly else results, seconds))
        on_progress(done, len(questions))
    return Evaluation(tuple(verdicts), level)


def evaluate_like(
    questions: Sequence[Question],
    search: Callable[[Query], Results],
    like: Query,
    reader: Reader,
    level: JudgingLevel,
    on_progress: OnProgress,
) -> Evaluation:
    """`evaluate`, each question asked with everything else as in `like`, and once more within `ROOM_TOKENS`."""

    def within(most: int) -> Ask:
        return lambda one: search(replace(asked_like(one, like), max_tokens=most))

    return evaluate(questions, within(like.max_tokens), reader, level, on_progress, within(ROOM_TOKENS))


class _Judge:
    """Holds the headings of documents it has met, for as long as one evaluation takes."""

    def __init__(self, reader: Reader, level: JudgingLevel) -> None:
        self._level = level

        @cache
        def headings(path: str) -> Headings | None:
            document = reader.document(Ref(DOCS, path))
            return None if document is None else Headings(document)

        self._headings = headings

    def verdict(self, question: Question, results: Results, brief: Results, seconds: float) -> Verdict:
        grades: dict[SectionPlace, int] = {}
        pages: dict[str, int] = {}
        for one in question.relevant:
            place = self._place(one.path, one.heading)
            grades[place] = max(one.grade, grades.get(place, 0))
            pages[one.path] = max(one.grade, pages.get(one.path, 0))
        found = list(dict.fromkeys(self._shown(hit) for hit in results.hits))
        return Verdict(
            question,
            results,
            ndcg(found, grades),
            reciprocal_rank(found, grades),
            recall(found, grades),
            ndcg(list(dict.fromkeys(hit.ref.path for hit in results.hits)), pages),
            self._token_recall(brief.hits, grades),
            seconds,
        )

    def _place(self, path: str, heading: str) -> SectionPlace:
        """What a judge named."""
        return self._found(path, lambda headings: headings.find(heading))

    def _shown(self, hit: Hit) -> SectionPlace:
        """What a reader of the hit sees."""
        return self._found(hit.ref.path, lambda headings: headings.shown(hit.ref.anchor, hit.span))

    def _found(self, path: str, position_in: Callable[[Headings], int | None]) -> SectionPlace:
        if self._level is JudgingLevel.DOCUMENT:
            return path, -1
        headings = self._headings(path)
        position = None if headings is None else position_in(headings)
        return path, -2 if position is None else position

    def _token_recall(self, hits: Sequence[Hit], grades: Mapping[SectionPlace, int]) -> float:
        """A target counts when its section is named by a hit that fits, or lies wholly within such a hit's text."""
        read = [hit for hit in _fitting(hits) if hit.text]
        named = {self._shown(hit) for hit in read}
        best = max(grades.values(), default=0)
        wanted = [place for place, grade in grades.items() if grade == best]
        seen = [place for place in wanted if place in named or any(self._covers(hit, place) for hit in read)]
        return len(seen) / len(wanted) if wanted else 0.0

    def _covers(self, hit: Hit, place: SectionPlace) -> bool:
        path, position = place
        headings = self._headings(path) if hit.ref.path == path and position >= 0 else None
        if headings is None:
            return False
        own = headings.document.own(position)
        return hit.span.start <= own.start and hit.span.end >= own.end


def _fitting(hits: Sequence[Hit]) -> Iterator[Hit]:
    """The first hits, up to the one with which the room would be overdrawn."""
    room = ROOM_TOKENS
    for hit in hits:
        room -= count_tokens(hit.text)
        if room < 0:
            return
        yield hit


def _is_doubted(results: Results) -> bool:
    """Whether somebody who reads the answer is told that it may be none."""
    return bool(results.doubt) or not results.hits


def _evidence(answers: Sequence[Results], *, has_belief: bool) -> list[float]:
    """Without belief, an answer that is empty has no score either and says nothing."""
    if has_belief:
        return [one.evidence.belief if one.evidence else 0.0 for one in answers]
    return [one.hits[0].score for one in answers if one.hits]
