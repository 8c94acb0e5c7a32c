"""Several roots in one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.errors import ConfigError, NotFound
from pinakes.serve.libraries import Libraries
from pinakes.serve.library_names import LibraryChange


def test_libraries_are_called_by_the_names_of_their_folders(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_tree(tmp_path / name, {"a.md": f"# {name}\n"})
    held = Libraries([tmp_path / "one", tmp_path / "two"])
    assert held.names == ("one", "two")
    assert held.get().root.name == "one"
    assert held.get("two").root.name == "two"
    with pytest.raises(NotFound, match="There are one, two"):
        held.get("three")
    held.close()


def test_two_roots_of_one_name_are_refused(tmp_path: Path) -> None:
    for parent in ("x", "y"):
        write_tree(tmp_path / parent / "docs", {"a.md": "# A\n"})
    with pytest.raises(ConfigError, match="Two roots are called “docs”"):
        Libraries([tmp_path / "x" / "docs", tmp_path / "y" / "docs"])


def test_listeners_hear_which_documents_changed(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {"a.md": "# A\n", "b.md": "# B\n"})
    held = Libraries([root])
    heard: list[LibraryChange] = []
    stop = held.listen(heard.append)
    held.refresh()
    write_tree(root, {"b.md": "# B changed\n", "c.md": "# C\n"})
    (root / "a.md").unlink()
    held.refresh()
    held.refresh()
    stop()
    write_tree(root, {"d.md": "# D\n"})
    held.refresh()
    held.close()
    assert [one.paths for one in heard] == [("a.md", "b.md"), ("a.md", "b.md", "c.md")]
