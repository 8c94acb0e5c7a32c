"""An index removed, damaged or rebuilt under a running server: the next question notices, says so, and mends it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.git import Repo, needs_git
from kits.http import PAGES, Server, serving
from kits.trees import vanish, write_tree
from kits.waiting import until

pytestmark = needs_git
QUESTION = "high water tides"
CORPORA = ("docs", "history", "memories", "added")
LOST = (
    ".",
    "library.db",
    "words",
    "corpora/history",
    "corpora/history/library.db",
    "corpora/added",
    "corpora/added/library.db",
    "corpora/memories/library.db",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = Repo(tmp_path / "docs")
    made.commit("Add tides: high water", PAGES)
    return made.folder


@pytest.fixture
def server(root: Path) -> Iterator[Server]:
    with serving(root) as running:
        assert running.post("/remember", {"text": "High water and tides, noted.", "title": "Tides"}).status == 200
        assert running.post("/add", {"text": "# Tides elsewhere\n\nHigh water comes late.\n"}).status == 200
        for corpus in CORPORA:
            until(lambda corpus=corpus: hits(running, corpus), f"{corpus} answers")  # type: ignore[misc]
        until(lambda: running.get("/status").json.get("is_watched"), "watched")
        yield running


def hits(server: Server, corpus: str) -> list[str]:
    answer = server.get("/search", query=QUESTION, corpus=corpus)
    assert answer.status == 200, answer.body
    assert "nowhere" not in answer.json["abstained"], answer.body
    return [hit["ref"] for hit in answer.json["hits"]]


def unsettled(server: Server, said: list[str]) -> list[str]:
    """What the answer is still without."""
    said[:] = server.get("/search", query=QUESTION).json["missing"]
    return said


def first_said(server: Server) -> list[str]:
    """What the first answer that is without something says of it."""
    said: list[str] = []
    until(lambda: unsettled(server, said), "it is said")
    return said


@pytest.mark.parametrize("lost", LOST)
def test_what_is_removed_is_made_again_at_the_next_question_which_says_so(
    root: Path, server: Server, lost: str
) -> None:
    whole = {corpus: hits(server, corpus) for corpus in CORPORA}
    target = root / ".pinakes" / lost
    vanish(target) if target.is_dir() else target.unlink()
    expected = {**whole, "added": []} if lost == "." else whole  # what was added is kept there
    said = []
    for corpus in CORPORA:
        answer = server.get("/search", query=QUESTION, corpus=corpus).json
        assert [hit["ref"] for hit in answer["hits"]] == expected[corpus], (corpus, answer)
        said += answer["missing"]
    said += server.get("/search", query=QUESTION).json["missing"]  # a part that was mended is told by the answer after
    assert any("made again" in one or "built anew" in one or "was removed" in one for one in said), said
    assert server.get("/search", query=QUESTION).json["missing"] == []
    assert server.get("/status").json["healed"]
    assert any("removed" in line or "damaged" in line for line in server.said), server.said


def test_an_answer_says_it_whichever_of_several_processes_mended_and_answers(root: Path) -> None:
    with serving(root, options=("--workers", "2")) as server:
        whole = hits(server, "docs")
        until(lambda: server.get("/status").json.get("is_watched"), "watched")
        for part in ("words", "library.db"):
            target = root / ".pinakes" / part
            vanish(target) if target.is_dir() else target.unlink()
            said = first_said(server)
            assert hits(server, "docs") == whole
            until(lambda: unsettled(server, []) == [], "all is said")
            assert any("made again" in one or "built anew" in one or "was removed" in one for one in said), said


@pytest.mark.parametrize("lost", ["library.db", "corpora/added/library.db", "corpora/history/library.db"])
def test_what_is_damaged_is_made_again_within_the_question(root: Path, server: Server, lost: str) -> None:
    whole = {corpus: hits(server, corpus) for corpus in CORPORA}
    target = root / ".pinakes" / lost
    target.write_bytes(b"\xa5" * target.stat().st_size)
    said = []
    for corpus in CORPORA:
        answer = server.get("/search", query=QUESTION, corpus=corpus).json
        assert [hit["ref"] for hit in answer["hits"]] == whole[corpus], answer
        said += answer["missing"]
    assert any("built anew" in one for one in said), said


def test_a_corpus_that_cannot_be_mended_is_a_note_in_the_answer_of_the_others(root: Path, server: Server) -> None:
    whole = hits(server, "docs")
    vanish(root / ".pinakes" / "corpora" / "added")
    (root / ".pinakes" / "corpora" / "added").write_text("in the way")
    answer = server.get("/search", query=QUESTION)
    assert answer.status == 200, answer.body
    assert [hit["ref"] for hit in answer.json["hits"] if hit["ref"].startswith("docs:")] == whole
    assert any(one.startswith("added: ") for one in answer.json["missing"]), answer.json["missing"]
    again = server.get("/search", query="zyzzyva")
    assert again.json["unknown"] == []


def test_while_another_process_rebuilds_answers_say_which_share_is_indexed(tmp_path: Path) -> None:
    many = {f"{number}.md": f"# Page {number}\n\nHigh water: tides of page {number}.\n" for number in range(1500)}
    root = write_tree(tmp_path / "many", {**many, "pinakes.toml": ""})
    with serving(root) as server:
        until(lambda: hits(server, "docs"), "indexed")
        until(lambda: server.get("/status").json.get("is_watched"), "watched")
        started = [sys.executable, "-m", "pinakes", "sync", "--rebuild", "--root", str(root)]
        with subprocess.Popen(
            started, stdout=subprocess.DEVNULL, env={**os.environ, "PINAKES_SYNC_WORKERS": "1"}
        ) as ran:
            while ran.poll() is None:
                answer = server.get("/search", query=QUESTION)
                assert answer.status == 200, answer.body
                assert answer.json["unknown"] == [], answer.body
                assert answer.json["hits"] or any("indexed so far" in one for one in answer.json["missing"]), (
                    answer.body
                )
        assert ran.returncode == 0
        said: list[str] = []
        try:
            until(lambda: not unsettled(server, said), "whole again")
        finally:
            assert said == []
    assert list((root / ".pinakes").glob("set-aside-*")) == []
