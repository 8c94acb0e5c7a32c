"""Commits of chosen files, made without anything of the repository being run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pinakes
from kits.git import Repo, needs_git
from kits.trees import write_tree
from pinakes.errors import BadCommit, NotFound
from pinakes.library.review import commit, review
from pinakes.write_log import read_log

pytestmark = needs_git

WHO = "[user]\n\tname = Grace Hopper\n\temail = grace@example.org\n"


@pytest.fixture(autouse=True)
def person(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A user with a name, and no variables of git's."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return write_tree(tmp_path / "home", {".gitconfig": WHO})


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "repo")
    repo.commit("first", {"a.md": "# A\n", "sub/b.md": "# B\n", "old.md": "# Old\n", "run.sh": "#!/bin/sh\n"})
    return repo


def commit_in(root: Path, message: str, *paths: str) -> str:
    with pinakes.open(root) as library:
        return commit(library, message, paths)


def is_sound(repo: Repo, *clean: str) -> None:
    """Nothing is left to commit of some paths, and git finds nothing wrong with the repository."""
    assert repo.git("status", "--porcelain", "--", *clean) == ""
    assert repo.git("fsck", "--strict", "--no-dangling") == ""
    assert not list((repo.folder / ".git").rglob("*.lock"))


def test_only_the_chosen_files_are_committed(repo: Repo) -> None:
    before = repo.head()
    write_tree(repo.folder, {"a.md": "# A2\n", "sub/b.md": "# B2\n", "new/c.md": "# C\n", "other.md": "# Other\n"})
    (repo.folder / "old.md").unlink()
    (repo.folder / "run.sh").chmod(0o755)
    repo.git("add", "sub/b.md")
    made = commit_in(repo.folder, "Tidy up\n\nEverything at once.", "a.md", "new/c.md", "old.md")
    assert made == repo.head()
    assert repo.git("log", "-1", "--format=%P|%an|%ae|%cn|%ce|%B") == (
        f"{before}|Grace Hopper|grace@example.org|Grace Hopper|grace@example.org|Tidy up\n\nEverything at once."
    )
    assert repo.git("show", "--name-status", "--format=", "HEAD").split("\n") == ["M\ta.md", "A\tnew/c.md", "D\told.md"]
    is_sound(repo, "a.md", "new/c.md", "old.md")
    assert repo.git("status", "--porcelain").split("\n") == ["M run.sh", "M  sub/b.md", "?? other.md"]
    assert repo.git("reflog", "-1", "--format=%gs") == "commit: Tidy up"
    assert repo.git("rev-parse", "HEAD@{1}") == before
    assert (read_log(repo.folder)[-1].action, read_log(repo.folder)[-1].object) == ("commit", f"history:{made}")


def test_the_first_commit_of_a_repository(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    write_tree(repo.folder, {"a.md": "# A\n", "b.md": "# B\n"})
    commit_in(repo.folder, "Begin", "a.md")
    assert repo.git("ls-tree", "--name-only", "HEAD") == "a.md"
    is_sound(repo, "a.md")
    assert repo.git("status", "--porcelain") == "?? b.md"


def test_a_repository_with_long_hashes(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo", "--object-format=sha256")
    write_tree(repo.folder, {"a.md": "# A\n"})
    commit_in(repo.folder, "Begin", "a.md")
    write_tree(repo.folder, {"a.md": "# A2\n"})
    assert len(commit_in(repo.folder, "Go on", "a.md")) == 64
    is_sound(repo, "a.md")


def test_a_worktree_commits_to_its_own_branch_with_packed_refs(repo: Repo, tmp_path: Path) -> None:
    tree = Repo.__new__(Repo)
    tree.folder, tree.days = tmp_path / "tree", 9
    repo.git("worktree", "add", "-q", "-b", "deep/branch", str(tree.folder))
    repo.git("pack-refs", "--all", "--prune")
    main = repo.head()
    write_tree(tree.folder, {"a.md": "# In the tree\n"})
    made = commit_in(tree.folder, "In the tree", "a.md")
    assert repo.head("deep/branch") == made
    assert repo.head("main") == main
    is_sound(tree, "a.md")
    is_sound(repo)


def test_a_library_inside_a_repository_commits_its_own_files(repo: Repo) -> None:
    write_tree(repo.folder, {"sub/b.md": "# B2\n", "a.md": "# A2\n"})
    commit_in(repo.folder / "sub", "Below", "b.md")
    assert repo.git("show", "--name-only", "--format=", "HEAD") == "sub/b.md"
    is_sound(repo, "sub")
    with pytest.raises(NotFound, match="was not changed"):
        commit_in(repo.folder / "sub", "Above", "../a.md")


def test_modes_and_links_are_kept(repo: Repo) -> None:
    write_tree(repo.folder, {"run.sh": "#!/bin/sh\necho\n"})
    (repo.folder / "run.sh").chmod(0o755)
    (repo.folder / "link.md").symlink_to("a.md")
    commit_in(repo.folder, "Both", "run.sh", "link.md")
    rows = repo.git("ls-tree", "HEAD", "run.sh", "link.md").split("\n")
    assert [row[:6] for row in rows] == ["120000", "100755"]
    is_sound(repo, "run.sh", "link.md")
    repo.git("config", "core.fileMode", "false")
    write_tree(repo.folder, {"run.sh": "#!/bin/sh\necho 2\n"})
    (repo.folder / "run.sh").chmod(0o644)
    commit_in(repo.folder, "No modes", "run.sh")
    assert repo.git("ls-tree", "HEAD", "run.sh")[:6] == "100755"
    is_sound(repo, "run.sh")


def test_a_file_becomes_a_folder_and_back(repo: Repo) -> None:
    (repo.folder / "old.md").unlink()
    write_tree(repo.folder, {"old.md/inner.md": "# Inner\n"})
    commit_in(repo.folder, "A folder", "old.md/inner.md", "old.md")
    is_sound(repo, "old.md")
    (repo.folder / "old.md/inner.md").unlink()
    (repo.folder / "old.md").rmdir()
    write_tree(repo.folder, {"old.md": "# Old\n"})
    commit_in(repo.folder, "A file", "old.md/inner.md", "old.md")
    assert repo.git("show", "HEAD:old.md") == "# Old"
    is_sound(repo, "old.md")


@pytest.mark.parametrize(
    ("attributes", "configured"),
    [
        ("* text=auto eol=crlf\n", ""),
        ("*.md text\n", ""),
        ("", "true"),
        ("", "input"),
        ("*.md working-tree-encoding=UTF-16LE\n", ""),
    ],
)
def test_lines_end_in_a_commit_as_git_would_have_them(repo: Repo, attributes: str, configured: str) -> None:
    if configured:
        repo.git("config", "core.autocrlf", configured)
    if attributes:
        repo.commit("attributes", {".gitattributes": attributes})
    text = "# A\r\n\r\nwith Windows ends\r\n"
    write_tree(repo.folder, {"a.md": text.encode("utf-16-le" if "encoding" in attributes else "utf-8")})
    commit_in(repo.folder, "On Windows", "a.md")
    stored = repo.git("cat-file", "blob", "HEAD:a.md")
    assert stored == text.strip().replace("\r\n", "\r\n" if "encoding" in attributes else "\n")
    is_sound(repo, "a.md")


def under_way(name: str) -> Callable[[Repo], None]:
    def arrange(repo: Repo) -> None:
        repo.git("checkout", "-q", "-b", "side")
        repo.commit("side", {"a.md": "# Side\n"})
        repo.git("checkout", "-q", "main")
        repo.commit("main", {"a.md": "# Main\n"})
        repo.git(*name.split(), "side", check=False)

    return arrange


@pytest.mark.parametrize(
    ("arrange", "sentence"),
    [
        (under_way("merge"), "A merge is under way"),
        (under_way("rebase"), "A rebase is under way"),
        (under_way("cherry-pick"), "A cherry-pick is under way"),
        (lambda repo: repo.git("checkout", "-q", "--detach"), "No branch is checked out"),
        (lambda repo: write_tree(repo.folder, {".git/index.lock": ""}), "Another git is at work"),
        (lambda repo: write_tree(repo.folder, {".git/refs/heads/main.lock": ""}), "Another git is at work"),
        (
            lambda repo: write_tree(repo.folder, {".git/index": "no index"}),
            "The index of this repository cannot be read",
        ),
        (lambda repo: repo.git("config", "user.email", "other@example.org"), "names an identity of its own"),
        (lambda repo: write_tree(repo.folder, {".git/info/attributes": "*.md filter=lfs\n"}), "was not changed"),
        (lambda repo: write_tree(repo.folder.parent, {"home/.gitconfig": ""}), "Git does not know who you are"),
        (
            lambda repo: write_tree(
                repo.folder.parent,
                {"home/.gitconfig": f'{WHO}[includeIf "gitdir:~/work/"]\n\tpath = work.conf\n', "home/work.conf": WHO},
            ),
            "choose your identity by repository",
        ),
    ],
)
def test_what_cannot_be_committed_is_refused_and_nothing_changes(
    repo: Repo, arrange: Callable[[Repo], object], sentence: str
) -> None:
    arrange(repo)
    write_tree(repo.folder, {"a.md": "# Changed here\n"})
    before = repo.head(), (repo.folder / ".git/index").read_bytes()
    with pytest.raises((BadCommit, NotFound), match=sentence) as refused:
        commit_in(repo.folder, "Should not be", "a.md")
    assert refused.value.next_step
    assert (repo.head(), (repo.folder / ".git/index").read_bytes()) == before


def test_a_conflict_without_a_merge_is_refused(repo: Repo) -> None:
    write_tree(repo.folder, {"a.md": "# Stashed\n"})
    repo.git("stash")
    repo.commit("meanwhile", {"a.md": "# Meanwhile\n"})
    repo.git("stash", "pop", check=False)
    with pytest.raises(BadCommit, match="in conflict"):
        commit_in(repo.folder, "With marks", "a.md")


@pytest.mark.parametrize("message", ["", "  \n", "x" * 10_001, "a\0b"])
def test_a_message_is_needed(repo: Repo, message: str) -> None:
    write_tree(repo.folder, {"a.md": "# A2\n"})
    with pytest.raises(BadCommit, match="1 to 10,000 characters"):
        commit_in(repo.folder, message, "a.md")


def test_files_that_were_not_changed_or_are_ignored_cannot_be_committed(repo: Repo) -> None:
    write_tree(repo.folder, {".gitignore": "*.log\n", "x.log": "1\n", ".env": "secret\n"})
    for path in ("a.md", "x.log", ".env", "none.md", ".git/config", "../outside.md", "/etc/passwd"):
        with pytest.raises(NotFound, match="was not changed"):
            commit_in(repo.folder, "No", path)
    with pytest.raises(BadCommit, match="There are 0 files"):
        commit_in(repo.folder, "No")


def test_a_commit_of_somebody_else_in_between_is_not_lost(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other commit is made while ours is being prepared: by what git is asked to do last."""
    write_tree(repo.folder, {"a.md": "# A2\n"})
    other = repo.git("commit-tree", "-p", "HEAD", "-m", "other", "HEAD^{tree}")
    real = subprocess.Popen

    def late(words: list[str], **rest: object) -> object:
        if "commit-tree" in words:
            (repo.folder / ".git/refs/heads/main").write_text(f"{other}\n")
        return real(words, **rest)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", late)
    with pytest.raises(BadCommit, match="Somebody else has just committed"):
        commit_in(repo.folder, "Mine", "a.md")
    monkeypatch.undo()
    assert repo.head() == other
    is_sound(repo, "sub")


def test_refs_that_lead_elsewhere_are_not_written(repo: Repo, tmp_path: Path) -> None:
    write_tree(repo.folder, {"a.md": "# A2\n"})
    outside = tmp_path / "outside"
    (repo.folder / ".git/refs/heads").rename(outside)
    (repo.folder / ".git/refs/heads").symlink_to(outside)
    before = (outside / "main").read_text()
    with pytest.raises((BadCommit, NotFound)):
        commit_in(repo.folder, "Elsewhere", "a.md")
    assert (outside / "main").read_text() == before


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["a.md", "b.md", "sub/c.md", "sub/deep/d.md", "ä ö.md"]),
            st.one_of(st.none(), st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=20)),
            min_size=1,
        ),
        min_size=1,
        max_size=3,
    )
)
def test_after_any_commit_its_files_are_clean_and_the_repository_is_sound(
    tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, str | None]]
) -> None:
    repo = Repo(tmp_path_factory.mktemp("law") / "repo")
    repo.commit("first", {"a.md": "# A\n", "sub/c.md": "# C\n"})
    for number, step in enumerate(steps):
        for path, text in step.items():
            if text is None:
                (repo.folder / path).unlink(missing_ok=True)
            else:
                write_tree(repo.folder, {path: text})
        with pinakes.open(repo.folder) as library:
            changed = [one.path for one in review(library).changes]
            chosen = changed[: 1 + number]
            if chosen:
                commit(library, f"step {number}", chosen)
                assert [one.path for one in review(library).changes] == changed[1 + number :]
        is_sound(repo, *chosen) if chosen else None
