"""The benchmarks of questions as people type them: hits to judge, doubt, rare and misspelt words."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from benchmarks.rare_words import with_slip

from kits.trees import write_tree
from pinakes.words.fields import FIELDS

PROJECT = Path(__file__).resolve().parents[2]
PAGES = {
    "corpus/auth.md": "# Authentication\n\nTokens expire after thirty minutes; renew them by hand.\n",
    "corpus/deploy.md": "# Deployment\n\nContainers are started by the orchestrator, which restarts them.\n",
    "queries.jsonl": '{"id": "1", "query": "when do tokens expire", "relevant": [{"path": "auth.md"}]}\n'
    '{"id": "2", "query": "xylophone maintenance", "relevant": []}\n',
    "asked.md": "| question | verdict |\n|---|---|\n| renew tokens | good |\n| orchestrator | good |\n",
}


def run(*words: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *map(str, words)], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_question_of_a_table_is_printed_with_its_hits(tmp_path: Path) -> None:
    place = write_tree(tmp_path / "set", PAGES)
    shown = run("benchmarks.asked", place / "asked.md", place / "corpus", "--rows", "2-2", "--kept", tmp_path / "kept")
    assert shown.startswith("### 1. orchestrator\n")
    assert "1. deploy.md:1-3  Deployment" in shown
    assert not (place / "corpus/.pinakes").exists()


def test_doubt_is_counted_for_questions_with_and_without_an_answer(tmp_path: Path) -> None:
    place = write_tree(tmp_path / "set", PAGES)
    shown = run("benchmarks.asked", "--sets", place, "--kept", tmp_path / "kept")
    assert "| set | shown today | 1 of 1 | 0 of 1 |" in shown


def test_rare_misspelt_and_typed_words_have_their_tables(tmp_path: Path) -> None:
    place = write_tree(tmp_path / "set", PAGES)
    words = ("benchmarks.rare_words", place / "corpus", "--set", place, "--words", 3, "--typed", 3)
    shown = run(*words, "--kept", tmp_path / "kept")
    rows = [line.split(" | ")[0] for line in shown.splitlines()]
    assert [row for row in rows if row.startswith(("| in 1", "| in 2"))] == [
        "| in 1, alone",
        "| in 1, beside two frequent words",
        "| in 2 to 10, alone",
        "| in 2 to 10, beside two frequent words",
    ]
    assert {"| 2 words of titles", "| 3 words of texts", "| as written", "| one slip each, draft 3"} <= set(rows)


def test_every_field_has_a_row_of_weights(tmp_path: Path) -> None:
    tagged = PAGES["corpus/auth.md"].replace("# Auth", "---\ntags: [login]\n---\n# Auth")
    place = write_tree(tmp_path / "set", {**PAGES, "corpus/auth.md": tagged})
    shown = run("benchmarks.fields", "--sets", place, "--kept", tmp_path / "kept")
    rows = [line.partition(",")[0].partition(" now")[0] for line in shown.splitlines() if " now " in line]
    assert rows == [f"| {name}" for name in ("all", *FIELDS)]


def test_questions_as_people_type_them_are_judged_by_what_an_answer_must_hold(tmp_path: Path) -> None:
    place = write_tree(tmp_path / "caddy", {"auth.md": "# basic_auth\n\nA middleware that asks for a password hash.\n"})
    shown = run("benchmarks.asked", "--typed", f"caddy={place}", "--kept", tmp_path / "kept")
    _, _, verdict = shown.partition("### basic auth middelware password hash\n\n")
    assert verdict.startswith("good\n\n```\n1. auth.md:1-3  basic_auth")
    *_, counts = shown.splitlines()
    assert sum(int(one.split()[1]) for one in counts.split(", ")) == 17


def test_a_slip_changes_one_word_by_one_letter_and_leaves_short_ones_alone() -> None:
    chance = random.Random(1)
    for _ in range(200):
        short, long = with_slip("when authentication", chance).split()
        assert short == "when"
        assert long != "authentication"
        assert abs(len(long) - len("authentication")) <= 1
    assert with_slip("how to do it", chance) == "how to do it"
