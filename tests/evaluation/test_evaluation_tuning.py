"""Tuning works on any options, and keeps only what holds on questions it was not chosen by."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec import Struct

from pinakes.evaluation.questions import Judgement, Question
from pinakes.evaluation.report import tuned_text, variants_text
from pinakes.evaluation.tuning import ablate, halves, leaving_out, tune, weights
from pinakes.evaluation.verdicts import Evaluation, JudgingLevel, Verdict
from pinakes.records import Query, QuestionKind, Results


class Outer(Struct, frozen=True):
    limit: int = 10
    useless: float = 0.0
    good: float = 0.5
    overfit: float = 1.0
    leave_out: tuple[str, ...] = ()


QUESTIONS = tuple(
    Question(f"q{number}", "?", style, (Judgement("a.md", "", 2),)) for style in "ab" for number in range(6)
)


def verdict(question: Question, ndcg: float) -> Verdict:
    results = Results(Query("?"), QuestionKind.EXPLORATORY, (), ())
    return Verdict(question, results, ndcg, ndcg, ndcg, ndcg, ndcg, 0.01)


def answers(options: Outer, questions: Sequence[Question]) -> Evaluation:
    """Better with more of `good`; more of `overfit` helps the choosing half and harms the other."""
    choosing, _ = halves(QUESTIONS)
    sign = 1 if questions[0] in choosing else -1
    ndcg = 0.2 + 0.3 * options.good + 0.1 * sign * options.overfit - 0.1 * len(options.leave_out)
    return Evaluation(tuple(verdict(one, ndcg) for one in questions), JudgingLevel.SECTION)


def test_halves_share_nothing_and_hold_every_style() -> None:
    one, other = halves(QUESTIONS)
    assert {*one, *other} == {*QUESTIONS}
    assert not {*one} & {*other}
    assert [sum(question.style == "a" for question in half) for half in (one, other)] == [3, 3]
    assert halves(QUESTIONS[::-1]) == (one, other)


def test_weights_are_the_floats() -> None:
    assert weights(Outer()) == {"useless": 0.0, "good": 0.5, "overfit": 1.0}


def test_only_what_is_better_on_both_halves_is_kept() -> None:
    found = tune(Outer(), QUESTIONS, answers)
    assert found.kept() == {"good": 1.0}
    assert found.options == Outer(good=1.0)
    assert [after - before for before, after in zip(found.before, found.after, strict=True)] == pytest.approx(
        [0.15] * 2
    )
    assert [(trial.name, trial.held_back_gain is not None) for trial in found.trials] == [
        ("useless", False),
        ("good", True),
        ("overfit", True),
    ]
    assert tuned_text(found).splitlines()[2].split() == ["good", "0.5", "1", "+0.150", "+0.150", "kept"]


def test_each_part_is_left_out_in_turn() -> None:
    variants = ablate(["words", "links"], lambda parts: answers(leaving_out(Outer(), parts), QUESTIONS))
    assert [one.name for one in variants] == ["everything", "without words", "without links"]
    assert variants_text(variants).splitlines()[2].split()[:5] == ["without", "words", ".350", "-0.100", ".000"]
