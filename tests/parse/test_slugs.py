"""Anchors are GitHub's."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pinakes.slugs import Slugger, slug


def test_github_made_the_same_anchors(laid_out: Path) -> None:
    fixtures = json.loads((laid_out / "slug-fixtures.json").read_text("utf-8"))
    slugger = Slugger()
    made = [(fixture["name"], slugger.slug(fixture["input"])) for fixture in fixtures]
    assert made == [(fixture["name"], fixture["expected"]) for fixture in fixtures]


def test_punctuation_goes_and_letters_of_every_script_stay() -> None:
    assert slug("Hello, World! (v1.2)") == "hello-world-v12"
    assert slug("日本語 と ÉCOLE") == "日本語-と-école"
    assert slug("I ♥ ½ Ⓐ") == "i---ⓐ"


def test_a_repeat_gets_the_next_free_number() -> None:
    slugger = Slugger()
    assert [slugger.slug(text) for text in ("A", "A", "A 1", "A")] == ["a", "a-1", "a-1-1", "a-2"]


def test_an_anchor_is_never_empty() -> None:
    slugger = Slugger()
    assert [slugger.anchor(text) for text in ("!", "-0", "?", "a")] == ["-0", "-0-1", "-1", "a"]


@given(st.lists(st.text(alphabet="aA-01 !é", max_size=4), max_size=40))
def test_anchors_of_a_document_are_unique(headings: list[str]) -> None:
    slugger = Slugger()
    made = [slugger.anchor(heading) for heading in headings]
    assert len(set(made)) == len(made)
    assert "" not in made
