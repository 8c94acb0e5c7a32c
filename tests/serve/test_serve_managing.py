"""Looking after a library over HTTP: what a client with the token may do, and what even it may not."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from kits.http import PAGES, Server, serving
from kits.trees import write_tree
from pinakes.write_log import read_log


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", PAGES)


@pytest.fixture
def server(root: Path) -> Iterator[Server]:
    with serving(root) as running:
        yield running


def test_a_model_is_selected_in_the_project_and_the_log_says_so(server: Server, root: Path) -> None:
    selected = server.post("/model", {"name": "static"})
    assert (selected.status, selected.json["key"], selected.json["value"]) == (200, "neural.model", "static")
    assert tomllib.loads((root / "pinakes.toml").read_text()) == {"neural": {"model": "static"}}
    newest = read_log(root)[-1]
    assert (newest.door, newest.action, newest.object) == ("http", "model", "neural.model")
    assert server.get("/status").status == 200


def test_a_client_learns_of_no_folder_by_the_name_of_a_model(server: Server, root: Path) -> None:
    with TemporaryDirectory(dir="/tmp") as short:  # sentences cut long names
        folder = Path(short, "secret")
        folder.mkdir()
        for name in ("{}", "onnx:{}", "sentence-transformers:{}", "../{}"):
            for is_reranker in (False, True):
                told = []
                for place in (folder, Path(short, "absent")):
                    answer = server.post("/model", {"name": name.format(place), "reranker": is_reranker})
                    assert answer.status >= 400, answer.body
                    told.append(answer.body.decode().replace(str(place), "…"))
                assert told[0] == told[1]
                assert "a project’s file may not decide that" in told[0]
    assert not (root / "pinakes.toml").exists()
