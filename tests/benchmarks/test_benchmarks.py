"""The benchmark runs from end to end on a small folder. What it measures is not asserted, only that it does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kits.trees import write_tree

PROJECT = Path(__file__).resolve().parents[2]

ROWS = {
    "Limits of this machine on these files": [
        "list and stat",
        "list and stat by the library",
        "read, warm",
        "decode UTF-8",
        "hash (blake2b)",
        "scan memory",
    ],
    "Parsing, one core": [
        "Pinakes",
        "markdown-it-py",
        "markdown-it-py, commonmark",
        "mistune",
        "line scanner",
        "pyromark",
        "Pinakes on everything",
    ],
    "Sync": [
        "full sync",
        "full sync, speed",
        "peak resident memory",
        "store on disk",
        "keywords for everything",
        "keywords on disk",
        "nothing changed",
        "one file changed",
    ],
    "Finding": [
        "words of everything",
        "vectors of everything",
        "one file changed, until it is found",
        "by words, everywhere",
        "by meaning, everywhere",
        "by words, in a fiftieth of the documents",
        "by meaning, in a fiftieth of the documents",
    ],
    "Map, with its index there": [
        "python alone",
        "pinakes map",
        "pinakes map --no-sync",
        "whole map",
        "map of 8,000 tokens",
    ],
    "Keywords": ["count the corpus's terms", "Pinakes, static embedder", "KeyBERT's way with MiniLM"],
    "Embedding": ["static, passages", "static, one question", "docs, passages", "docs, one question"],
}


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=PROJECT, capture_output=True, text=True, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prose = "The lamp is lit at dusk, and the keeper writes down which ships have passed the harbour. " * 4
    pages = {f"guide/page-{n}.md": f"# Page {n}\n\n{prose}\n\n## Next\n\n[on](page-{n + 1}.md)\n" for n in range(8)}
    commented = "# Shell\n\n<!--\n# not a heading\n-->\n"
    return write_tree(tmp_path / "shelf", {**pages, "shell.md": commented, "lamp.png": b"\x89PNG", "blank.md": ""})


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {file.relative_to(folder).as_posix(): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


def test_every_row_is_measured_or_says_what_to_install_and_the_folder_stays_as_it_was(folder: Path) -> None:
    before = contents(folder)
    done = bench(str(folder), "--budget-mb", "0.1", "--rounds", "1", "--keywords", "--json")
    assert done.returncode == 0, done.stderr
    groups = json.loads(done.stdout)["groups"]
    assert {group["title"]: [figure["name"] for figure in group["figures"]] for group in groups} == ROWS
    for figure in (figure for group in groups for figure in group["figures"]):
        if figure["value"] is None:
            assert figure["note"].startswith("not installed: pip install "), figure
        else:
            assert figure["value"] >= 0, figure
    assert contents(folder) == before


def test_the_line_scanner_is_caught_where_it_takes_a_comment_for_a_heading(folder: Path) -> None:
    done = bench(str(folder), "--budget-mb", "0.1", "--rounds", "1")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[2:4] == ["| what | figure | beside | over | how |", "|---|---:|---|---|---|"]
    scanner = next(line for line in lines if line.startswith("| line scanner |"))
    assert "of 10 files 1 (10.0 %) with a heading missed or invented, 1 (10.0 %) with any difference" in scanner
    assert str(folder) not in done.stdout


def test_a_folder_without_markdown_and_a_folder_that_is_not_there_are_said_to_be_so(tmp_path: Path) -> None:
    empty = bench(str(tmp_path))
    assert (empty.returncode, empty.stdout) == (1, "")
    assert "There is no Markdown in" in empty.stderr
    missing = bench(str(tmp_path / "nowhere"))
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "is not a folder" in missing.stderr
