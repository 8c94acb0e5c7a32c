"""A server makes the keywords of a large library by itself, in small steps, and says how far it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pinakes
from kits.http import serving
from kits.trees import write_tree
from kits.waiting import until
from pinakes.index.keywords import COUNTED_IN_A_HURRY

DOCUMENTS = 90


def large(folder: Path) -> Path:
    """A library that is not counted while somebody waits."""
    many = COUNTED_IN_A_HURRY // DOCUMENTS + 2
    pages = {
        f"{number}.md": f"# Page {number}\n\n"
        + "\n\n".join(f"## Part {part}\n\nHarbour {number} and crane {part}, tides and rope." for part in range(many))
        for number in range(DOCUMENTS)
    }
    return write_tree(folder, {**pages, "pinakes.toml": '[neural]\nmodel = "static"\n'})


def test_a_server_makes_the_keywords_of_a_large_library(tmp_path: Path) -> None:
    root = large(tmp_path / "root")
    with serving(root) as server:
        until(lambda: server.get("/search", query="harbour").status == 200, "indexed")
        until(lambda: server.get("/status").json["keywords"] == "complete", "keywords")
        assert server.get("/status").json["counts"]["pending_keywords"] == 0


def test_a_server_that_may_not_work_in_the_background_leaves_them_to_sync(tmp_path: Path) -> None:
    root = large(tmp_path / "root")
    with pinakes.open(root, {"sync.background_minutes": 0}) as library:
        library.refresh()
        library.models.embed_in_background()
        assert library.status().keywords == f"0 of {DOCUMENTS} documents have them; pinakes sync makes the rest"
        library.sync()
        assert library.status().keywords == "complete"


def test_the_command_makes_all_that_a_library_of_some_hundred_documents_lacks(tmp_path: Path) -> None:
    root = large(tmp_path / "root")
    done = subprocess.run(
        [sys.executable, "-m", "pinakes", "sync", "--root", str(root)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with pinakes.open(root) as library:
        assert library.status().keywords == "complete"


def test_while_they_are_made_status_says_so(tmp_path: Path) -> None:
    root = large(tmp_path / "root")
    with pinakes.open(root, {"sync.background_minutes": 1}) as library:  # which takes long
        library.refresh()
        library.models.embed_in_background()
        assert "the rest is being made" in library.status().keywords
