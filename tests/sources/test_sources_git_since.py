"""Syncs that ask git for the difference only end where a first sync of everything would."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kits.git import Repo, listed, needs_git
from kits.scratch import ScratchStore
from kits.trees import differences
from pinakes.index.sync import sync
from pinakes.records import HISTORY
from pinakes.sources import GitSource

pytestmark = needs_git


def step(repo: Repo, chance: random.Random, number: int) -> None:
    """Something people do to a repository."""
    branches = repo.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()
    others = [name for name in branches if name != "main"]
    date = f"20{chance.randrange(10, 26)}-01-01T00:00:{number % 60:02}+00:00"
    match chance.choice(
        ("commit", "commit", "branch", "delete", "reset", "amend", "tag", "untag", "merge", "gc", "pack")
    ):
        case "commit":
            repo.commit(f"commit {number}", {f"f{number % 5}": str(number)}, date=date)
        case "branch":
            repo.git("checkout", "-q", "-B", f"b{number}", chance.choice(branches))
        case "delete" if others:
            repo.git("checkout", "-q", "main")
            repo.git("branch", "-q", "-D", chance.choice(others))
        case "reset":
            repo.git("reset", "-q", "--hard", "HEAD~1", check=False)
        case "amend":
            repo.git("commit", "-q", "--amend", "--allow-empty", "-m", f"amended {number}")
        case "tag":
            repo.git("tag", "-f", "-a", "-m", "x", f"t{number}")
        case "untag":
            repo.git("tag", "-d", *repo.git("tag").split()[:1], check=False)
        case "merge":
            repo.git("merge", "-q", "-s", "ours", "-m", f"merge {number}", chance.choice(branches), check=False)
        case "gc":
            repo.git("reflog", "expire", "--expire=now", "--all")
            repo.git("gc", "-q", "--prune=now")
        case "pack":
            repo.git("pack-refs", "--all")


@pytest.mark.parametrize("seed", range(4))
def test_step_by_step_equals_a_first_sync(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    repo = Repo(tmp_path)
    repo.commit("first", {"a": "1"})
    store, source = ScratchStore(), GitSource([tmp_path])
    parts = 0
    for number in range(25):
        for _ in range(chance.randrange(1, 4)):
            step(repo, chance, number)
        before = store.setting("glance")
        now = source.snapshot()
        parts += bool(before and before != now and source.scan_since(before, now) is not None)
        sync(source, store)
        assert set(store.files(HISTORY)) == listed(tmp_path)
    fresh = ScratchStore()
    sync(GitSource([tmp_path]), fresh)
    assert differences(store, fresh, HISTORY) == []
    assert parts > 5  # or the comparison of refs was never tried


def test_a_commit_in_two_repositories_stays_while_one_of_them_has_it(tmp_path: Path) -> None:
    one = Repo(tmp_path / "one")
    one.commit("shared", {"a": "1"})
    both = one.commit("also shared", {"a": "2"})
    one.git("clone", "-q", "--no-hardlinks", ".", str(tmp_path / "two"))
    store, source = ScratchStore(), GitSource([tmp_path])
    sync(source, store)
    one.git("reset", "-q", "--hard", "HEAD~1")
    sync(source, store)
    assert both in store.files(HISTORY)
    Repo(tmp_path / "two").git("reset", "-q", "--hard", "HEAD~1")
    sync(source, store)
    assert set(store.files(HISTORY)) == listed(tmp_path)
    assert both not in store.files(HISTORY)


def test_what_cannot_be_compared_is_scanned_as_a_whole(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.commit("first", {"a": "1"})
    source = GitSource([tmp_path])
    before = source.snapshot()
    repo.commit("second", {"a": "2"})
    now = source.snapshot()
    assert source.scan_since(before, now) is not None
    for odd in ("", "{}", "[1]", '["a","b",[["--all"]]]', now.replace('["', '["x', 1), "off"):
        assert source.scan_since(odd, now) is None
    ground = now.partition(",")[0]
    assert source.scan_since(f'{ground},"",[["--output=x"]]]', now) is None
