"""What is noted of folders stands beside every hit from there, on the map, and once in an answer to a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pinakes
from kits.hostile import pinakes_here
from kits.mcp import answer
from kits.trees import write_tree
from pinakes.errors import ConfigError
from pinakes.records import Query
from pinakes.records.folder_notes import FolderNote

SETTINGS = '[folders]\n"docs/api/" = "The public  HTTP API, v2"\n"." = "Everything of ours"\n'
TREE = {
    "pinakes.toml": SETTINGS,
    "docs/api/deep/tokens.md": "# Tokens\n\nTokens expire after an hour.\n",
    "docs/api/keys.md": "# Keys\n\nKeys expire after a year.\n",
    "docs/guide/_context.md": "# About\n\nHow to do *things*, for users.\n\nAnd more.\n",
    "docs/guide/harbour.md": "# Harbour\n\nShips lie in the harbour.\n",
    "docs/api/_context.md": "This one does not count.\n",
    "other/ships.md": "# Ships\n\nThe rigging of old ships.\n",
}
API = FolderNote("docs/api", "The public HTTP API, v2")
GUIDE = FolderNote("docs/guide", "How to do things, for users. And more.")
ROOT = FolderNote("", "Everything of ours")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = write_tree(tmp_path_factory.mktemp("notes"), TREE)
    with pinakes.open(made) as library:
        library.sync()
    return made


@pytest.mark.parametrize(
    ("question", "notes"),
    [
        ("tokens expire hour", (API,)),
        ("keys expire year", (API,)),
        ("ships lie harbour", (GUIDE,)),
        ("rigging", (ROOT,)),
    ],
)
def test_a_hit_has_the_note_of_the_nearest_folder_that_has_one(
    root: Path, question: str, notes: tuple[FolderNote, ...]
) -> None:
    with pinakes.open(root) as library:
        assert library.search(Query(question, limit=1)).folders == notes


def test_every_hit_in_a_terminal_has_it_and_the_data_has_it_once(root: Path) -> None:
    said = pinakes_here(root, "search", "expire", "--path", "docs/api/**").out
    assert said.count("     [docs/api/] The public HTTP API, v2\n") == 2
    data = json.loads(pinakes_here(root, "search", "expire", "--path", "docs/api/**", "--json").out)
    assert data["folders"] == [{"folder": "docs/api", "note": "The public HTTP API, v2"}]


def test_a_model_reads_it_once_for_a_folder_and_between_marks(root: Path) -> None:
    with pinakes.open(root) as library:
        said = answer("search", library, {"query": "expire", "path": ["docs/api/**"]}).sent_text
    assert said.count("The public HTTP API, v2") == 1
    before, _, after = said.partition("[docs/api/] The public HTTP API, v2")
    assert before.rstrip().splitlines()[-1].startswith("<quoted ")
    assert after.lstrip().startswith("</quoted ")


def test_the_map_shows_it_on_the_line_of_the_folder(root: Path) -> None:
    drawn = pinakes_here(root, "map").out
    assert "\n  api/ — The public HTTP API, v2\n" in drawn
    assert "\n  guide/ — How to do things, for users. And more.\n" in drawn
    small = pinakes_here(root, "map", "--budget", "60").out
    assert "The public HTTP API" in small
    data = json.loads(pinakes_here(root, "map", "--json").out)
    assert {one["path"]: one["note"] for one in data["folders"]}["docs/guide"] == GUIDE.note


def test_a_changed_note_changes_the_map_and_the_next_answer(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {**TREE, "pinakes.toml": ""})
    with pinakes.open(root) as library:
        library.sync()
        first = library.map().hash
        assert "does not count" in library.map().text()
        (root / "docs/api/_context.md").write_text("It counts now.\n")
        library.sync()
        assert "api/ — It counts now." in library.map().text()
        assert library.map().hash != first
        assert library.search(Query("tokens expire", limit=1)).folders == (FolderNote("docs/api", "It counts now."),)


def test_a_note_is_no_orphan_and_shows_no_marks_of_a_terminal(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"a/_context.md": "A \x1b[31mred\u202e note\n", "a/b.md": "# B\n\nWords here.\n"})
    assert "_context" not in pinakes_here(root, "check").out
    for words in (("search", "words here"), ("map",)):
        assert not {"\x1b", "\u202e"} & set(pinakes_here(root, *words).out)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('folders = "x"', "folders must be a table"),
        ("[folders]\ndocs = 3", "the note of “docs” must be a text"),
        ('[folders]\n"../up" = "x"', "“../up” is no folder of this project"),
        ('[folders]\n"/etc" = "x"', "“/etc” is no folder of this project"),
        (f'[folders]\ndocs = "{"x" * 2000}"', "at most 1,000 characters"),
    ],
)
def test_what_is_no_note_is_refused_with_its_line(tmp_path: Path, table: str, said: str) -> None:
    write_tree(tmp_path, {"pinakes.toml": table})
    with pytest.raises(ConfigError, match=said):
        pinakes.open(tmp_path)
