"""Code that is synced step by step equals a rebuild: what imports, calls and extends what, whatever was edited."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from kits.scratch import ScratchStore
from kits.trees import differences
from pinakes.index.sync import sync
from pinakes.own_folder import OwnFolder
from pinakes.records import CODE
from pinakes.sources import FolderSource
from pinakes.store import open_sqlite

for grammar in ("tree_sitter_python", "tree_sitter_javascript", "tree_sitter_typescript"):
    pytest.importorskip(grammar, reason="needs the extra code")

SEQUENCES = 120
SHARDS = 4
STEPS = 6

MODULES = ("a", "b", "__init__", "index", "c", "A")
FOLDERS = ("", "src/ac/", "src/ac/deep/", "other/ac/", "tests/")
NAMES = ("load", "Context", "Context.compact", "History", "b", "deep")


def _path(chance: random.Random) -> str:
    return chance.choice(FOLDERS) + chance.choice(MODULES) + chance.choice((".py", ".py", ".py", ".ts", ".js", ".md"))


def _import(chance: random.Random) -> str:
    module = chance.choice(("a", "ac", "ac.a", "ac.b", "ac.deep", "ac.deep.c", ".", ".a", "..b", "os"))
    name = chance.choice(("load", "Context", "History", "*", "b", "load as read"))
    if module.startswith(".") or chance.random() < 0.7:
        return f"from {module} import {name}"
    return f"import {module}"


def _statement(chance: random.Random) -> str:
    name = chance.choice((*NAMES, "ac.a.load", "a.load", "read", "self.compact"))
    base = chance.choice(("", "Context", "History", "a.Context"))
    return chance.choice(
        (
            f"def {chance.choice(('load', 'use', 'read'))}(path):\n    return {name}(path)\n",
            f"class {chance.choice(('Context', 'History'))}({base}):\n"
            f"    def compact(self):\n        return {name}()\n",
            f"{name}(1)\n",
            f"# see {chance.choice(FOLDERS)}a.md#one\n",
        )
    )


def _script(chance: random.Random) -> str:
    """The same for JavaScript and TypeScript."""
    module = chance.choice(("./a", "./b", "../ac", "./deep", "./deep/c", "../b.js", "fs"))
    name = chance.choice(("load", "Context", "* as a", "load as read"))
    lent = f"import {name if name.startswith('*') else f'{{ {name} }}'} from '{module}';\n"
    called = chance.choice(("load(1)", "a.load(1)", "read(1)", "Context.compact()"))
    defined = chance.choice(
        (
            f"export function load(path) {{ return {called}; }}\n",
            f"export class Context extends History {{ compact() {{ return {called}; }} }}\n",
            f"export {{ load }} from '{module}';\n",
            f"{called};\n",
        )
    )
    return lent + defined


def _content(chance: random.Random, path: Path) -> str:
    if path.suffix in (".ts", ".js"):
        return "".join(_script(chance) for _ in range(chance.randrange(3)))
    imports = [_import(chance) for _ in range(chance.randrange(3))]
    return "\n".join([*imports, *(_statement(chance) for _ in range(chance.randrange(4)))]) + "\n"


def _edit(root: Path, chance: random.Random) -> None:
    """One thing a person might do to a folder of source code."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    deed = chance.choice(("write", "write", "change", "rename", "delete", "move folder"))
    target = root / _path(chance)
    if deed == "move folder" and (root / "src").is_dir():
        shutil.rmtree(root / "lib", ignore_errors=True)
        (root / "src").replace(root / "lib")
    elif deed == "delete" and files:
        chance.choice(files).unlink()
    elif deed == "rename" and files:
        target.parent.mkdir(parents=True, exist_ok=True)
        chance.choice(files).replace(target)
    elif deed == "change" and files:
        changed = chance.choice(files)
        changed.write_text(_content(chance, changed), encoding="utf-8")
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_content(chance, target), encoding="utf-8")


def _source(root: Path) -> FolderSource:
    return FolderSource(root, corpus=CODE)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_any_sequence_of_edits_of_code_ends_where_a_rebuild_ends(shard: int, tmp_path: Path) -> None:
    for number in range(shard, SEQUENCES, SHARDS):
        chance = random.Random(number)
        root = tmp_path / str(number)
        root.mkdir()
        store = open_sqlite(OwnFolder(tmp_path / f"{number}.store"))
        for _ in range(STEPS):
            for _ in range(chance.randrange(1, 4)):
                _edit(root, chance)
            sync(_source(root), store)
        truth = ScratchStore()
        sync(_source(root), truth)
        assert differences(store, truth, CODE) == [], f"sequence {number}"
        store.close()
        shutil.rmtree(root)
        shutil.rmtree(tmp_path / f"{number}.store")
