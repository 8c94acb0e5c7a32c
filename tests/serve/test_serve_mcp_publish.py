"""The tool that publishes writes inside the library and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("mcp")

from kits.mcp import answer
from kits.trees import write_tree
from pinakes import open as open_library
from pinakes.errors import PublishError


def test_it_publishes_into_a_folder_of_the_library_that_is_not_indexed(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"guide/a.md": "# A\n\nOne.\n", "guide/b.md": "# B\n\nTwo.\n"})
    with open_library(root) as library:
        library.refresh()
        made = answer("publish", library, {})
        assert (made.data["documents"], made.data["kept"]) == (2, [])
        assert (root / "published" / "index.json").is_file()
        assert answer("publish", library, {"out": "published"}).data["written"] == 0
        library.refresh()
        assert set(library.corpus().digests()) == {"guide/a.md", "guide/b.md"}


@pytest.mark.parametrize(
    "out", ["/tmp/elsewhere", "../elsewhere", "a/../../b", ".", ".git/x", ".pinakes", "~/x", "a\0b", "way/out", "guide"]
)
def test_everywhere_else_is_refused(tmp_path: Path, out: str) -> None:
    root = write_tree(tmp_path / "root", {"guide/a.md": "# A\n"})
    (root / "way").symlink_to(tmp_path)
    with open_library(root) as library:
        library.refresh()
        before = sorted(path for path in tmp_path.rglob("*") if ".pinakes" not in path.parts)
        with pytest.raises(PublishError):
            answer("publish", library, {"out": out})
        assert sorted(path for path in tmp_path.rglob("*") if ".pinakes" not in path.parts) == before
