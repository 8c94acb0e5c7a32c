"""Metrics by hand-made examples, and questions that are read or refused."""

from __future__ import annotations

from math import log2
from pathlib import Path

import pytest

from pinakes.errors import ConfigError
from pinakes.evaluation.questions import Judgement, Question, load_questions
from pinakes.evaluation.verdicts import doubt, ndcg, recall, reciprocal_rank, separation

GRADES = {"a": 2, "b": 1}


def test_a_perfect_ranking_scores_one_and_an_empty_one_nothing() -> None:
    assert ndcg(["a", "b"], GRADES) == 1.0
    assert ndcg([], GRADES) == 0.0


def test_later_places_count_less() -> None:
    assert ndcg(["x", "a"], {"a": 2}) == pytest.approx(1 / log2(3))
    assert reciprocal_rank(["x", "y", "b"], GRADES) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"] * 10 + ["a"], GRADES) == 0.0


def test_recall_is_a_share_of_all_targets() -> None:
    assert recall(["b", "x"], GRADES) == 0.5


def test_separation_is_one_when_evidence_never_overlaps() -> None:
    assert separation([0.8, 0.9], [0.1, 0.2]) == 1.0
    assert separation([0.5], [0.5]) == 0.5


def test_doubt_shrinks_with_the_root_of_the_number_of_questions() -> None:
    assert doubt([1.0, -1.0] * 50) == pytest.approx(0.197, abs=0.001)
    assert doubt([0.3] * 9) == pytest.approx(0.0)
    assert doubt([0.3]) == 0.0


def test_questions_are_read_with_their_judgements(tmp_path: Path) -> None:
    line = '{"id": "q", "query": "how?", "style": "howto", "relevant": [{"path": "a.md", "heading": "x", "grade": 1}]}'
    (tmp_path / "queries.jsonl").write_text(f"{line}\n\n")
    assert load_questions(tmp_path) == (Question("q", "how?", "howto", (Judgement("a.md", "x", 1),)),)


@pytest.mark.parametrize(
    "line", ["not json", "[]", '{"query": "without an id"}', '{"id": 1, "query": "x", "relevant": 3}']
)
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(f"{line}\n")
    with pytest.raises(ConfigError, match="line 1"):
        load_questions(file)
    with pytest.raises(ConfigError, match="no questions"):
        load_questions(tmp_path)


def test_what_was_judged_wrong_is_no_target(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"id": "q", "query": "?", "relevant": [{"path": "a.md", "grade": 0}, {"path": "b.md"}]}')
    assert load_questions(file)[0].relevant == (Judgement("b.md", "", 2),)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_bytes(b"\xff\xfe{")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_questions(tmp_path / "mine.jsonl")
