"""A large folder answers before all of it is indexed, and another process makes the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pinakes
from kits.trees import write_tree
from pinakes.records import DOCS
from pinakes.serve.cli.later import LARGE


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pinakes", *words], capture_output=True, text=True, check=False, timeout=300
    )


def test_a_large_folder_is_searched_at_once_and_made_whole_by_a_process_of_its_own(tmp_path: Path) -> None:
    pages = {f"{number}.md": f"# Page {number}\n\nEvery page has water{number}.\n" for number in range(LARGE + 1)}
    root = write_tree(tmp_path / "root", pages)
    found = run("search", "water0", "--root", str(root))
    assert (found.returncode, "0.md" in found.stdout) == (0, True), found.stderr
    waited = run("sync", "--wait", "--root", str(root))
    assert waited.returncode == 0, waited.stderr
    with pinakes.open(root) as library:
        docs = library.corpus()
        assert docs.share() == ""
        assert not docs.toolbox.meanings.is_far_behind(docs.store)
        assert docs.store.counts(DOCS).pending_keywords == 0
        assert library.search(f"water{LARGE}").missing == ()
    assert (root / ".pinakes" / ".gitignore").read_text() == "*\n"
    told = run("search", "water1", "--root", str(root))
    assert "indexed so far" not in told.stdout
