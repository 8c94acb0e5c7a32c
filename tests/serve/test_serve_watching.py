"""A library that is watched agrees with its folder, whatever happens there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.trees import write_tree
from kits.waiting import until
from kits.watch import Watched
from pinakes.records import Query
from pinakes.serve.library_names import LibraryChange


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", {"a.md": "# A\n\nalpha\n", "guide/b.md": "# B\n\nbeta\n"})


@pytest.fixture
def watched(root: Path) -> Iterator[Watched]:
    made = Watched(root)
    yield made
    made.close()


def found(watched: Watched, word: str) -> list[str]:
    return [hit.ref.path for hit in watched.libraries.get().search(Query(word, profile="fast")).hits]


def test_a_save_a_rename_and_a_deletion_are_taken_in(root: Path, watched: Watched) -> None:
    write_tree(root, {"c.md": "# C\n\nzebra\n"})
    watched.until_paths("a.md", "guide/b.md", "c.md")
    (root / "c.md").rename(root / "guide/d.md")
    watched.until_paths("a.md", "guide/b.md", "guide/d.md")
    until(lambda: any(look.report.moved for look in watched.looks), "the rename is reported as a move")
    (root / "a.md").unlink()
    watched.until_paths("guide/b.md", "guide/d.md")
    assert found(watched, "zebra") == ["guide/d.md"]


def test_a_question_right_after_a_save_knows_of_it(root: Path, watched: Watched) -> None:
    for word in ("zebra", "giraffe", "okapi"):
        write_tree(root, {"a.md": f"# A\n\n{word}\n", f"new/{word}.md": f"# {word}\n"})
        assert not watched.libraries.is_current()
        assert watched.libraries.refresh() == ""
        assert set(found(watched, word)) == {"a.md", f"new/{word}.md"}
        watched.until(watched.libraries.is_current, "nothing more to look at")


def test_an_editor_that_saves_beside_and_renames_is_seen(root: Path, watched: Watched) -> None:
    for number in range(20):
        beside = root / ".a.md.swp"
        beside.write_text(f"# A{number}\n")
        os.replace(beside, root / "a.md")
    watched.until(lambda: watched.libraries.get().read("a.md").text.startswith("# A19"), "the last save")
    assert watched.paths() == {"a.md", "guide/b.md"}


def test_a_storm_of_renames_ends_with_what_is_there(root: Path, watched: Watched) -> None:
    for number in range(300):
        (root / "guide").rename(root / f"guide{number}")
        (root / f"guide{number}").rename(root / "guide")
        (root / "a.md").rename(root / f"x{number}.md")
        (root / f"x{number}.md").rename(root / "a.md")
    (root / "guide").rename(root / "end")
    watched.until_paths("a.md", "end/b.md")
    write_tree(root, {"end/c.md": "# C\n"})
    watched.until_paths("a.md", "end/b.md", "end/c.md")


def test_folders_that_appear_with_contents_and_vanish(tmp_path: Path, root: Path, watched: Watched) -> None:
    write_tree(tmp_path / "elsewhere", {"deep/er/c.md": "# C\n", "d.md": "# D\n"})
    (tmp_path / "elsewhere").rename(root / "moved")
    watched.until_paths("a.md", "guide/b.md", "moved/deep/er/c.md", "moved/d.md")
    write_tree(root, {"moved/deep/er/e.md": "# E\n"})
    watched.until_paths("a.md", "guide/b.md", "moved/deep/er/c.md", "moved/d.md", "moved/deep/er/e.md")
    (root / "moved").rename(tmp_path / "elsewhere")
    watched.until_paths("a.md", "guide/b.md")
    write_tree(tmp_path / "elsewhere", {"deep/er/f.md": "# F\n"})
    shutil.copytree(tmp_path / "elsewhere", root / "copied")
    shutil.rmtree(root / "guide")
    watched.until_paths(
        "a.md", *(f"copied/{name}" for name in ("d.md", "deep/er/c.md", "deep/er/e.md", "deep/er/f.md"))
    )


def test_links_are_followed_when_they_or_their_targets_change(root: Path, watched: Watched) -> None:
    (root / "link.md").symlink_to("late.md")
    write_tree(root, {"late.md": "# Late\n\nzebra\n"})
    watched.until_paths("a.md", "guide/b.md", "late.md", "link.md")
    write_tree(root, {"late.md": "# Late\n\ngiraffe\n"})
    watched.until(lambda: "giraffe" in watched.libraries.get().read("link.md").text, "the link's new text")
    (root / "link2.md").symlink_to("a.md")
    os.replace(root / "link2.md", root / "link.md")
    watched.until(lambda: "alpha" in watched.libraries.get().read("link.md").text, "the text of the other target")
    (root / "link.md").unlink()
    (root / "link.md").symlink_to("../outside.md")
    (root.parent / "outside.md").write_text("secret")
    watched.until_paths("a.md", "guide/b.md", "late.md")


def test_a_changed_ignore_file_means_what_it_governs(root: Path, watched: Watched) -> None:
    write_tree(root, {".gitignore": "guide/\n"})
    watched.until_paths("a.md")
    write_tree(root, {"guide/c.md": "# C\n"})
    write_tree(root, {".gitignore": "\n"})
    watched.until_paths("a.md", "guide/b.md", "guide/c.md")
    write_tree(root, {"guide/d.md": "# D\n"})
    watched.until_paths("a.md", "guide/b.md", "guide/c.md", "guide/d.md")


def test_what_is_ignored_is_not_heard(root: Path, watched: Watched) -> None:
    write_tree(root, {".gitignore": "build/\n*.log\n", "c.md": "# C\n"})
    watched.until(
        lambda: any("c.md" in look.paths for look in watched.looks), "the ignore file, and what came after it"
    )
    looks = len(watched.looks)
    write_tree(root, {"x.log": "x", "node_modules/x/y.md": "x", "build/deep/z.md": "x", ".pinakes/x": "x"})
    watched.libraries.refresh()  # looks at once at what was heard
    assert len(watched.looks) == looks


def test_the_root_may_move_away_and_back(root: Path, watched: Watched) -> None:
    root.rename(root.parent / "gone")
    watched.until(lambda: any(look.problem for look in watched.looks), "a look that finds nothing")
    assert not root.exists()
    (root.parent / "gone").rename(root)
    write_tree(root, {"c.md": "# C\n"})
    watched.until_paths("a.md", "guide/b.md", "c.md")
    write_tree(root, {"d.md": "# D\n"})
    watched.until_paths("a.md", "guide/b.md", "c.md", "d.md")


def test_the_root_may_be_deleted_with_its_index_and_made_anew(root: Path, watched: Watched) -> None:
    while root.exists():
        shutil.rmtree(root, ignore_errors=True)  # again, when vectors were written meanwhile
    watched.until(lambda: any(look.problem for look in watched.looks), "a look that finds nothing")
    assert not root.exists()
    write_tree(root, {"c.md": "# C\n"})
    watched.until_paths("c.md")
    write_tree(root, {"deep/d.md": "# D\n"})
    watched.until_paths("c.md", "deep/d.md")
    assert watched.libraries.get().is_indexed


def test_listeners_hear_what_changed_and_what_others_took_in(root: Path, watched: Watched) -> None:
    heard: list[LibraryChange] = []
    watched.libraries.listen(heard.append)
    other = Watched(root)
    write_tree(root, {"c.md": "# C\n"})
    (root / "a.md").unlink()
    watched.until_paths("c.md", "guide/b.md")
    watched.until(lambda: {path for one in heard for path in one.paths} == {"a.md", "c.md"}, "both were heard of")
    other.until_paths("c.md", "guide/b.md")
    other.close()


def test_memories_are_watched(root: Path, watched: Watched) -> None:
    heard: list[LibraryChange] = []
    watched.libraries.listen(heard.append)
    write_tree(root, {".memories/plan.md": "---\ntype: plan\n---\n# Plan\n\nzebra\n"})
    watched.until(lambda: any("memories:plan.md" in one.paths for one in heard), "the memory")


def test_a_file_that_fails_and_heals_is_followed(root: Path, watched: Watched) -> None:
    with (root / "huge.md").open("wb") as file:
        file.truncate(20_000_000)
    watched.until(lambda: len(watched.libraries.get().status().failures) == 1, "the failure")
    write_tree(root, {"huge.md": "# Small\n"})
    watched.until_paths("a.md", "guide/b.md", "huge.md")
    assert watched.libraries.get().status().failures == ()
