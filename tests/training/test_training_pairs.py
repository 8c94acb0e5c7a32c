"""Pairs and batches for training, made from a small library; no torch is needed for them."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from training.batches import Mix, batches, shown
from training.material import Asked, Exam, Material, Pair, Passage, load, save
from training.packing import pack
from training.pairs import Numbering, make_pairs, question
from training.vocabulary import common_words, vocabulary

import pinakes
from kits.trees import write_tree

LONG = "Water the plants every morning. Soil should stay moist below the surface. Too much water harms the roots. "
FILES = {
    "garden.md": f"# Garden\n\n{LONG * 30}\n\n## Watering tomatoes\n\n{LONG * 30} Tomatoes like it warm.\n",
    "tools.md": "---\ndescription: All one needs to dig, cut and carry in a garden of any size.\n---\n# Tools\n\n"
    f"{LONG} A spade is for digging, and a [way to water them](garden.md#watering-tomatoes) is worth its price.\n",
}


@pytest.fixture
def made(tmp_path: Path) -> tuple[list[Passage], list[Pair]]:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        library.sync(corpora=("docs",))
        first = make_pairs(library.corpus().store, Numbering(10, 3), seed=0)
        assert make_pairs(library.corpus().store, Numbering(10, 3), seed=0) == first
        return first.passages, first.pairs


def test_passages_are_what_search_embeds_and_are_numbered_on(made: tuple[list[Passage], list[Pair]]) -> None:
    passages, pairs = made
    assert passages[0].page == 3
    assert passages[-1].page == 4
    found = next(passage for passage in passages if passage.text.startswith("Garden › Watering tomatoes\n\n"))
    assert found.bare.startswith("Water the plants")
    assert {pair.passage for pair in pairs} <= set(range(10, 10 + len(passages)))


def test_every_kind_of_pair_is_made(made: tuple[list[Passage], list[Pair]]) -> None:
    kinds = {pair.kind.removesuffix("-masked") for pair in made[1]}
    assert kinds == {"heading", "question", "sentence", "link", "around", "summary"}


def test_a_query_made_of_a_sentence_is_not_in_the_passage_it_asks_for(made: tuple[list[Passage], list[Pair]]) -> None:
    passages, pairs = made
    for pair in pairs:
        if pair.without:
            moved = Pair(pair.kind, pair.query, pair.passage - 10, pair.is_bare, pair.without)
            assert pair.without not in shown(moved, passages)


@pytest.mark.parametrize(
    ("heading", "asked"),
    [("Installing packages", "install packages"), ("Using pipes", "use pipes"), ("How it works", "how")],
)
def test_headings_are_put_as_questions(heading: str, asked: str) -> None:
    assert asked in question(heading, "Guide", random.Random(1)).lower()


def test_batches_hold_no_passage_twice_and_know_their_siblings() -> None:
    passages = [Passage(number // 5, f"t\n\n{number}") for number in range(100)]
    pairs = [Pair("heading", "q", number, is_bare=True) for number in range(100)]
    for batch in islice(batches(pairs, passages, Mix({"heading": 1.0}, siblings=0.5), 40, seed=1), 5):
        found = [pairs[number].passage for number in batch]
        assert len(set(found)) == len(found) == 40
        assert max([passages[one].page for one in found].count(page) for page in range(20)) >= 4


def test_material_reads_back_what_was_written(tmp_path: Path) -> None:
    exams = [Exam("e", ("t",), ("k",), (Asked("q", "s", {"k": 3.0}),))]
    pairs = [Pair("sentence", "q", 0, is_bare=False, without="x")]
    made = Material([Passage(0, "A › B\n\nText")], pairs, exams, ["webhook", "json"])
    save(tmp_path, made)
    before = (tmp_path / "pairs.jsonl.xz").read_bytes()
    save(tmp_path, made)
    assert load(tmp_path) == made
    assert (tmp_path / "pairs.jsonl.xz").read_bytes() == before


def test_words_of_documentation_get_rows_behind_the_pieces_of_the_base_model(tmp_path: Path) -> None:
    pages = []
    for number in range(4):
        write_tree(tmp_path, {f"{number}.md": "Send a webhook to removeChild, the JSON way. Once: oops" + "x" * number})
        pages.append(tmp_path / f"{number}.md")
    words = common_words([pages, pages[:3]])
    assert "webhook" in words
    assert "json" in words
    assert "removechild" not in words  # its spelling parts it
    assert "oopsx" not in words  # on one page only
    base = {"[PAD]": 0, "the": 1, "##ing": 2, "!": 3, "way": 4}
    assert vocabulary(base, words, 100)[:3] == ["the", "##ing", "way"]
    assert "way" not in vocabulary(base, words, 100)[3:]
    assert len(vocabulary(base, words, 2)) == 5


def test_a_packed_table_reads_back_within_half_a_step(tmp_path: Path) -> None:
    table = np.array([[0.5, -1.0, 0.25], [0.0, 0.0, 0.0], [3.0, 0.001, -3.0]], dtype=np.float32)
    pack(tmp_path, table, ("a", "##b", "c"))
    rows, scales = np.load(tmp_path / "rows.npy"), np.load(tmp_path / "scales.npy")
    assert np.abs(rows * scales[:, None] - table).max() <= scales.max() / 2
    before = (tmp_path / "rows.npy").read_bytes()
    pack(tmp_path, table, ("a", "##b", "c"))
    assert (tmp_path / "rows.npy").read_bytes() == before
    assert (tmp_path / "pieces.txt").read_text(encoding="utf-8").split() == ["a", "##b", "c"]
