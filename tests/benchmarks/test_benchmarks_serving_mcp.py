"""The benchmark of the MCP server starts it, asks it, and prints a line for each figure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kits.mcp import DOCUMENTS
from kits.trees import write_tree

pytest.importorskip("mcp")

PROJECT = Path(__file__).resolve().parents[2]


def test_every_figure_has_its_line(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", DOCUMENTS)
    words = ["-m", "benchmarks.serving_mcp", str(root), "--store", str(tmp_path / "index"), "--starts", "1"]
    done = subprocess.run(
        [sys.executable, *words, "--searches", "5"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert [line[:22].strip() for line in done.stdout.splitlines()] == [
        "start to handshake",
        "start to tools/list",
        "start to first search",
        "tools/list, few",
        "tools/list, full",
        "search round trip",
        "library",
    ]
    assert not (root / ".pinakes").exists()
