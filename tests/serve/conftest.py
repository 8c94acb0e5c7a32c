"""Servers under test keep to the static vectors: what they test is not the upgrade, and a sentence model beside them
would take a core from what they measure. Tests of the upgrade say so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def static_vectors() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PINAKES_NEURAL_MODEL", "static")
        yield
