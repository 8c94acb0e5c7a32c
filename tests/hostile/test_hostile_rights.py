"""Files that may not be read, folders that may not be written, and times that do not tell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.library import open_library

POWERLESS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")
"""Even the superuser then only reads and writes where the permissions allow it."""


def test_files_that_become_readable_come_back_with_the_next_sync(tmp_path: Path) -> None:
    pages = {f"page-{number}.md": f"# Page {number}\n\nwater{number}\n" for number in range(20)}
    root = write_tree(tmp_path / "root", {**pages, "pinakes.toml": ""})
    hidden = [root / f"page-{number}.md" for number in range(0, 20, 2)]

    def outcome() -> dict[str, list[object]]:
        words = [sys.executable, "-m", "pinakes", "sync", "--json", "--root", str(root)]
        ran = subprocess.run([*POWERLESS, *words], capture_output=True, text=True, check=False)
        if "setpriv" in ran.stderr:
            pytest.skip("rights cannot be given up here")
        found: dict[str, list[object]] = json.loads(ran.stdout)
        return found

    for _ in range(2):  # files that were never read, then files that were
        for file in hidden:
            file.chmod(0)
        assert len(outcome()["failed"]) == len(hidden)
        for file in hidden:
            file.chmod(0o644)
        assert outcome()["failed"] == []
    with open_library(root) as library:
        assert library.search("water18").hits


def test_an_edit_of_equal_size_and_time_is_seen(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "# A\n\nwalrus\n"})
    os.utime(root / "a.md", (1_000_000_000, 1_000_000_000))
    with open_library(root) as library:
        library.sync()
        assert library.search("walrus").hits
        (root / "a.md").write_text("# A\n\nquokka\n")
        os.utime(root / "a.md", (1_000_000_000, 1_000_000_000))
        library.refresh()
        assert library.search("quokka").hits


def test_a_folder_that_can_only_be_read_is_indexed_among_the_user_s_data_or_says_what_to_do(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "# A\n\nwalrus\n"})
    words = [*POWERLESS, sys.executable, "-m", "pinakes", "search", "walrus", "--root", str(root)]
    root.chmod(0o555)

    def asked(home: Path, *more: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "XDG_DATA_HOME": str(home)}
        return subprocess.run([*words, *more], capture_output=True, text=True, check=False, env=env)

    try:
        answered = asked(tmp_path / "data")
        refused = asked(root / "data")
        elsewhere = asked(root / "data", "--store", str(tmp_path / "elsewhere"))
    finally:
        root.chmod(0o755)
    if "setpriv" in answered.stderr:
        pytest.skip("rights cannot be given up here")
    for ran in (answered, elsewhere):
        assert (ran.returncode, "walrus" in ran.stdout) == (0, True), ran.stderr
    assert [place.name for place in root.iterdir()] == ["a.md"]
    (place,) = (tmp_path / "data" / "pinakes" / "indexes").iterdir()
    assert (place / "library.db").exists()
    assert refused.returncode == 2
    assert "--store" in refused.stderr
