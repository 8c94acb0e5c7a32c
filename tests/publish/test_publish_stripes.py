"""The order of chunks: the published orders of others, and what holds for every order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.publish import stripe_factor, stripe_order


def test_all_78_published_orders_are_reproduced(laid_out: Path) -> None:
    cases = json.loads((laid_out / "stripes.json").read_text(encoding="utf-8"))
    assert len(cases) == 78
    assert [
        case["case"] for case in cases if list(stripe_order(case["similarities"], case["baseline"])) != case["order"]
    ] == []


@pytest.mark.parametrize(
    ("others", "factor"), [(7, 1), (8, 3), (11, 3), (12, 3), (13, 4), (16, 4), (20, 4), (25, 5), (0, 1), (1, 1)]
)
def test_the_number_of_stripes_grows_with_the_root_of_the_number_of_chunks(others: int, factor: int) -> None:
    assert stripe_factor(others) == factor


def test_equally_similar_chunks_stand_in_the_order_of_the_document() -> None:
    assert stripe_order([0.5, 1.0, 0.5, 0.7, 0.5], 1) == (3, 0, 2, 4)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60), st.data())
def test_every_chunk_but_the_baseline_is_in_the_order_once(similarities: list[float], data: st.DataObject) -> None:
    baseline = data.draw(st.integers(0, len(similarities) - 1))
    order = stripe_order(similarities, baseline)
    assert sorted((*order, baseline)) == list(range(len(similarities)))


@given(st.lists(st.floats(0, 1), min_size=9, max_size=60, unique=True))
def test_the_first_stripe_reaches_from_the_nearest_to_nearly_the_furthest(similarities: list[float]) -> None:
    order = stripe_order([2.0, *similarities], 0)
    factor = stripe_factor(len(similarities))
    ranked = sorted(similarities, reverse=True)
    stripe = [similarities[position - 1] for position in order[: -(-len(similarities) // factor)]]
    assert stripe[0] == ranked[0]
    assert stripe[-1] <= ranked[-factor]
