"""The benchmark of promises runs and measures each of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kits.http import PAGES
from kits.trees import write_tree

pytest.importorskip("fastapi")

HOME = Path(__file__).resolve().parents[2]


@pytest.mark.timeout(300)  # it starts seven servers
def test_every_promise_is_measured_and_nothing_is_left_in_the_folder(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", PAGES)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.promises", str(root), "--rounds", "1"],
        cwd=HOME,
        env={**os.environ, "PINAKES_NEURAL_MODEL": "static"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^\| (.+) \| [\d.,]+ m?s \| [12]\.00 s \| (?:yes|\*\*no\*\*) \|$", done.stdout, re.MULTILINE)
    hostile = [row for row in rows if re.match(r"a hostile question is answered or refused \((?:200|400)\): ", row)]
    assert len(hostile) > 5
    assert rows[len(hostile) :] == [
        "a search beside 200 half-open connections",
        "serve ends when nobody asks",
        "serve ends while 20 streams are open",
        "serve ends while a request hangs",
        "mcp ends when nobody asks",
        "mcp ends while 200 searches wait and nobody reads",
        "mcp ends in the middle of a line",
    ]
    assert sorted(path.name for path in root.iterdir()) == ["README.md", "guide"]
