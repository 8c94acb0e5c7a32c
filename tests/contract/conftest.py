"""The store that a contract is asked of, once for each engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.store import ENGINES
from pinakes.ports import Store


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = ENGINES[request.param](tmp_path / "index")
    yield store
    store.close()
