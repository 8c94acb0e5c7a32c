"""What was changed in a repository, as people and models see it."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.git import Repo, needs_git
from kits.trees import write_tree
from pinakes.errors import NotFound
from pinakes.library.review import review, review_block, review_text
from pinakes.records.edits import FileChange
from pinakes.records.review import Review, UnseenChange

pytestmark = needs_git


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "repo")
    repo.commit("first", {"a.md": "# A\n\none\n", "sub/b.md": "# B\n", "old.md": "# Old\n", ".gitignore": "*.log\n"})
    return repo


def seen(root: Path, range: str = "") -> Review:
    with pinakes.open(root) as library:
        return review(library, range)


def test_nothing_was_changed(repo: Repo) -> None:
    found = seen(repo.folder)
    assert found == Review("")
    assert review_text(found) == "Nothing was changed."


def test_changed_new_and_removed_files_are_there_and_ignored_ones_are_not(repo: Repo) -> None:
    write_tree(repo.folder, {"a.md": "# A\n\ntwo\n", "new.md": "# New\n", "noise.log": "x", "sub/c.txt": "c\n"})
    (repo.folder / "old.md").unlink()
    repo.git("add", "new.md")  # what is staged makes no difference
    found = seen(repo.folder)
    assert found == Review(
        "",
        (
            FileChange("a.md", b"# A\n\none\n", b"# A\n\ntwo\n"),
            FileChange("new.md", None, b"# New\n"),
            FileChange("old.md", b"# Old\n", None),
            FileChange("sub/c.txt", None, b"c\n"),
        ),
    )
    block = review_block(found)
    assert block.key == "review:"
    assert block.text == (
        "Changes that are not committed, as a diff:\n\n"
        "--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,3 @@\n # A\n \n-one\n+two\n"
        "--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+# New\n"
        "--- a/old.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-# Old\n"
        "--- /dev/null\n+++ b/sub/c.txt\n@@ -0,0 +1 @@\n+c"
    )


def test_files_without_text_are_named_only(repo: Repo) -> None:
    write_tree(repo.folder, {"a.md": b"\x00\x01", "large.md": b"x" * 1_000_001, ".gitignore": "*.tmp\n"})
    found = seen(repo.folder)
    assert found.changes == ()
    assert found.unseen == (
        UnseenChange(".gitignore", "is hidden"),
        UnseenChange("a.md", "is no text"),
        UnseenChange("large.md", "is larger than 1,000,000 bytes, or cannot be read"),
    )
    assert "not shown: a.md is no text" in review_text(found)


def test_a_folder_inside_a_repository_shows_its_own_changes(repo: Repo) -> None:
    write_tree(repo.folder, {"a.md": "other\n", "sub/b.md": "# B2\n"})
    assert seen(repo.folder / "sub") == Review("", (FileChange("b.md", b"# B\n", b"# B2\n"),))


def test_ranges_of_commits(repo: Repo) -> None:
    first = repo.head()
    repo.git("branch", "start")
    repo.commit("second", {"a.md": "# A\n\ntwo\n"})
    repo.commit("third", {"sub/b.md": "# B3\n"})
    write_tree(repo.folder, {"a.md": "# A\n\nfour\n"})
    both = (FileChange("a.md", b"# A\n\none\n", b"# A\n\ntwo\n"), FileChange("sub/b.md", b"# B\n", b"# B3\n"))
    for range in (f"{first}..HEAD", "start..main", "start..", "HEAD~2..HEAD", "start...main", f"{first[:10]}...HEAD"):
        assert seen(repo.folder, range) == Review(range, both)
    assert seen(repo.folder, "HEAD~1..HEAD").changes == both[1:]
    assert seen(repo.folder, "HEAD~1").changes == (
        FileChange("a.md", b"# A\n\ntwo\n", b"# A\n\nfour\n"),
        FileChange("sub/b.md", b"# B\n", b"# B3\n"),
    )
    assert review_block(seen(repo.folder, "start..main")).text.startswith("Changes in start..main, as a diff:")


def test_a_range_since_the_branches_parted(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("on the side", {"side.md": "# Side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("on main", {"a.md": "# A\n\nmain\n"})
    assert seen(repo.folder, "main...side").changes == (FileChange("side.md", None, b"# Side\n"),)
    assert {one.path for one in seen(repo.folder, "main..side").changes} == {"a.md", "side.md"}


@pytest.mark.parametrize("range", ["nothing", "nothing..HEAD", "HEAD..--output=x", "a b", "HEAD@{1}", "..no", "-x"])
def test_what_is_no_revision_is_refused(repo: Repo, range: str) -> None:
    with pytest.raises(NotFound, match="is no revision in git"):
        seen(repo.folder, range)


def test_a_folder_outside_of_git_has_nothing_to_review(tmp_path: Path) -> None:
    write_tree(tmp_path / "docs", {"a.md": "# A\n"})
    with pytest.raises(NotFound, match="is not in a git repository"):
        seen(tmp_path / "docs")


def test_a_repository_without_commits_has_only_new_files(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    write_tree(repo.folder, {"a.md": "# A\n"})
    assert seen(repo.folder).changes == (FileChange("a.md", None, b"# A\n"),)


def test_line_ends_links_and_files_left_out_on_purpose_are_no_changes(repo: Repo) -> None:
    (repo.folder / "link.md").symlink_to("a.md")
    repo.commit("a link")
    write_tree(repo.folder, {"a.md": b"# A\r\n\r\none\r\n"})
    repo.git("update-index", "--skip-worktree", "old.md")
    (repo.folder / "old.md").unlink()
    assert seen(repo.folder) == Review("")
    (repo.folder / "link.md").unlink()
    (repo.folder / "link.md").symlink_to("sub/b.md")
    assert seen(repo.folder).changes == (FileChange("link.md", b"a.md", b"sub/b.md"),)


def test_files_of_a_filter_and_of_other_repositories_are_left_alone(repo: Repo) -> None:
    repo.commit("stored elsewhere", {"big.md": "pointer\n", ".gitattributes": "big.md filter=lfs\n"})
    write_tree(repo.folder, {"big.md": "the whole content\n"})
    Repo(repo.folder / "inner").commit("inner", {"x.md": "# X\n"})
    assert seen(repo.folder) == Review("")


def test_a_link_out_of_the_repository_is_not_followed(repo: Repo, tmp_path: Path) -> None:
    write_tree(tmp_path, {"secret/b.md": "secret\n"})
    (repo.folder / "sub/b.md").unlink()
    (repo.folder / "sub").rmdir()
    (repo.folder / "sub").symlink_to(tmp_path / "secret")
    found = seen(repo.folder)
    assert found.changes == (FileChange("sub/b.md", b"# B\n", None),)
    assert "secret" not in review_text(found).replace("sub", "")


def test_worktrees_and_packed_refs_are_read(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    repo.git("pack-refs", "--all")
    write_tree(tmp_path / "tree", {"a.md": "# A\n\ntree\n"})
    assert seen(tmp_path / "tree").changes == (FileChange("a.md", b"# A\n\none\n", b"# A\n\ntree\n"),)


def test_there_is_a_limit_to_what_is_shown(repo: Repo) -> None:
    write_tree(repo.folder, {f"many/{number:04}.md": f"# {number}\n" for number in range(510)})
    found = seen(repo.folder)
    assert len(found.changes) == 500
    assert found.unseen[0] == UnseenChange("many/0500.md", "is one too many")
    assert len(found.unseen) == 10
