"""Source code beside documents in a server: changes are taken in, damage is mended, answers join both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.trees import write_tree
from kits.watch import Watched
from pinakes.records import CODE

pytest.importorskip("tree_sitter_python", reason="needs the extra code")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "pinakes.toml": "[code]\nenabled = true\n",
        "a.md": "# A\n\n`History.load` reads it.\n",
        "src/ac.py": "class History:\n    def load(self): ...\n",
    }
    return write_tree(tmp_path / "root", files)


@pytest.fixture
def watched(root: Path) -> Iterator[Watched]:
    made = Watched(root)
    yield made
    made.close()


def code(watched: Watched) -> set[str]:
    return set(watched.libraries.get().corpus(CODE).digests())


def naming(watched: Watched, address: str) -> list[str]:
    return [str(edge.origin) for edge in watched.libraries.get().links(address).incoming]


def test_code_that_is_written_moved_and_deleted_is_taken_in(root: Path, watched: Watched) -> None:
    watched.until(lambda: code(watched) == {"src/ac.py"}, "the code")
    assert naming(watched, "src/ac.py#History.load") == ["docs:a.md#a"]
    (root / "src/ac.py").rename(root / "src/turns.py")
    watched.until(lambda: code(watched) == {"src/turns.py"}, "the code elsewhere")
    assert naming(watched, "src/turns.py#History.load") == ["docs:a.md#a"]
    write_tree(root, {"src/more.py": "class Other:\n    pass\n", "a.md": "# A\n\nNothing.\n"})
    watched.until(lambda: code(watched) == {"src/more.py", "src/turns.py"}, "more code")
    watched.until(watched.libraries.is_current, "nothing more to look at")
    assert naming(watched, "src/turns.py#History.load") == []
    (root / "src/more.py").unlink()
    watched.until(lambda: code(watched) == {"src/turns.py"}, "less code")


def test_a_damaged_index_of_code_is_made_again(root: Path) -> None:
    watched = Watched(root)
    watched.until(lambda: code(watched) == {"src/ac.py"}, "the code")
    watched.close()
    (root / ".pinakes/corpora/code/library.db").write_bytes(b"not a database" * 1000)
    watched = Watched(root)
    try:
        watched.libraries.refresh("", CODE)
        watched.until(lambda: code(watched) == {"src/ac.py"}, "the code again")
        assert naming(watched, "src/ac.py#History.load") == ["docs:a.md#a"]
    finally:
        watched.close()
