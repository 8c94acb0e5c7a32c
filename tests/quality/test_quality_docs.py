"""Graded questions about real documentation: search must not fall below what it once reached.

The bars are those the project set itself before search was built; no weight is fitted to these questions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.plain_bm25 import PlainBm25
from pinakes.evaluation.sets import open_set
from pinakes.evaluation.verdicts import Evaluation, evaluate
from pinakes.library import open_library
from pinakes.own_folder import OwnFolder
from pinakes.records import Query
from pinakes.store import open_sqlite

STYLES = ("paraphrase", "keyword", "identifier", "navigational", "howto", "multi")
PLAIN = "plain"


@pytest.fixture(scope="module")
def asked(laid_out: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Evaluation]:
    held = open_set(laid_out / "docs-dev")
    store = tmp_path_factory.mktemp("index")
    assert held.root is not None
    with open_library(held.root, {"store": str(store), "keywords.enabled": False}) as library:
        library.sync()
        found = {
            profile: library.eval(held.questions, Query("", profile=profile, limit=15))
            for profile in ("fast", "balanced")
        }
    reader = open_sqlite(OwnFolder(store), read_only=True)
    plain = PlainBm25(reader)
    return {**found, PLAIN: evaluate(held.questions, lambda one: plain.search(one.text), reader)}


@pytest.mark.parametrize(("profile", "bar"), [("fast", 0.65), ("balanced", 0.68)])
def test_the_right_section_is_among_the_first(asked: dict[str, Evaluation], profile: str, bar: float) -> None:
    assert asked[profile].row().ndcg >= bar


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("profile", ["fast", "balanced"])
def test_no_style_of_question_falls_behind_plain_bm25(asked: dict[str, Evaluation], profile: str, style: str) -> None:
    assert asked[profile].row(style).ndcg >= asked[PLAIN].row(style).ndcg - 0.02


@pytest.mark.parametrize("profile", ["fast", "balanced"])
def test_questions_without_an_answer_are_told_apart(asked: dict[str, Evaluation], profile: str) -> None:
    silence = asked[profile].silence()

    assert silence.by == "belief"
    assert (silence.separation or 0.0) >= 0.90
    assert silence.wrongly_empty <= 2
