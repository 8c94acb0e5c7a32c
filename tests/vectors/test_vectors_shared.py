"""Vectors by text, for all libraries of a database: made once, as an index keeps them, and swept when unused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kits.queue import empty_database
from pinakes.neural import load_embedder
from pinakes.ports import Embedder
from pinakes.postgres.database import Database
from pinakes.records import Traits
from pinakes.vectors.postgres.shared import SharedVectors
from pinakes.vectors.writer import as_bytes

if TYPE_CHECKING:
    from pinakes.ports import Vectors

TEXTS = ("high water", "low water", "", "caf\udce9 \x00")


class Counting:
    """The static embedder under a name of its own, which counts what it is asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[str] = []
        self._embedder: Embedder = load_embedder("static")
        self.traits: Traits = self._embedder.traits

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        self.asked += texts
        return self._embedder.encode(texts)


@pytest.fixture
def database() -> Database:
    return empty_database()


def test_a_text_is_encoded_once_by_each_model(database: Database) -> None:
    one, other = Counting("one"), Counting("other")
    exact = as_bytes(one.encode(TEXTS))
    one.asked.clear()
    for _ in range(2):
        shared = SharedVectors(database)
        assert np.array_equal(shared.rows(one, TEXTS), exact)
        assert np.array_equal(as_bytes(shared.encode(one, TEXTS)), exact)
    assert one.asked == list(TEXTS)
    assert np.array_equal(SharedVectors(database).rows(other, TEXTS[:1]), exact[:1])
    assert other.asked == list(TEXTS[:1])
    assert SharedVectors(database).rows(one, ()).shape == (0, one.dimensions)


def test_what_no_index_holds_and_nobody_asked_for_in_a_month_goes_once_a_day(database: Database) -> None:
    one, shared = Counting("one"), SharedVectors(database)
    shared.rows(one, TEXTS)
    with database.transaction() as connection:
        connection.execute("DELETE FROM sweeps; UPDATE made_vectors SET used = current_date - 31")
    shared.rows(one, TEXTS[:1])
    with database.transaction() as connection:
        row = connection.execute(
            "INSERT INTO vector_sets (store, embedder, dimensions, generation, history, rows, version, is_large)"
            " VALUES (1, 'one', 3, 1, '', 1, 1, false) RETURNING id"
        ).fetchone()
        assert row is not None
        connection.execute(
            "INSERT INTO section_vectors (store, made_by, document, ordinal, position, digests, vectors)"
            " SELECT 1, %s, 1, 0, 0, string_agg(digest, '' ORDER BY digest), '' FROM"
            " (SELECT digest FROM made_vectors WHERE used < current_date ORDER BY digest LIMIT 2) held",
            (row[0],),
        )
    assert shared.sweep() == 1
    assert shared.sweep() == 0
    assert database.ask("SELECT count(*) FROM pinakes.made_vectors") == [(3,)]
