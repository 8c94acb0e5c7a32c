"""Which repositories belong to a folder: worktrees, submodules, bare, shallow and partial ones, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from kits.git import Repo, documents, listed, needs_git, text
from pinakes.parse import parse
from pinakes.sources import GitSource

pytestmark = needs_git


def test_worktrees_and_their_detached_heads_belong_to_one_repository(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "main")
    first = repo.commit("first", {"a": "1"})
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    (tmp_path / "tree" / "b").write_text("1")
    tree = Repo.__new__(Repo)
    tree.folder, tree.days = tmp_path / "tree", 5
    second = tree.commit("in the worktree")
    assert listed(tmp_path) == {first, second}
    assert len(GitSource([tmp_path]).scan().stamps) == 2
    # A root that is a worktree has the history of its repository, which lies elsewhere and knows of it.
    assert listed(tmp_path / "tree") == {first, second}


def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path) -> None:
    library = Repo(tmp_path / "lib")
    inner = library.commit("the library", {"lib.c": "1"})
    repo = Repo(tmp_path / "app")
    repo.git("submodule", "add", "-q", str(library.folder), "vendor/lib")
    outer = repo.commit("the app")
    shutil.rmtree(library.folder)
    assert (repo.folder / "vendor/lib/.git").is_file()
    found = documents(repo.folder)
    assert set(found) == {inner, outer}
    assert json.loads(found[inner].metadata.extra)["repository"] == "vendor/lib"
    assert "Repository: vendor/lib\n" in text(found[inner])
    # A root that is a submodule: its repository lies above, and points back.
    assert listed(repo.folder / "vendor/lib") == {inner}


def test_a_git_file_that_leads_to_a_strange_repository_is_not_followed(tmp_path: Path) -> None:
    private = Repo(tmp_path / "private")
    private.commit("secret", {"a": "1"})
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/.git").write_text(f"gitdir: {private.folder}/.git\n")
    scan = GitSource([tmp_path / "docs"]).scan()
    assert scan.stamps == ()
    assert "does not know of it" in scan.failures[0].reason
    (tmp_path / "docs/.git").unlink()
    (tmp_path / "docs/.git").symlink_to(private.folder / ".git")
    scan = GitSource([tmp_path / "docs"]).scan()
    assert (scan.stamps, "leads out" in scan.failures[0].reason) == ((), True)


def test_a_root_that_is_bare_counts_and_a_bare_repository_among_the_files_does_not(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "work")
    value = repo.commit("first", {"a": "1"})
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    assert listed(tmp_path / "bare") == {value}
    shutil.rmtree(repo.folder)
    assert listed(tmp_path) == set()


def test_a_shallow_clone_has_the_commits_that_are_there(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "work")
    for number in range(5):
        last = repo.commit(f"number {number}", {"a": str(number)})
    repo.git("clone", "-q", "--depth", "2", f"file://{repo.folder}", str(tmp_path / "clone"))
    source = GitSource([tmp_path / "clone"])
    found = source.scan()
    assert (len(found.stamps), found.failures) == (2, ())
    assert last in {stamp.ref.path for stamp in found.stamps}
    assert all(parse(source.read(stamp)).title.startswith("number") for stamp in found.stamps)


def test_a_partial_clone_has_messages_and_files_and_fetches_nothing(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "work")
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.commit("first", {"a": "1"})
    repo.commit("second", {"a": "2"})
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.folder}", str(clone))
    before = sorted(str(path) for path in (clone / ".git/objects").rglob("*"))
    found = documents(clone)
    assert sorted(one.title for one in found.values()) == ["first", "second"]
    assert all("The difference could not be told" in text(one) for one in found.values())
    assert all(json.loads(one.metadata.extra)["files"] == ["a"] for one in found.values())
    assert sorted(str(path) for path in (clone / ".git/objects").rglob("*")) == before


def test_a_sha256_repository_is_read_like_any_other(tmp_path: Path) -> None:
    repo = Repo(tmp_path, "--object-format=sha256")
    value = repo.commit("long hashes", {"a": "1"})
    assert len(value) == 64
    assert documents(tmp_path)[value].title == "long hashes"


def test_an_empty_repository_and_a_folder_without_one_have_no_history(tmp_path: Path) -> None:
    assert not GitSource([tmp_path]).exists
    assert listed(tmp_path) == set()
    Repo(tmp_path)
    assert GitSource([tmp_path]).exists
    assert listed(tmp_path) == set()


def test_a_root_inside_a_repository_has_the_commits_that_changed_it_and_nothing_from_outside(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    first = repo.commit("both", {"docs/a.md": "inside\n", "secret.txt": "outside\n"})
    repo.commit("elsewhere", {"secret.txt": "outside again\n"})
    repo.git("checkout", "-q", "-b", "side", first)
    side = repo.commit("on a branch", {"docs/a.md": "inside again\n"})
    repo.git("checkout", "-q", "main")
    found = documents(tmp_path / "docs")
    assert set(found) == {first, side}
    assert json.loads(found[first].metadata.extra)["files"] == ["a.md"]
    assert "outside" not in text(found[first])
    assert "diff --git a/a.md b/a.md" in text(found[first])


def test_ignored_and_hidden_folders_are_not_searched_for_repositories(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    value = repo.commit("top", {".gitignore": "build/\n"})
    for name in ("build/dependency", ".cache/clone", "node_modules/package"):
        Repo(tmp_path / name).commit("foreign", {"a": "1"})
    assert listed(tmp_path) == {value}
