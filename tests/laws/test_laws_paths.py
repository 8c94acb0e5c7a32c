"""Syncing the touched paths equals syncing everything, whatever was touched."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from kits.scratch import ScratchStore
from kits.trees import differences
from pinakes.index.sync import sync
from pinakes.own_folder import OwnFolder
from pinakes.sources import FolderSource
from pinakes.store import open_sqlite

SEQUENCES = 600
SHARDS = 6
STEPS = 6

NAMES = ("a.md", "b.md", "README.md", "c.txt", "p.png", "Größe.md", ".hidden.md", "node_modules")
FOLDERS = ("", "guide", "guide/deep", "api", ".dot")
RULES = ("", "a.md\n", "guide/\n", "*.txt\n", "deep/\n!a.md\n", "/api\n")


def _content(chance: random.Random) -> str:
    links = " ".join(f"[x]({chance.choice(FOLDERS)}/{chance.choice(NAMES)})" for _ in range(3))
    return f"# {chance.choice(('One', 'Two'))}\n\n{links} [[b]] {chance.random()}\n"


def _path(chance: random.Random) -> str:
    return f"{chance.choice(FOLDERS)}/{chance.choice(NAMES)}".removeprefix("/")


def _free(root: Path, path: str) -> Path | None:
    """A place for a file, with the folders above it; None when a file or a folder is in the way."""
    target = root / path
    if any(parent.is_symlink() or parent.is_file() for parent in target.parents if parent.is_relative_to(root)):
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    return None if target.is_dir() and not target.is_symlink() else target


def _write(root: Path, chance: random.Random) -> set[str]:
    path = _path(chance)
    new = _appearing(root, path)
    if (target := _free(root, path)) is None:
        return new
    target.unlink(missing_ok=True)
    target.write_text(_content(chance), encoding="utf-8")
    return {path, *new}


def _link(root: Path, chance: random.Random) -> set[str]:
    path = _path(chance)
    new = _appearing(root, path)
    if (target := _free(root, path)) is None:
        return new
    target.unlink(missing_ok=True)
    target.symlink_to(os.path.relpath(root / _path(chance), target.parent))
    return {path, *new}


def _rules(root: Path, chance: random.Random) -> set[str]:
    path = f"{chance.choice(FOLDERS)}/{chance.choice(('.gitignore', '.pinakesignore'))}".removeprefix("/")
    new = _appearing(root, path)
    if (target := _free(root, path)) is not None:
        target.write_text(chance.choice(RULES), encoding="utf-8")
    return {path, *new}


def _exclude(root: Path, chance: random.Random) -> set[str]:
    (root / ".git/info").mkdir(parents=True, exist_ok=True)
    (root / ".git/info/exclude").write_text(chance.choice(RULES), encoding="utf-8")
    return {".git", ".git/info/exclude"}


def _folders(root: Path) -> list[Path]:
    found = (path for path in root.rglob("*") if path.is_dir() and not path.is_symlink())
    return sorted(path for path in found if ".git" not in path.parts)


def _files(root: Path) -> list[Path]:
    found = (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(path for path in found if ".git" not in path.parts)


def _lose_folder(root: Path, chance: random.Random) -> set[str]:
    for folder in _folders(root)[-1:]:
        shutil.rmtree(folder)
        return {folder.relative_to(root).as_posix()}
    return set()


def _shut_folder(root: Path, chance: random.Random) -> set[str]:
    for folder in _folders(root)[-1:]:
        marker = folder / "pyvenv.cfg"
        if marker.exists():
            marker.unlink()
        else:
            marker.write_text("")
        return {marker.relative_to(root).as_posix()}
    return set()


def _move_folder(root: Path, chance: random.Random) -> set[str]:
    moved = root / chance.choice(("moved", "api/inner", "guide2"))
    for folder in _folders(root)[:1]:
        if moved.exists() or moved.is_relative_to(folder) or not moved.parent.is_dir() or moved.parent.is_symlink():
            return set()
        folder.replace(moved)
        return {folder.relative_to(root).as_posix(), moved.relative_to(root).as_posix()}
    return set()


def _change(root: Path, chance: random.Random) -> set[str]:
    files = _files(root)
    if not files:
        return set()
    file = chance.choice(files)
    if chance.random() < 0.3:
        file.unlink()
    else:
        file.write_text(_content(chance), encoding="utf-8")
    return {file.relative_to(root).as_posix()}


def _rename(root: Path, chance: random.Random) -> set[str]:
    files, path = _files(root), _path(chance)
    new = _appearing(root, path)
    if files and (target := _free(root, path)) is not None:
        file = chance.choice(files)
        file.replace(target)
        return {file.relative_to(root).as_posix(), path, *new}
    return new


DEEDS = (_write, _write, _write, _link, _rules, _exclude, _lose_folder, _shut_folder, _move_folder, _change, _rename)
"""Things a person might do to a folder; each returns the paths that a system would tell of."""


def _appearing(root: Path, path: str) -> set[str]:
    """The topmost folder that writing a file here would make."""
    folder = ""
    for part in path.split("/")[:-1]:
        folder = f"{folder}/{part}".removeprefix("/")
        if not (root / folder).exists():
            return {folder}
    return set()


@pytest.mark.parametrize("shard", range(SHARDS))
def test_syncing_touched_paths_ends_where_a_rebuild_ends(shard: int, tmp_path: Path) -> None:
    for number in range(shard, SEQUENCES, SHARDS):
        chance = random.Random(number)
        root = tmp_path / str(number)
        root.mkdir()
        store = open_sqlite(OwnFolder(tmp_path / f"{number}.store")) if number % 3 == 0 else ScratchStore()
        source = FolderSource(root)
        sync(source, store)
        for step in range(STEPS):
            touched: set[str] = set()
            for _ in range(chance.randrange(1, 4)):
                touched |= chance.choice(DEEDS)(root, chance)
            sync(source, store, paths=touched)
            whole = ScratchStore()
            sync(FolderSource(root), whole)
            assert differences(store, whole) == [], f"sequence {number}, step {step}, touched {sorted(touched)}"
        store.close()
        shutil.rmtree(root)
