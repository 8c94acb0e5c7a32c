"""A server whose passages get finer vectors while it answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kits.http import Server, serving
from kits.trees import write_tree
from pinakes.errors import ExtraMissing
from pinakes.neural import finer_model
from pinakes.vectors.stepwise import STEP

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
pytest.importorskip("starlette", reason="the extra serve is not installed")
try:
    finer_model("auto")
except ExtraMissing:
    pytest.skip("the finer model's weights are not there", allow_module_level=True)

MANY = STEP + 1
"""Two steps."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PINAKES_NEURAL_MODEL", "auto")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return write_tree(tmp_path / "docs", {f"{n}.md": f"# Page {n}\n\nTide {n}.\n" for n in range(MANY)})


def upgrade(server: Server) -> dict[str, Any]:
    found = server.get("/status").json["upgrade"]
    assert isinstance(found, dict)
    return found


def test_it_answers_on_the_way_and_says_how_far_it_is(root: Path) -> None:
    seen: set[int] = set()
    with serving(root) as server:
        while MANY not in seen:
            hits = server.get("/search?query=tide+7&limit=3").json
            assert hits["hits"]
            assert hits["missing"] == []
            found = upgrade(server)
            assert found["problem"] == ""
            seen.add(found["done"])
            told = server.get("/in/docs/progress.json").json["upgrade"]
            assert told is None or (told["model"], told["total"]) == ("docs", MANY)
            page = server.get("/in/docs/files").body.decode()
            assert ("data-upgrade" in page) == (f"of {MANY} passages, most linked first" in page)
        assert server.get("/in/docs/progress.json").json["upgrade"] is None
        assert b"data-upgrade" not in server.get("/in/docs/files").body
    assert len(seen) > 1


def test_a_server_that_is_killed_goes_on_where_it_was(root: Path) -> None:
    with serving(root) as server:
        server.get("/search?query=tide")
        while upgrade(server)["done"] < STEP:
            server.get("/health")
        server.process.kill()
        server.process.wait()
    with serving(root) as server:
        assert upgrade(server)["done"] >= STEP
