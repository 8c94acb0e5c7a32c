"""The benchmark of search grows a folder without repeating it, asks everybody the same, and says who is not there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks.search.contenders import CONTENDERS
from benchmarks.search.grow import exchange, exchanged
from benchmarks.search.shelf import Shelf

from kits.trees import write_tree

PROJECT = Path(__file__).resolve().parents[2]
FRUIT = ("apples", "pears", "plums", "quinces", "cherries", "medlars")


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.search", *arguments]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = {
        f"{fruit}.md": f"# Keeping {fruit}\n\nLay {fruit} on straw in a cool cellar, number {n}.\n\n"
        f"## Picking {fruit}\n\nPick {fruit} before rain, and carry the ladder {n} steps.\n"
        for n, fruit in enumerate(FRUIT)
    }
    return write_tree(tmp_path / "shelf", pages)


def test_everybody_is_measured_or_missing(folder: Path, tmp_path: Path) -> None:
    kept, questions = tmp_path / "kept", tmp_path / "questions.txt"
    questions.write_text("".join(f"picking {fruit}\n" for fruit in FRUIT), encoding="utf-8")
    arguments = [str(folder), "--passages", "30", "--rounds", "1", "--most", "4", "--kept", str(kept), "--json"]
    arguments += ["--questions", str(questions)]
    first = bench(*arguments, "--rivals", "fts5,bm25s")
    assert first.returncode == 0, first.stderr
    (size,) = json.loads(first.stdout)["sizes"]
    asked = {name: one for name, one in CONTENDERS.items() if one.indexed in ("", "fts5", "bm25s")}
    assert [row["name"] for row in size["rows"]] == list(asked)
    for row in size["rows"]:
        if row["p50_s"] is None:
            assert row["note"] == f"not installed: pip install {' '.join(asked[row['name']].missing)}"
        else:
            assert 0 < row["p50_s"] <= row["p95_s"] <= row["p99_s"]
            assert row["found"] >= 1
    assert 20 <= size["passages"] <= 40
    assert len(list((kept / "30" / "corpus").glob("part-*"))) > 1


def test_what_was_built_is_not_built_again_and_what_failed_is(tmp_path: Path) -> None:
    shelf, made = Shelf(tmp_path), []

    def make() -> dict[str, float]:
        made.append(1)
        if len(made) == 1:
            raise OSError("the disk is full")
        return {"seconds": 2.0}

    with pytest.raises(OSError, match="full"):
        shelf.once("index", make)
    assert [shelf.once("index", make), shelf.once("index", make)] == [{"seconds": 2.0}] * 2
    assert len(made) == 2


def test_what_is_asked_wrongly_is_said_in_a_sentence(folder: Path, tmp_path: Path) -> None:
    assert (
        "there is no grep; choose from fts5, bm25s, lancedb, llamaindex"
        in bench(str(folder), "--rivals", "grep").stderr
    )
    assert "name a whole number from 1 on" in bench(str(folder), "--passages", "many").stderr
    assert "is not a folder" in bench(str(tmp_path / "nowhere")).stderr


def frequent(count: int) -> list[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [f"word{letters[n // 26]}{letters[n % 26]}" for n in range(count)]


def tables(words: Sequence[str]) -> list[dict[str, str]]:
    return [dict(exchange(words, number)) for number in range(4)]


def test_each_copy_exchanges_words_one_for_one_among_those_about_as_frequent() -> None:
    words = frequent(400)
    original, *copies = tables(words)
    assert original == {}
    assert copies == tables(words)[1:]
    assert copies[0] != copies[1] != copies[2]
    rank = {word: position for position, word in enumerate(words)}
    for table in copies:
        lower = {word: other for word, other in table.items() if word.islower()}
        assert sorted(lower) == sorted(lower.values())
        assert all(abs(rank[word] - rank[other]) < 50 for word, other in lower.items())
        assert not set(words[:100]) & set(lower)  # what everybody says stays


def test_structure_survives_the_exchange() -> None:
    table = {"harbour": "cellar", "Harbour": "Cellar", "title": "straw", "python": "plum", "guide": "pear"}
    page = (
        "---\ntitle: harbour\n---\n\n# Harbour\n\n[the harbour](guide/harbour.md) and https://harbour.example/guide\n"
        "\n```python\nharbour = harbourMaster()\n```\n"
    )
    told = exchanged(page.encode(), table).decode()
    assert told == re.sub(r"harbour(?=\n---| = |\])", "cellar", page.replace("# Harbour", "# Cellar"))
    assert exchanged(b"\xff harbour", table) == b"\xff cellar"
