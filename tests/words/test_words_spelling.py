"""Known words near to unknown ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kits.vectors import filled
from kits.words import WORD_ENGINES, WordEngine
from pinakes.words.spelling import SpellingTable, distance

COUNTS = {"kubernetes": 9, "middleware": 4, "token": 7, "tokens": 3, "taken": 2, "naïve": 1, "設定方法": 1, "v1.2.3": 1}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("kuberntes", "kubernetes"),
        ("kuberentes", "kubernetes"),
        ("kubrnetse", "kubernetes"),
        ("middelware", "middleware"),
        ("midlewares", "middleware"),
        ("tokne", "token"),
        ("tokenz", "token"),
        ("tokennss", "tokens"),
        ("nave", ""),
        ("tkn", ""),
        ("tkeno", ""),
        ("harbour", ""),
        ("v1.2.4", ""),
        ("x" * 500, ""),
    ],
)
def test_one_slip_in_five_letters_and_two_in_eight_are_mended(written: str, meant: str) -> None:
    assert SpellingTable(COUNTS).nearest(written) == meant


def test_an_empty_index_knows_no_words() -> None:
    assert SpellingTable({}).nearest("kubernetes") == ""
    assert SpellingTable({}).beginning("kub", 3) == []


def test_words_that_begin_alike_come_by_how_often_they_occur() -> None:
    assert SpellingTable(COUNTS).beginning("tok", 5) == ["token", "tokens"]
    assert SpellingTable(COUNTS).beginning("token", 5) == ["tokens"]


@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_slips_are_counted_alike_from_both_sides(one: str, other: str) -> None:
    away = distance(one, other, 9)

    assert away == distance(other, one, 9) and (away == 0) == (one == other)
    assert abs(len(one) - len(other)) <= away <= max(len(one), len(other))
    assert distance(one, other, 1) == away if away <= 1 else distance(one, other, 1) > 1


@pytest.mark.parametrize("engine", WORD_ENGINES.values(), ids=WORD_ENGINES)
def test_an_index_corrects_unknown_words_and_completes_beginnings(engine: WordEngine, tmp_path: Path) -> None:
    words = engine(tmp_path)
    words.update(filled({"guide/proxies.md": "# Middleware\n\nA middleware for the harbour.\n"}))

    assert words.now.corrections(["middelware", "habrour", "harb", "proxeis", "zzyzzx"]) == {
        "middelware": "middleware", "habrour": "harbour", "harb": "harbour", "proxeis": "proxies",
    }  # fmt: skip
    assert words.now.completions("mid", 5) == ["middleware"]
    assert words.now.completions("prox", 5) == ["proxies"]
