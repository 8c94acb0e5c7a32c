"""Vectors in PostgreSQL beside those in files: the same sections, the same scores, and what only a large set does."""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from kits.scratch import ScratchStore
from kits.store import migrated_database, postgres_store
from kits.vectors import Bag, filled, put
from pinakes.errors import StoreError
from pinakes.own_folder import OwnFolder
from pinakes.ports import Reader
from pinakes.records import DOCS, Change, Ref, Scope
from pinakes.vectors import open_vectors
from pinakes.vectors.file import VectorFile
from pinakes.vectors.postgres import index
from pinakes.vectors.postgres.index import PostgresVectors
from pinakes.vectors.postgres.near import NearVectors

WORDS = (
    "tide",
    "harbour",
    "moon",
    "ship",
    "pilot",
    "token",
    "clock",
    "night",
    "rotate",
    "cable",
    "anchor",
    "rope",
    "sail",
)
BAG = Bag(dimensions=256)
FINER = Bag("finer", 96)
NUMBERS = count()


def page(chance: random.Random) -> str:
    said = [" ".join(chance.choices(WORDS, k=chance.randint(3, 150))) for _ in range(chance.randint(1, 4))]
    return "".join(f"# {text[:20]}\n\n{text}.\n\n" for text in said)


def pages(count: int, seed: int = 1) -> dict[str, str]:
    chance = random.Random(seed)
    return {f"{number}.md": page(chance) for number in range(count)}


def fresh(store: int | None = None, name: str = BAG.name) -> PostgresVectors:
    number = store or postgres_store(f"vectors {next(NUMBERS)}").number
    return PostgresVectors(migrated_database(), number, name)


def same(postgres: PostgresVectors, files: VectorFile, scope: Scope | None = None, limit: int = 30) -> None:
    for words in ("tide and moon", "rotate the token", "rope"):
        question = BAG.encode([words])[0]
        wanted = files.now.nearest(question, scope, limit)
        assert list(postgres.now.nearest(question, scope, limit)) == list(wanted)
        chunks = [one.chunk for one in wanted]
        assert postgres.now.scores(question, chunks) == files.now.scores(question, chunks)
        assert np.array_equal(postgres.now.section_vectors(chunks), files.now.section_vectors(chunks))


def test_both_find_the_same_sections_after_any_changes(tmp_path: Path) -> None:
    store, chance = filled(pages(60)), random.Random(3)
    files, postgres = open_vectors(OwnFolder(tmp_path, 2)), fresh()
    other = fresh(postgres._store)
    for step in range(5):
        for one in (files, postgres):
            one.update(store, BAG)
        assert postgres.now.generation == store.generation
        same(postgres, files)
        same(other, files, Scope(frozenset(range(5, 25))))
        if step == 3:  # too much to be told to those who hold the set
            put(store, pages(60, seed=step))
        put(store, {f"{chance.randrange(70)}.md": page(chance) for _ in range(4)})
        store.write(Change(drop=tuple(Ref(DOCS, f"{chance.randrange(60)}.md") for _ in range(2))))


def test_texts_that_are_the_same_are_not_embedded_again() -> None:
    store, counting = filled(pages(20)), Bag(dimensions=256)
    vectors = fresh()
    vectors.update(store, counting)
    before = len(counting.asked)
    put(store, {"1.md": pages(20)["2.md"], "3.md": "# Another\n\nnever heard of\n"})
    vectors.update(store, counting)
    assert len(counting.asked) - before <= 1 + pages(20)["2.md"].count("# ") * 2


def test_another_store_in_the_same_place_starts_over() -> None:
    vectors = fresh()
    vectors.update(filled(pages(5)), BAG)
    other = filled(pages(8, seed=2))
    vectors.update(other, BAG)
    alone = fresh()
    alone.update(other, BAG)
    question = BAG.encode(["tide"])[0]
    assert list(vectors.now.nearest(question, None, 50)) == list(alone.now.nearest(question, None, 50))


def test_steps_of_a_finer_embedder_end_where_an_update_ends() -> None:
    store = filled(pages(60))
    whole = fresh()
    finer, at_once = (fresh(whole._store if n == 0 else None, FINER.name) for n in range(2))
    whole.update(store, BAG)
    shares = []
    while finer.grow(store, FINER, whole, dict):
        part = finer.part_of(whole)
        shares.append(part.share if part else 0.0)
        if len(shares) == 2:
            put(store, {"1.md": "# Changed\n\nbetween two steps\n"})
            whole.update(store, BAG)
    assert len(shares) > 2
    assert shares[0] < 1
    assert shares[-1] == 1
    at_once.update(store, FINER)
    question = FINER.encode(["tide"])[0]
    assert list(finer.now.nearest(question, None, 50)) == list(at_once.now.nearest(question, None, 50))
    assert finer.now.generation == store.generation


def test_an_error_of_the_embedder_leaves_what_was_there() -> None:
    store = filled(pages(10))
    vectors = fresh()
    vectors.update(store, BAG)
    put(store, {"new.md": "# New\n\nwords\n"})
    with pytest.raises(KeyboardInterrupt):
        vectors.update(store, Bag(dimensions=256, fails_after=0))
    assert 0 < vectors.now.generation < store.generation
    vectors.update(store, BAG)
    assert vectors.now.generation == store.generation


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[ScratchStore, PostgresVectors, VectorFile]:
    monkeypatch.setattr(index, "LARGE", 300)
    store = filled(pages(150))
    postgres, files = fresh(), open_vectors(OwnFolder(tmp_path, 2))
    for one in (postgres, files):
        one.update(store, BAG)
    return store, postgres, files


def recall(postgres: PostgresVectors, files: VectorFile, scope: Scope | None) -> float:
    shares = []
    for number in range(20):
        question = BAG.encode([" ".join(random.Random(number).sample(WORDS, 3))])[0]
        wanted = files.now.nearest(question, scope, 20)
        found = postgres.now.nearest(question, scope, 20)
        assert len(found) == len(wanted)
        shares.append(len({one.chunk for one in found} & {one.chunk for one in wanted}) / len(wanted))
    return sum(shares) / len(shares)


def test_a_large_set_is_found_by_a_graph_and_scored_exactly(
    large: tuple[ScratchStore, PostgresVectors, VectorFile],
) -> None:
    store, postgres, files = large
    assert isinstance(postgres.now, NearVectors)
    assert recall(postgres, files, None) > 0.95
    question = BAG.encode(["tide and moon"])[0]
    exact = {one.chunk: one.score for one in files.now.nearest(question, None, 1000)}
    assert all(exact[one.chunk] == one.score for one in postgres.now.nearest(question, None, 20))
    put(store, {"1.md": "# Moon\n\ntide and moon\n", "new.md": "# Tide\n\nmoon and tide\n"})
    store.write(Change(drop=(Ref(DOCS, "2.md"),)))
    for one in (postgres, files):
        one.update(store, BAG)
    assert recall(postgres, files, None) > 0.95


def test_a_filter_never_starves_a_large_set(
    large: tuple[ScratchStore, PostgresVectors, VectorFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, postgres, files = large
    narrow = Scope(frozenset({3, 40, 77}))
    assert recall(postgres, files, narrow) == 1
    monkeypatch.setattr("pinakes.vectors.postgres.near._FEW", 0)
    assert recall(postgres, files, Scope(frozenset(range(3, 150, 12)))) > 0.95
    assert postgres.now.nearest(BAG.encode(["tide"])[0], Scope(frozenset()), 5) == []


def test_a_large_set_becomes_small_again(
    large: tuple[ScratchStore, PostgresVectors, VectorFile],
) -> None:
    store, postgres, files = large
    store.write(Change(drop=tuple(Ref(DOCS, f"{number}.md") for number in range(130))))
    for one in (postgres, files):
        one.update(store, BAG)
    assert not isinstance(postgres.now, NearVectors)
    same(postgres, files)


def test_a_question_of_another_length_is_refused(large: tuple[ScratchStore, PostgresVectors, VectorFile]) -> None:
    with pytest.raises(StoreError, match="Encode the question with bag"):
        large[1].now.nearest(np.ones(7, dtype=np.float32), None, 5)


def test_a_store_is_asked_for_what_is_there_only() -> None:
    reader: Reader = ScratchStore()
    vectors = fresh()
    vectors.update(reader, BAG)
    assert vectors.now.nearest(BAG.encode(["tide"])[0], None, 5) == []
