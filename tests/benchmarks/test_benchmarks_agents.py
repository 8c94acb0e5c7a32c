"""The benchmark of agents asks a small set through a real client, and prints its tables."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kits.trees import write_tree

pytest.importorskip("mcp")

PROJECT = Path(__file__).resolve().parents[2]
PAGE = "# Auth\n\n## Tokens\n\nTokens expire after thirty minutes, so renew them.\n\n## Keys\n\nKeys never expire.\n"
QUESTIONS = """\
{"id": "1", "query": "when do tokens expire", "relevant": [{"path": "auth.md", "heading": "tokens"}]}
{"id": "2", "query": "xylophone maintenance", "relevant": []}
"""


def test_tokens_right_sections_doubt_and_budgets_are_told(tmp_path: Path) -> None:
    place = write_tree(tmp_path / "set", {"corpus/auth.md": PAGE, "queries.jsonl": QUESTIONS})
    words = ["-m", "benchmarks.agents", str(place), "--calls", "20", "--kept", str(tmp_path / "index")]
    done = subprocess.run([sys.executable, *words], cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()]
    (usual,) = (row for row in rows if row[0] == "default")
    assert usual[4:] == ["1 of 1", "1", "1", "1 of 1", "0 of 1"]
    assert re.fullmatch(r"\d of 2 \([\d,]+\)", usual[3])
    at_random = rows[rows.index(["tool", "calls", "refused", "over budget", "worst"]) + 2 :]
    assert sum(int(row[1]) for row in at_random) == 20
    assert not (place / "corpus/.pinakes").exists()
