"""Maps of what changed since a revision of git."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.commit import commit, git, repository
from pinakes import Library
from pinakes import open as open_library
from pinakes.errors import NotFound
from pinakes.outline import MapRequest


def pages(count: int = 20) -> dict[str, str | bytes | None]:
    return {f"{folder}/p{number}.md": f"# {folder} {number}\n" for folder in ("a", "b", "c") for number in range(count)}


def blocks(library: Library, since: str) -> list[str]:
    library.refresh()
    return [block.id for block in library.map(since=since).blocks]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = repository(tmp_path / "repo")
    commit(made, pages(), day=1)
    git(made, "tag", "v1")
    commit(made, {"b/p3.md": "# Other\n", "code.py": "x"}, day=2)
    return made


def test_only_blocks_with_changed_documents_are_shown(folder: Path) -> None:
    with open_library(folder) as library:
        assert blocks(library, "v1") == ["b/p3.md"]
        assert blocks(library, "HEAD~1") == ["b/p3.md"]
        assert blocks(library, "main") == []
        assert blocks(library, git(folder, "rev-parse", "--short", "v1").strip()) == ["b/p3.md"]


def test_what_is_not_committed_yet_and_what_is_new_counts(folder: Path) -> None:
    (folder / "a" / "p1.md").write_text("# Edited\n")
    (folder / "c" / "new.md").write_text("# New\n")
    with open_library(folder) as library:
        assert blocks(library, "HEAD") == ["a/p1.md", "c/new.md"]


def test_documents_that_are_gone_are_named_and_other_files_are_not(folder: Path) -> None:
    (folder / "a" / "p1.md").unlink()
    (folder / "code.py").unlink()
    with open_library(folder) as library:
        library.refresh()
        assert library.map(since="HEAD").gone == ("a/p1.md",)


def test_a_root_below_the_repository_is_compared_with_its_own_part(folder: Path) -> None:
    with open_library(folder / "b") as library:
        library.refresh()
        assert [block.id for block in library.map(since="v1").blocks] == ["p3.md"]
        assert library.map(since="HEAD").blocks == ()


@pytest.mark.parametrize(
    "revision", ["nothing", "--output=x", "-n1", "HEAD:a", "v1 v1", "@{upstream}", "", "a" * 300, "HEAD~99", "v1\n"]
)
def test_what_is_no_revision_is_refused_and_runs_nothing(folder: Path, revision: str) -> None:
    with open_library(folder) as library:
        library.refresh()
        if not revision:
            assert library.map(since=revision).blocks
            return
        with pytest.raises(NotFound):
            library.map(since=revision)
    assert not (folder / "x").exists()


def test_without_a_repository_the_answer_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n")
    with open_library(tmp_path) as library:
        library.refresh()
        with pytest.raises(NotFound, match="has no commits"):
            library.map(since="HEAD")


def test_of_source_code_only_files_of_code_are_gone(folder: Path) -> None:
    pytest.importorskip("tree_sitter_python")
    commit(folder, {"gone.py": "x = 1\n", "stays.py": "y = 1\n"}, day=3)
    (folder / "gone.py").unlink()
    (folder / "a" / "p1.md").unlink()
    with open_library(folder, {"code.enabled": True}) as library:
        library.sync()
        assert library.map("code:", since="HEAD").gone == ("gone.py",)


def test_only_what_is_gone_from_the_library_is_gone_since_a_map(folder: Path) -> None:
    with open_library(folder) as library:
        library.refresh()
        whole = library.map("", MapRequest())
        assert len(whole.blocks) > 4
        small = library.map("", MapRequest(30), since=whole.hash)
        assert small.gone == ()
        assert small.tokens <= 30
        part = library.map("b", MapRequest(), since=whole.hash)
        assert part.gone == ()
        left = len(whole.blocks) - len(library.map("b", MapRequest()).blocks)
        assert part.notes == ("nothing changed", f"{left} files of the earlier map left out here, so not compared")
        (folder / "a" / "p1.md").unlink()
        library.refresh()
        assert library.map("b", MapRequest(), since=whole.hash).gone == ("a/p1.md",)
        assert library.map("", MapRequest(60), since=whole.hash).gone == ("a/p1.md",)
        assert library.map("", MapRequest(), since=whole.hash).notes == ()
