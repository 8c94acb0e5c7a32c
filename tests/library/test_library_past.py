"""A library as it was: what its index is made from, what stays of it, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.commit import commit, git, repository
from kits.git import Repo
from kits.mcp import answer
from pinakes import Library
from pinakes import open as open_library
from pinakes.errors import NotFound
from pinakes.library.past import KEPT
from pinakes.records import Event, Phase
from pinakes.sources.git import tree as git_tree


def _read(library: Library, revision: str) -> set[str]:
    """The files that were read to make the index of a revision."""
    read: set[str] = set()

    def hear(event: Event) -> None:
        if event.phase is Phase.READING and event.path:
            read.add(event.path)

    with library.at(revision, progress=hear):
        return read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = repository(tmp_path / "repo")
    for day in range(1, 4):
        commit(made, {"a.md": "# A\n", "b.md": f"# B\n\nday {day}\n"}, day=day)
    return made


def test_only_files_that_differ_from_the_nearest_revision_are_read(folder: Path) -> None:
    with open_library(folder) as library:
        assert _read(library, "HEAD") == {"a.md", "b.md"}
        assert _read(library, "HEAD~1") == {"b.md"}
        assert _read(library, "HEAD") == set()


def test_a_revision_is_searched_by_words_and_meaning_and_the_files_on_disk_play_no_part(folder: Path) -> None:
    with open_library(folder) as library:
        library.sync()
        (folder / "b.md").write_text("# Other\n")
        with library.at("HEAD~2") as past:
            assert past.search("day").hits[0].text == "# B\n\nday 1"
            assert past.search("day").missing == ()


def test_every_tool_for_models_answers_as_of_the_revision(folder: Path) -> None:
    with open_library(folder) as library:
        for name, given in (
            ("search", {"query": "day"}),
            ("read", {"address": "b.md"}),
            ("map", {}),
        ):
            with library.at("HEAD~2") as past:
                assert answer(name, library, {**given, "at": "HEAD~2"}).text == answer(name, past, given).text
        assert "day 1" in answer("read", library, {"address": "b.md", "at": "HEAD~2"}).text


def test_the_revisions_asked_for_last_stay(folder: Path) -> None:
    for day in range(4, KEPT + 6):
        commit(folder, {"b.md": f"# B\n\nday {day}\n"}, day=day)
    with open_library(folder, {"keywords.enabled": False}) as library:
        for back in range(KEPT + 2):
            with library.at(f"HEAD~{back}") as past:
                assert past.read("b.md").text == f"# B\n\nday {KEPT + 5 - back}\n"
        trees = [git(folder, "rev-parse", f"HEAD~{back}^{{tree}}").strip() for back in range(KEPT + 2)]
    kept = {one.name for one in (folder / ".pinakes" / "at").iterdir() if one.is_dir()}
    assert kept == set(trees[2:])


def test_what_has_no_past_is_refused_with_a_next_step(folder: Path, tmp_path: Path) -> None:
    with open_library(folder) as library:
        for revision in ("nothing", "HEAD~99", "--help", "HEAD:b.md", "", f"HEAD{'~1' * 100_000}"):
            with pytest.raises(NotFound, match=r"\A.{,90} is no revision"), library.at(revision):
                pass
        with library.at("HEAD") as past:
            with pytest.raises(NotFound, match="present documents"):
                past.memories.list()
            with pytest.raises(NotFound, match="present documents"):
                past.plan_move("a.md", "c.md")
            with pytest.raises(NotFound, match="no corpus"):
                past.history("why")
    (tmp_path / "plain").mkdir()
    with (
        open_library(tmp_path / "plain") as library,
        pytest.raises(NotFound, match="no git repository"),
        library.at("HEAD"),
    ):
        pass


def test_a_tree_that_would_fill_any_disk_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_tree, "MOST_FILES", 1000)  # a million takes git seconds
    tree = git(folder, "rev-parse", "HEAD^{tree}").strip()
    for _ in range(3):
        listing = "".join(f"040000 tree {tree}\t{number}\n" for number in range(16))
        tree = Repo(folder).git("mktree", stdin=listing.encode())
    bomb = git(folder, "commit-tree", tree, "-m", "bomb").strip()
    with open_library(folder) as library, pytest.raises(NotFound, match="more than"), library.at(bomb):
        pass
