"""Measuring says what was really waited for, asks what it was given, and fails in a sentence."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier

import pytest

from pinakes.errors import ConfigError
from pinakes.evaluation.questions import Question
from pinakes.evaluation.speed import CALLERS, at_once, cold_start, measure_speed, open_questions, sample, spread
from pinakes.records import Query, QuestionKind, Results, Stage


def question(text: str) -> Question:
    return Question(text, text, "all", ())


def answer(*stages: Stage) -> Results:
    return Results(Query("anything"), QuestionKind.EXPLORATORY, (), stages)


def test_percentiles_are_times_that_were_waited() -> None:
    found = spread([float(number) for number in range(100, 0, -1)])
    assert (found.times, found.p50_s, found.p95_s, found.p99_s) == (100, 50.0, 95.0, 99.0)
    assert spread([7.0]).p99_s == 7.0


def test_every_question_is_asked_to_warm_up_then_by_one_caller_then_by_several() -> None:
    asked: list[str] = []

    def ask(one: Question) -> Results:
        asked.append(one.text)
        return answer(Stage("understand", 0, 0, 0.0), *([Stage("present", 0, 0, 0.0)] if one.text == "b" else []))

    speed = measure_speed([question("a"), question("b")], ask, rounds=3)
    assert sorted(asked) == ["a"] * 7 + ["b"] * 7
    assert (speed.alone.times, speed.together.times) == (6, 6)
    assert [(name, one.times) for name, one in speed.stages] == [("understand", 6), ("present", 3), ("the rest", 6)]


def test_callers_really_ask_at_the_same_time() -> None:
    together = Barrier(CALLERS, timeout=30)

    def ask(one: Question) -> Results:
        together.wait()  # breaks, and fails the test, unless all of them are here at once
        return answer()

    waited, rate = at_once([question(str(number)) for number in range(CALLERS)], ask, 2)
    assert waited.times == 2 * CALLERS
    assert rate > 0


def test_lines_of_a_file_are_questions_and_a_set_is_read_as_one(tmp_path: Path) -> None:
    plain, graded = tmp_path / "plain.txt", tmp_path / "queries.jsonl"
    plain.write_text('one\n\n  {"two"}  \n', encoding="utf-8")
    graded.write_text('{"id": "1", "query": "three", "paths": ["guide"]}\n', encoding="utf-8")
    assert [one.text for one in open_questions(plain)] == ["one", '{"two"}']
    assert [(one.text, one.paths) for one in open_questions(tmp_path)] == [("three", ("guide",))]


def test_a_sample_is_the_same_each_time_and_never_more_than_there_is() -> None:
    many = [question(str(number)) for number in range(50)]
    assert sample(many, 10) == sample(many, 10)
    assert len(set(sample(many, 10))) == 10
    assert set(sample(many, 99)) == set(many)


def test_a_process_that_fails_is_no_figure() -> None:
    with pytest.raises(ConfigError, match=r"A fresh pinakes search failed: .*--no-such-option"):
        cold_start(["--no-such-option"], [question("a")])
