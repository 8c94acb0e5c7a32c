"""`pinakes watch` as a process: what it prints, how it ends, and what it survives."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path

import pytest

from kits.powerless import POWERLESS
from kits.scratch import ScratchStore
from kits.trees import differences, write_tree
from kits.watch import watching
from pinakes.index.sync import sync
from pinakes.library import open_library
from pinakes.own_folder import OwnFolder
from pinakes.sources import FolderSource
from pinakes.store import open_sqlite

"""Runs a command without the superuser's right to pass over permissions."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", {"a.md": "# A\n"})


def is_like_the_folder(root: Path) -> bool:
    whole = ScratchStore()
    sync(FolderSource(root), whole)
    store = open_sqlite(OwnFolder(root / ".pinakes"))
    try:
        return differences(store, whole) == []
    finally:
        store.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_what_it_took_in_and_ends_well_when_told_to(root: Path, number: int) -> None:
    with watching(root) as process:
        write_tree(root, {"b.md": "# B\n"})
        assert "docs: read b.md; " in process.line()
        (root / "b.md").rename(root / "c.md")
        assert "docs: moved b.md → c.md; " in process.line()
        (root / "c.md").unlink()
        assert "docs: gone c.md; " in process.line()
        assert process.end(number) == 0


def test_json_lines_carry_the_report(root: Path) -> None:
    with watching(root, "--json") as process:
        write_tree(root, {"b.md": "# B\n"})
        said = json.loads(process.line())
        assert (said["library"], said["corpus"], said["put"]) == ("docs", "docs", ["docs:b.md"])
        assert process.end(signal.SIGTERM) == 0


def test_killed_at_any_moment_the_next_one_goes_on_from_there(root: Path) -> None:
    for number in range(5):
        with watching(root) as process:
            write_tree(root, {f"n{number}/f{one}.md": f"# {number}\n\n[[f{one + 1}]]\n" for one in range(40)})
            if number % 2:
                process.line()
            process.end(signal.SIGKILL)
            (root / "a.md").write_text(f"# A{number}\n")
    with watching(root) as process:
        write_tree(root, {"last.md": "# Last\n"})
        while "last.md" not in process.line():
            pass
        assert process.end(signal.SIGTERM) == 0
    assert is_like_the_folder(root)


def test_two_may_watch_the_same_root(root: Path) -> None:
    with watching(root) as one, watching(root) as other:
        for number in range(5):
            write_tree(root, {f"n{number}.md": f"# N{number}\n"})
            said = {process.line().partition(": ")[2].partition(";")[0] for process in (one, other)}
            assert said <= {f"read n{number}.md", "taken in by another process"}
            assert f"read n{number}.md" in said
        assert [process.end(signal.SIGTERM) for process in (one, other)] == [0, 0]
    assert is_like_the_folder(root)


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is not installed")
def test_an_index_that_can_only_be_read_is_said_to_be(root: Path) -> None:
    with open_library(root) as library:
        library.sync()
    kept = (*(root / ".pinakes").rglob("*"), root / ".pinakes")
    for path in kept:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        with watching(root, prelude=POWERLESS) as process:
            assert any("can only be read" in said for said in process.first)
            write_tree(root, {"b.md": "# B\n"})
            assert "can only be read" in process.warning()
            assert process.end(signal.SIGTERM) == 0
    finally:
        for path in reversed(kept):
            path.chmod(0o755 if path.is_dir() else 0o644)
