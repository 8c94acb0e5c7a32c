"""A large folder answers before all of it is indexed, and another process makes the rest."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.index.keywords import COUNTED_IN_A_HURRY, MADE
from pinakes.records import DOCS
from pinakes.serve.cli.later import LARGE


def run(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pinakes", *words], capture_output=True, text=True, check=False, timeout=300, cwd=cwd
    )


@pytest.mark.parametrize("command", ["sync", "publish"])
def test_a_large_folder_is_searched_at_once_and_made_whole_by_a_process_of_its_own(
    tmp_path: Path, command: str
) -> None:
    page = "# Page {0}\n\nEvery page has water{0}.\n\n## More\n\nAnd a lamp{0}.\n"
    pages = {f"{number}.md": page.format(number) for number in range(LARGE + 1)}
    assert 2 * len(pages) > COUNTED_IN_A_HURRY  # so that keywords are left to the process
    root = write_tree(tmp_path / "root", pages)
    found = run("search", "water0", "--root", str(root))
    assert (found.returncode, "0.md" in found.stdout) == (0, True), found.stderr
    words = ("sync", "--wait") if command == "sync" else ("publish", str(tmp_path / "out"), "--no-pages")
    waited = run(*words, "--root", str(root))
    assert waited.returncode == 0, waited.stderr
    with pinakes.open(root) as library:
        docs = library.corpus()
        assert docs.share() == ""
        assert not docs.toolbox.meanings.is_far_behind(docs.store)
        assert docs.store.counts(DOCS).pending_keywords == 0
        assert docs.store.setting(MADE) == "0"  # each was made once: two processes would both have counted theirs
        assert library.search(f"water{LARGE}").missing == ()
    assert (root / ".pinakes" / ".gitignore").read_text() == "*\n"
    told = run("search", "water1", "--root", str(root))
    assert "indexed so far" not in told.stdout


@pytest.mark.parametrize("words", [("sync", "--wait"), ("publish", "out"), ("eval", "questions.jsonl")])
def test_an_index_of_a_newer_pinakes_is_named_by_whoever_works_alone(tmp_path: Path, words: tuple[str, ...]) -> None:
    question = '{"id": "1", "query": "Alpha?", "relevant": [{"path": "a.md", "heading": "Alpha"}]}\n'
    root = write_tree(tmp_path, {"a.md": "# Alpha\n", "questions.jsonl": question, "pinakes.toml": ""})
    assert run("sync", "--root", str(root)).returncode == 0
    with closing(sqlite3.connect(root / ".pinakes" / "library.db")) as driver:
        driver.execute("PRAGMA user_version = 9999")
    told = run(*words, "--root", str(root), cwd=root)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("pinakes: ")
    assert "has format 9999" in told.stderr
