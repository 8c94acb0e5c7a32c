"""A repository that came from somewhere else runs nothing when its changes are looked at and committed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import pinakes
from kits.git import Repo, needs_git
from kits.git_traps import TRAPS, set_trap
from kits.hostile import SECRET
from kits.links import state_of
from kits.trees import write_tree
from pinakes.errors import BadCommit, NotFound
from pinakes.library.review import commit, review, review_text

pytestmark = needs_git

WHO = {"home/.gitconfig": "[user]\n\tname = Grace Hopper\n\temail = grace@example.org\n"}
MORE_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-index-change", "pre-auto-gc")
REFUSED = {
    "refs and files like options": BadCommit,
    "clean and smudge": NotFound,
    "diff command by attribute": NotFound,
    "textconv": NotFound,
    "merge driver": NotFound,
    "index.skipHash and a split index": BadCommit,
}
"""Traps in which the file goes through a filter, or in which there is no branch or index to be believed."""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "repo")
    repo.commit("first", {"field/plan.md": "# Plan\n\nFirst.\n", "field/tool.txt": "1\n"})
    repo.commit("second", {"field/plan.md": "# Plan\n\nSecond.\n", "field/tool.txt": "2\n"})
    return repo


@pytest.mark.parametrize("name", TRAPS)
def test_no_trap_goes_off_when_changes_are_reviewed_and_committed(
    repo: Repo, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path, WHO)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    marker = set_trap(name, repo, tmp_path, monkeypatch)
    for hook in MORE_HOOKS:
        path = repo.folder / ".git/hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\nexec {tmp_path}/trap.sh\n")
        path.chmod(0o755)
    write_tree(repo.folder, {"field/plan.md": "# Plan\n\nThird.\n"})
    with pinakes.open(repo.folder) as library:
        if name in REFUSED:
            with pytest.raises(REFUSED[name]):
                commit(library, "Mine", ["field/plan.md"])
        else:
            shown = review_text(review(library))
            assert ("+Third." in shown) or (name == "promisor remote" and "plan.md is larger" in shown)
            assert SECRET not in review_text(review(library, "HEAD~1..HEAD"))
            made = commit(library, "Mine", ["field/plan.md"])
            assert (repo.folder / ".git/refs/heads/main").read_text() == f"{made}\n"
    assert not marker.exists()
    assert not [path for path in repo.folder.rglob("*") if path.name == "marker"]


def _link(place: Path, to: Path) -> None:
    place.symlink_to(to, target_is_directory=to.is_dir())


@pytest.mark.parametrize(
    ("name", "lead", "target"),
    [
        ("logs", _link, "."),
        ("logs/refs/heads", _link, "."),
        ("logs/HEAD", _link, "HEAD"),
        ("logs/HEAD", lambda place, to: place.hardlink_to(to), "HEAD"),
        ("refs/heads", _link, "."),
        ("config", _link, "HEAD"),
        ("index", _link, "HEAD"),
    ],
)
def test_a_commit_writes_through_no_link_of_the_repository(
    repo: Repo,
    tmp_path: Path,
    name: str,
    lead: Callable[[Path, Path], None],
    target: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_tree(tmp_path, WHO)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    victim = write_tree(tmp_path / "victim", dict.fromkeys(("HEAD", "main", "refs/heads/main"), SECRET))
    before = state_of(victim)
    write_tree(repo.folder, {"field/plan.md": "# Plan\n\nThird.\n"})
    place = repo.folder / ".git" / name
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    lead(place, victim / target)
    with pinakes.open(repo.folder) as library, suppress(BadCommit, NotFound):
        commit(library, "Mine", ["field/plan.md"])
    assert state_of(victim) == before
