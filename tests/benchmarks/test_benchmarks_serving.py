"""The benchmark of serving runs, and reports no error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from kits.http import PAGES
from kits.trees import write_tree

HOME = Path(__file__).resolve().parents[2]


def test_a_few_clients_for_a_moment_give_a_table_without_errors(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", PAGES)
    command = [
        sys.executable,
        "-m",
        "benchmarks.serving",
        str(root),
        "--seconds",
        "2",
        "--clients",
        "3",
        "--pause",
        "0.1",
    ]
    done = subprocess.run([*command, "--touch"], cwd=HOME, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "| errors | 0 |" in done.stdout
    assert sorted(path.name for path in root.glob("*.md")) == ["README.md"]
