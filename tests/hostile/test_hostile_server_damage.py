"""Files of the index damaged under a server that has them open: it stays, notices, says so, and is right again."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from kits.damage import QUESTIONS, WAYS, files_of, laid_out_library
from kits.http import Server, serving

ROUNDS = int(os.environ.get("PINAKES_SERVER_DAMAGES", "12"))
CORPORA = ("docs", "memories", "added")
TRIES = 6
"""Questions until a server must be right again: parts that were mended may each be told once."""


def asked(server: Server) -> tuple[Mapping[str, list[str]], list[str]]:
    """The hits of every corpus, and what the answers were without; a refusal counts as that."""
    found: dict[str, list[str]] = {}
    missing: list[str] = []
    for corpus in CORPORA:
        for question in QUESTIONS:
            answer = server.get("/search", query=question, corpus=corpus)
            if answer.status != 200:
                assert answer.status == 503, answer.body
                assert answer.json["next_step"], answer.body
                missing.append(answer.json["detail"])
                continue
            found[f"{corpus} {question}"] = [hit["ref"] for hit in answer.json["hits"]]
            missing += answer.json["missing"]
    return found, missing


def test_whatever_happens_to_a_file_under_a_server_it_is_right_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINAKES_NEURAL_MODEL", "static")
    root = laid_out_library(tmp_path / "root")
    chance = random.Random(7)
    told = 0
    with serving(root) as server:
        server.post("/remember", {"text": "How storage works: details, word17.", "title": "Storage"})
        server.post("/add", {"text": "# Backup elsewhere\n\nDetails of backup setting_23 and storage.\n"})
        truth, missing = asked(server)
        while missing:
            truth, missing = asked(server)
        for number in range(ROUNDS):
            files = [file for file in files_of(root / ".pinakes") if "added" not in file.relative_to(root).parts[1:2]]
            harmed, way = chance.choice(files), chance.choice(list(WAYS))
            what = f"round {number}: {harmed.relative_to(root)} {way}"
            WAYS[way](harmed, chance, files)
            for _ in range(TRIES):
                found, missing = asked(server)
                told += bool(missing)
                # A part that was lost may leave an answer without it, but not without a word.
                assert found == truth or missing, what
                if found == truth and not missing:
                    break
            assert (found, missing) == (truth, []), what
        assert server.process.poll() is None
        assert not any("Traceback" in line for line in server.said), server.said
    sys.stdout.write(f"{ROUNDS} files damaged under a server; {told} rounds of questions told of it\n")
