"""Sync step by step equals a rebuild, whatever was edited in between."""

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
from pinakes.ports import Store
from pinakes.sources import FolderSource
from pinakes.store import open_sqlite

SEQUENCES = 1000
SHARDS = 10
STEPS = 6

NAMES = ("a", "b", "c", "README", "index", "Größe", "A")
FOLDERS = ("", "guide/", "guide/deep/", "api/", "Guide/")
ENDINGS = (".md", ".md", ".md", ".txt", ".svg", ".png")
SITES = {
    "mkdocs.yml": ("docs_dir: guide\n", "docs_dir: .\nuse_directory_urls: false\n", "docs_dir: guide/deep\n"),
    "hugo.toml": ('contentDir = "guide"\n', 'contentDir = "api"\n'),
    "guide/docusaurus.config.js": ("export default {};\n",),
    "guide/.vitepress/config.ts": ("export default {};\n",),
    "api/conf.py": ("extensions = []\n", "nothing = 1\n"),
}
"""Configurations of sites; the anchors and addresses of their pages come and go with them."""


def _path(chance: random.Random) -> str:
    return chance.choice(FOLDERS) + chance.choice(NAMES) + chance.choice(ENDINGS)


def _link(chance: random.Random) -> str:
    folder = chance.choice((*FOLDERS, "../"))
    target = chance.choice((_path(chance), f"../{_path(chance)}", f"/{_path(chance)}", folder, "deep"))
    anchor = chance.choice(("", "", "#one", "#two", "#one-1", "#one_1", "#a-b", "#ab", "#custom", "#nowhere"))
    bare = target.rpartition("/")[2].removesuffix(".md")
    return chance.choice(
        (
            f"[text]({target}{anchor})",
            f"![image]({target})",
            f"[[{bare}{anchor}]]",
            f"[[{chance.choice(('Alpha', 'beta', 'Other name'))}]]",
            f"see `{target}` here",
            "[here](#two)",
            f'[ref]({{{{< relref "{bare}{anchor}" >}}}})',
        )
    )


def _content(chance: random.Random) -> str:
    field = chance.choice(("aliases: [Other name]", "aliases: [/old/place/]", "slug: /deep", "slug: b", "id: c"))
    head = chance.choice(("", "", f"---\ntitle: {chance.choice(('Alpha', 'Beta'))}\n{field}\n---\n"))
    parts = []
    for _ in range(chance.randrange(4)):
        title = chance.choice(("One", "Two", "Alpha", "A.B", "AB", "Beta {#custom}"))
        parts.append(f"{'#' * chance.randrange(1, 4)} {title}\n\n{_link(chance)} and {_link(chance)}\n")
    return head + "\n".join(parts) + _link(chance) + "\n"


def _write(root: Path, path: str, content: str) -> None:
    target = root / path
    if target.is_dir() or any(parent.is_file() for parent in target.parents if parent != root):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content, encoding="utf-8")


def _edit(root: Path, chance: random.Random) -> None:
    """One thing a person might do to a folder of documents."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    deed = chance.choice(("write", "write", "change", "rename", "delete", "touch", "ignore", "move folder", "site"))
    if deed == "write" or not files:
        _write(root, _path(chance), _content(chance))
    elif deed == "change":
        chance.choice(files).write_text(_content(chance), encoding="utf-8")
    elif deed == "rename":
        target = root / _path(chance)
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_dir():
            chance.choice(files).replace(target)
    elif deed == "delete":
        chance.choice(files).unlink()
    elif deed == "touch":
        os.utime(chance.choice(files), ns=(chance.randrange(10**18), chance.randrange(10**18)))
    elif deed == "ignore":
        (root / ".pinakesignore").write_text(chance.choice(("", "a.md\n", "guide/\n", "*.txt\n")), encoding="utf-8")
    elif deed == "site":
        path = chance.choice(list(SITES))
        if chance.random() < 0.3:
            (root / path).unlink(missing_ok=True)
        else:
            _write(root, path, chance.choice(SITES[path]))
    elif (root / "guide").is_dir():
        shutil.rmtree(root / "moved", ignore_errors=True)
        (root / "guide").replace(root / "moved")


def _rebuilt(root: Path) -> ScratchStore:
    store = ScratchStore()
    sync(FolderSource(root), store, anchors="auto")
    return store


@pytest.mark.parametrize("shard", range(SHARDS))
def test_any_sequence_of_edits_ends_where_a_rebuild_ends(shard: int, tmp_path: Path) -> None:
    for number in range(shard, SEQUENCES, SHARDS):
        chance = random.Random(number)
        root = tmp_path / str(number)
        root.mkdir()
        store: Store = open_sqlite(OwnFolder(tmp_path / f"{number}.store"))
        for _ in range(STEPS):
            for _ in range(chance.randrange(1, 4)):
                _edit(root, chance)
            sync(FolderSource(root), store, anchors="auto")
        assert differences(store, _rebuilt(root)) == [], f"sequence {number}"
        store.close()
        shutil.rmtree(root)
        shutil.rmtree(tmp_path / f"{number}.store")
