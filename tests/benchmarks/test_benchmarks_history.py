"""The benchmark of history runs on a small generated repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from kits.git import needs_git

HOME = Path(__file__).resolve().parents[2]


@needs_git
def test_a_small_repository_gives_a_row_for_every_step(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.history", "--commits", "60", "--kept", str(tmp_path), "--vectors"]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    rows = [line.split("|")[1].strip() for line in done.stdout.splitlines()]
    assert rows == [
        "git alone: every difference",
        "first sync",
        "words on top",
        "static vectors on top",
        "sync, nothing new",
        "sync, one commit more",
        "words of that",
    ]
    assert (tmp_path / "repository-60").is_dir()
