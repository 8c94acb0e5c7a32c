"""Many vectors: half of their numbers are looked at first. The exact scan is the plain version that this is held to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from kits.scratch import ScratchStore
from kits.vectors import Bag, filled, put
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, Change, Ref, Scope, Scored
from pinakes.vectors.file import VectorFile
from pinakes.vectors.layout import ROW, SECTION, Prefix, VectorTable, empty
from pinakes.vectors.prefix import axes_of, turned_rows
from pinakes.vectors.products import products
from pinakes.vectors.snapshot import allowed_rows, nearest

DIMENSIONS, SECTIONS = 128, 24_000
FEW = 40
"""Rows that are many in these tests."""
WORDS = [f"word{number}" for number in range(80)]


@pytest.fixture(scope="module")
def table() -> VectorTable:
    """Texts of a few topics each: what differs between them lies in fewer directions than there are numbers."""
    dice = np.random.default_rng(3)
    topics = dice.standard_normal((60, DIMENSIONS)) * (0.97 ** np.arange(DIMENSIONS))
    mixed = dice.gamma(0.15, size=(2 * SECTIONS, 60)) @ topics + 0.3 * dice.standard_normal((2 * SECTIONS, DIMENSIONS))
    matrix = np.rint(mixed * (127 / np.abs(mixed).max(axis=1, keepdims=True))).astype(np.int8)
    rows = np.zeros(len(matrix), dtype=ROW)
    rows["squares"] = np.square(matrix, dtype=np.int64).sum(axis=1)
    sections = np.zeros(SECTIONS, dtype=SECTION)
    sections["document"], sections["ordinal"] = np.arange(SECTIONS) // 4, np.arange(SECTIONS) % 4
    sections["first"] = 2 * np.arange(SECTIONS)
    header = replace(empty("bag", DIMENSIONS, 1).header, rows=len(matrix), sections=SECTIONS)
    plain = VectorTable(header, matrix, rows, sections, np.ones(SECTIONS, dtype=bool))
    axes = axes_of(matrix, plain.lengths)
    begun = len(matrix) - 1000  # the last ones came later, and have none
    return replace(plain, prefix=Prefix(axes, turned_rows(axes, matrix[:begun], plain.lengths[:begun])))


def questions(table: VectorTable) -> Iterator[np.ndarray[tuple[int], np.dtype[np.float32]]]:
    """Near to some of the rows, the last of them one that has no prefix."""
    dice = np.random.default_rng(4)
    for row in [*dice.integers(0, len(table.matrix), 60).tolist(), len(table.matrix) - 10]:
        yield (table.matrix[row] + 30 * dice.standard_normal(DIMENSIONS)).astype(np.float32)


@pytest.mark.parametrize("part", ["all", "most", "half"])
def test_nearly_all_of_the_nearest_are_found_with_the_same_scores(table: VectorTable, part: str) -> None:
    shares = {"all": 1.0, "most": 0.9, "half": 0.5}
    chosen = np.random.default_rng(5).permutation(SECTIONS // 4)[: int(shares[part] * SECTIONS / 4)]
    allowed = None if part == "all" else allowed_rows(table, Scope(frozenset(chosen.tolist())))
    recalls = []
    for question in questions(table):
        exact = nearest(replace(table, prefix=None), question, allowed, 100)
        found = nearest(table, question, allowed, 100)
        assert len(found) == 100
        assert found == sorted(found, key=lambda one: (-one.score, one.chunk))
        known = {one.chunk: one.score for one in nearest(replace(table, prefix=None), question, allowed, 5000)}
        assert all(known[one.chunk] == one.score for one in found)
        assert found[0] == exact[0]
        recalls.append(len({*found} & {*exact}) / 100)
    assert np.mean(recalls) >= 0.995


def test_a_narrow_scope_is_compared_whole(table: VectorTable) -> None:
    allowed = allowed_rows(table, Scope(frozenset(range(0, SECTIONS // 4, 40))))
    for question in questions(table):
        assert nearest(table, question, allowed, 20) == nearest(replace(table, prefix=None), question, allowed, 20)


def opened(folder: Path) -> VectorFile:
    return VectorFile(OwnFolder(folder, 2), prefix_from=FEW)


def prefix_rows(vectors: VectorFile) -> tuple[int, int]:
    """How many rows have a prefix, and how many there are."""
    table = vectors.opened
    assert table is not None
    return len(table.prefix.rows) if table.prefix else 0, table.header.rows


def bag() -> Bag:
    return Bag(dimensions=DIMENSIONS)


def pages(first: int, count: int) -> dict[str, str]:
    dice = np.random.default_rng(first)
    return {f"{n}.md": f"# Page {n}\n\n{' '.join(dice.choice(WORDS, 9))}\n" for n in range(first, first + count)}


def answers(vectors: VectorFile) -> list[Scored]:
    return vectors.now.nearest(bag().encode(["word3 word11 page"])[0], None, 10)


def is_right(vectors: VectorFile) -> bool:
    """Whether the prefixes are those of the rows that they belong to."""
    table = vectors.opened
    assert table is not None and table.prefix is not None
    count = len(table.prefix.rows)
    expected = turned_rows(table.prefix.axes, table.matrix[:count], table.lengths[:count])
    return bool(np.abs(expected.astype(int) - table.prefix.rows).max() <= 1)


def test_it_is_made_with_many_vectors_and_grows_with_them(tmp_path: Path) -> None:
    store = filled(pages(0, 10))
    vectors = opened(tmp_path)
    vectors.update(store, bag())
    assert prefix_rows(vectors)[0] == 0  # so few are compared in full
    put(store, pages(100, 80))
    vectors.update(store, bag())
    had, rows = prefix_rows(vectors)
    assert had == rows > FEW
    put(store, pages(200, 1))
    vectors.update(store, bag())
    assert prefix_rows(vectors)[0] == rows < prefix_rows(vectors)[1]
    put(store, pages(300, 40))
    vectors.update(store, bag())
    assert prefix_rows(vectors)[0] == prefix_rows(vectors)[1] > rows
    assert is_right(vectors)
    store.write(Change(drop=tuple(Ref(DOCS, f"{n}.md") for n in range(100, 180))))
    vectors.update(store, bag())  # most rows are dead now, and left behind
    assert is_right(opened(tmp_path))
    assert {path.name.rpartition(".")[2] for path in tmp_path.iterdir()} >= {"axes", "prefix"}
    assert len([*tmp_path.glob("*.prefix")]) == len([*tmp_path.glob("*.axes")]) == 1


@pytest.fixture
def made(tmp_path: Path) -> tuple[Path, ScratchStore, list[Scored]]:
    store = filled(pages(0, 80))
    vectors = opened(tmp_path)
    vectors.update(store, bag())
    return tmp_path, store, answers(vectors)


def test_files_of_an_older_version_answer_and_get_one_in_the_background(
    made: tuple[Path, ScratchStore, list[Scored]],
) -> None:
    folder, store, expected = made
    older = VectorFile(OwnFolder(folder, 2), prefix_from=10**9)
    (folder / "vectors.json").unlink()
    older.update(store, bag())
    assert prefix_rows(older)[0] == 0
    vectors = opened(folder)
    vectors.update(store, bag())
    assert (prefix_rows(vectors)[0], answers(vectors)) == (0, expected)
    reading = opened(folder)
    assert answers(reading) == expected
    vectors.prepare()
    for one in (vectors, reading):
        assert prefix_rows(one)[0] == prefix_rows(one)[1]
        assert is_right(one)
        assert answers(one) == expected
    vectors.prepare()


@pytest.mark.parametrize("ending", ["prefix", "axes"])
@pytest.mark.parametrize("harm", ["overwritten", "cut", "gone"])
def test_one_that_is_damaged_is_not_used_and_made_again(
    made: tuple[Path, ScratchStore, list[Scored]], ending: str, harm: str
) -> None:
    folder, store, expected = made
    file = next(folder.glob(f"*.{ending}"))
    if harm == "gone":
        file.unlink()
    else:
        data = file.read_bytes()
        file.write_bytes(data[: len(data) // 2] if harm == "cut" else bytes(len(data)))
    vectors = opened(folder)
    vectors.update(store, bag())
    assert prefix_rows(vectors)[0] == 0
    assert answers(vectors) == expected
    vectors.prepare()
    assert prefix_rows(vectors)[0] == prefix_rows(vectors)[1]
    assert is_right(vectors)


def test_rows_that_a_filter_leaves_out_are_skipped_and_all_others_have_their_product(table: VectorTable) -> None:
    question = table.matrix[7]
    every = products(question, table.matrix)
    for chosen in (range(100, 140), range(0, len(every), 5000), range(len(every) - 3, len(every)), range(0)):
        allowed = np.zeros(len(every), dtype=bool)
        allowed[list(chosen)] = True
        found = products(question, table.matrix, allowed)
        assert found[allowed].tolist() == every[allowed].tolist()
        skipped = np.isneginf(found)
        assert found[~skipped].tolist() == every[~skipped].tolist()
        assert np.count_nonzero(~skipped) <= 512 * len(chosen)
