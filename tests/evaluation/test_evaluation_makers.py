"""Questions made from documents: the same each time, about what they say they are, or about nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.commit import commit, repository
from kits.trees import write_tree
from pinakes.evaluation.makers import everything_but
from pinakes.evaluation.questions import Question
from pinakes.records import Filter, Query

FILES = {
    "fruit/apple.md": "# Growing apples at home\n\nApples ripen in autumn and keep well until spring begins inside "
    "some cool cellar below ground.\n\n## Storage on straw\n\nLay them side by side.\n\n## Notes\n\nNone.\n",
    "fruit/pear.md": "# Picking pears early\n\nSee [how apples are kept](apple.md#storage-on-straw).\n\n"
    "## Notes\n\nNo.\n",
    "tools/ladder.md": "---\nkeywords: [ladder, angle, branch]\n---\n# Setting ladders safely\n\n"
    "Read [Storage on straw](../fruit/apple.md#storage-on-straw) and [page](../fruit/pear.md).\n",
    "index.md": "# Table of everything\n\n[Growing apples at home](fruit/apple.md)\n",
}


@pytest.fixture
def made(tmp_path: Path) -> tuple[Question, ...]:
    with pinakes.open(write_tree(tmp_path / "garden", FILES), {"store": tmp_path / "store"}) as library:
        library.sync()
        assert library.questions() == library.questions()
        return library.questions()


def asked(made: tuple[Question, ...], style: str) -> dict[str, list[str]]:
    return {
        one.text: [f"{target.path}#{target.heading}" for target in one.relevant] for one in made if one.style == style
    }


def test_headings_that_occur_once_ask_for_their_section(made: tuple[Question, ...]) -> None:
    found = asked(made, "heading")
    assert found["Storage on straw"] == ["fruit/apple.md#storage-on-straw"]
    assert "Notes" not in found


def test_links_ask_by_what_others_call_a_section_and_not_by_its_title(made: tuple[Question, ...]) -> None:
    assert asked(made, "link") == {"how apples are kept": ["fruit/apple.md#storage-on-straw"]}


def test_keywords_of_the_frontmatter_ask_for_the_document(made: tuple[Question, ...]) -> None:
    assert asked(made, "keyword")["ladder angle branch"] == ["tools/ladder.md#"]


def test_sentences_lose_their_rarest_words(made: tuple[Question, ...]) -> None:
    ((text, places),) = asked(made, "sentence").items()
    assert places == ["fruit/apple.md#growing-apples-at-home"]
    assert "Apples" in text
    assert "ripen" not in text


def test_what_is_held_out_is_asked_of_everything_else(made: tuple[Question, ...], tmp_path: Path) -> None:
    held = [one for one in made if one.style == "held out"]
    assert held
    with pinakes.open(tmp_path / "garden", {"store": tmp_path / "store"}) as library:
        for one in held:
            home = next(path for path, text in FILES.items() if f"# {one.text}\n" in text)
            found = library.search(Query("apples pears ladders everything", Filter(paths=one.paths), profile="fast"))
            assert {hit.ref.path for hit in found.hits} == FILES.keys() - {home}


def test_scattered_words_come_from_different_documents(made: tuple[Question, ...]) -> None:
    (question,) = [one for one in made if one.style == "scattered"]
    homes = [[path for path, text in FILES.items() if word in text.lower()] for word in question.text.split()]
    assert all(len(home) == 1 for home in homes)
    assert len({home[0] for home in homes}) == 3


def test_everything_but_a_document_is_said_by_its_neighbours() -> None:
    paths = ["a/b/c.md", "a/b/d.md", "a/e.md", "f/g/h.md", "i.md"]
    assert everything_but("a/b/c.md", paths) == ("a/b/d.md", "a/e.md", "f/", "i.md")
    assert everything_but("i.md", paths) == ("a/", "f/")
    assert everything_but("a/e.md", [*paths, "x[1].md"]) == ()


def test_subjects_of_commits_ask_for_the_sections_they_changed(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repo")
    commit(folder, FILES, "Everything at once", day=1)
    commit(folder, {"fruit/pear.md": FILES["fruit/pear.md"].replace("No.", "Wear gloves.")}, "Gloves for pears", day=2)
    with pinakes.open(folder) as library:
        library.sync()
        assert asked(library.questions(), "commit") == {"Gloves for pears": ["fruit/pear.md#notes"]}
