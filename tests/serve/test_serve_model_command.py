"""The upgrade as the terminal shows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.errors import ExtraMissing
from pinakes.neural import embedder_name, finer_model

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
try:
    finer_model("auto")
except ExtraMissing:
    pytest.skip("the finer model's weights are not there", allow_module_level=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", {f"{n}.md": f"# Page {n}\n\nTide {n}.\n" for n in range(6)})


def pinakes(root: Path, *arguments: str) -> tuple[str, str]:
    """What it says on stdout and on stderr."""
    environment = {**os.environ, "PINAKES_NEURAL_MODEL": "auto", "XDG_CACHE_HOME": str(root.parent / "cache")}
    command = [sys.executable, "-m", "pinakes", *arguments]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def test_sync_says_what_is_left_and_upgrade_does_it(root: Path) -> None:
    _, said = pinakes(root, "sync", "--root", ".")
    assert said == (
        "pinakes: The vectors of the finer model docs are still to be made: by pinakes model upgrade now, or by serve,"
        " mcp and watch in the background. Until then search goes by the quick model.\n"
    )
    assert pinakes(root, "sync")[1] == ""  # it was told
    pinakes(root, "search", "tide")
    write_tree(root, {"5.md": "# Page 5\n\nTide and ebb.\n"})
    assert pinakes(root, "sync")[1] == ""
    assert pinakes(root, "sync", "--wait")[1].startswith("pinakes: 6 of 6 vectors of the finer model docs are still")
    assert "\nupgrade     docs: 0 of 6 passages, most linked first\n" in pinakes(root, "status")[0]
    assert "static, then docs in the background; docs: 0 of 6 passages" in pinakes(root, "model")[0]
    assert pinakes(root, "model", "upgrade") == ("docs: 6 of 6 passages\n", "")
    assert pinakes(root, "sync")[1] == ""
    assert "upgrade" not in pinakes(root, "status")[0]
    state = json.loads(pinakes(root, "status", "--json")[0])["upgrade"]
    assert state == {"model": "docs", "done": 6, "total": 6, "is_running": False, "problem": "", "seconds_left": 0}
    assert json.loads(pinakes(root, "model", "upgrade", "--json")[0]) == state


def test_an_explained_answer_says_how_much_is_upgraded(root: Path) -> None:
    pinakes(root, "model", "upgrade", "--root", ".")
    write_tree(root, {"5.md": "# Page 5\n\nEbb.\n"})
    told, _ = pinakes(root, "search", "ebb", "--explain")
    assert told.startswith("1. 5.md")
    assert "83% of all passages by the finer model" in told
    assert f" by {embedder_name('static')}" in told.split("\n2. ")[0]
