"""What `make fuzz-deep` fuzzes for minutes, for a moment: its seeds, what it once found, and some bytes."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fuzz.seeds import SEEDS
from fuzz.targets import TARGETS

FOUND: tuple[tuple[str, bytes], ...] = ()
"""Inputs that once broke a target."""


def test_every_target_has_seeds() -> None:
    assert set(TARGETS) == set(SEEDS)


@pytest.mark.parametrize(
    ("target", "data"),
    [*((name, seed) for name, seeds in SEEDS.items() for seed in seeds), *FOUND],
)
def test_an_input_breaks_nothing(target: str, data: bytes) -> None:
    TARGETS[target](data)


@pytest.mark.parametrize("target", sorted(TARGETS))
@given(data=st.data())
@hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_seeds_with_changed_bytes_break_nothing(target: str, data: st.DataObject) -> None:
    seed = data.draw(st.sampled_from(SEEDS[target]))
    at = data.draw(st.integers(0, len(seed)))
    until = data.draw(st.integers(at, len(seed)))
    TARGETS[target](seed[:at] + data.draw(st.binary(max_size=20)) + seed[until:])
