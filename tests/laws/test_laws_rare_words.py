"""A word that stands in few places is found, whatever is asked with it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from benchmarks.rare_words import RARE, found_by, vocabulary

import pinakes
from kits.trees import write_tree
from pinakes.records import Filter, Query

OURS = Path(__file__).parents[2] / "docs"
NAMES = ("ours", "rust-book", "uv", "vite")
WORDS = 25


@pytest.mark.parametrize("name", NAMES)
def test_sections_that_hold_the_rarest_word_of_a_short_question_are_among_the_hits(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    root = OURS if name == "ours" else request.getfixturevalue("laid_out") / "docs-dev" / "corpus" / name
    with pinakes.open(root, {"store": tmp_path, "keywords.enabled": False, "history.enabled": False}) as library:
        library.sync()
        known = vocabulary(library)
        chance = random.Random(name)
        rare, frequent = sorted(known.standing_in(1, RARE)), sorted(known.standing_in(RARE + 1, 200))
        for word in chance.sample(rare, WORDS):
            for beside in (0, 2, 3):
                text = " ".join([*chance.choices(frequent, k=beside), word])
                assert known.places[word] <= found_by(library, text, "balanced"), text


def test_a_rare_word_is_found_beside_words_that_stand_everywhere_and_nowhere(tmp_path: Path) -> None:
    pages = {f"{number}.md": f"# Tide {number}\n\nThe harbour and the tide.\n" for number in range(40)}
    root = write_tree(tmp_path, {**pages, "rare.md": "# Far away\n\n" + "Other things. " * 60 + "An axolotl.\n"})
    with pinakes.open(root) as library:
        library.sync()

        assert library.search("axolotl").hits[0].ref.path == "rare.md"
        for text in ("harbour tide axolotl", "tide axolotl zzyzzx qqyzzx"):
            (hit,) = [hit for hit in library.search(text).hits if hit.ref.path == "rare.md"]
            assert hit.votes[-1].retriever == "rare"
        assert not library.search(Query("harbour tide axolotl", Filter(paths=("rare.md",)), limit=1)).hits[1:]
        # A word that has just been written counts as well.
        (root / "7.md").write_text("# Tide 7\n\nTwo axolotls in the harbour.\n")
        library.sync()
        found = {hit.ref.path for hit in library.search(Query("harbour tide axolotl", limit=2)).hits}
        assert found == {"7.md", "rare.md"}


def test_a_heading_that_holds_a_rare_word_is_named_where_the_text_below_it_is_shown(tmp_path: Path) -> None:
    pages = {f"{number}.md": f"# Tide {number}\n\nThe harbour and the tide.\n" for number in range(20)}
    sections = "## Axolotls\n\n### Axolotls at home\n\nFeed the axolotl in the evening, and no more than it eats.\n"
    with pinakes.open(write_tree(tmp_path, {**pages, "rare.md": f"# Animals\n\nMany kinds.\n\n{sections}"})) as library:
        library.sync()
        (hit,) = library.search("axolotl").hits
        assert [ref.anchor for ref in (hit.ref, *hit.also_in)] == ["axolotls-at-home", "axolotls"]


def test_a_rare_word_of_one_corpus_is_found_when_several_are_asked(tmp_path: Path) -> None:
    pages = {f"{number}.md": f"# Tide {number}\n\nThe harbour and the tide. Part {number}.\n" for number in range(40)}
    with pinakes.open(write_tree(tmp_path, pages)) as library:
        library.sync()
        far = tmp_path.parent / "far.md"
        far.write_text("# Elsewhere\n\nNothing of the sea but an axolotl.\n")
        library.added.add(str(far))

        assert "added" in {hit.ref.corpus for hit in library.search("harbour tide axolotl").hits}


def test_a_rare_word_keeps_its_place_where_many_hits_are_folded_into_others(tmp_path: Path) -> None:
    folded = "".join(
        f"## Harbour tide {one}\n\n### Tide in the harbour {one}\n\nThe harbour tide of {one} is a {one} tide.\n\n"
        for one in ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "islet", "jetty", "knoll")
    )
    far = "# Far away\n\n" + "Other things. " * 130 + "An axolotl.\n"
    with pinakes.open(write_tree(tmp_path, {"tides.md": f"# Harbour tide\n\n{folded}", "rare.md": far})) as library:
        library.sync()
        found = library.search(Query("harbour tide axolotl", limit=10))

        assert "rare.md" in {hit.ref.path for hit in found.hits}
        assert len(found.hits) == 10
