"""Settings that change under a running server are used from the next question on; those that are not valid are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.http import PAGES, Server, serving
from kits.trees import write_tree
from kits.waiting import until


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", {**PAGES, "pinakes.toml": ""})


@pytest.fixture(params=["--watch", "--no-watch"])
def server(root: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    with serving(root, options=(request.param,)) as running:
        until(lambda: paths(running), "indexed")
        yield running


def paths(server: Server, question: str = "tides") -> set[str]:
    answer = server.get("/search", query=question)
    assert answer.status == 200, answer.body
    return {hit["path"] for hit in answer.json["hits"]}


def test_a_changed_setting_is_used_at_the_next_question(root: Path, server: Server) -> None:
    assert "guide/tides.md" in paths(server)
    write_tree(root, {"pinakes.toml": '[sources]\nexclude = ["guide/tides.md"]\n'})
    assert "guide/tides.md" not in paths(server)
    write_tree(root, {"pinakes.toml": ""})
    assert "guide/tides.md" in paths(server)
    write_tree(root, {"guide/ebb.md": "# Ebb\n\nThe ebb, and the tides.\n"})  # and it is watched as before
    until(lambda: "guide/ebb.md" in paths(server, "ebb"), "seen")


def test_settings_that_are_not_valid_are_not_used_and_the_answer_says_why(root: Path, server: Server) -> None:
    whole = paths(server)
    write_tree(root, {"pinakes.toml": "[sources]\nexclud = []\n"})
    for _ in range(2):
        answer = server.get("/search", query="tides").json
        assert {hit["path"] for hit in answer["hits"]} == whole
        assert any("not used" in one and "exclud" in one for one in answer["missing"]), answer["missing"]
    until(lambda: any("not used" in line for line in server.said), "the log says so")
    write_tree(root, {"pinakes.toml": "# valid again\n"})
    assert server.get("/search", query="tides").json["missing"] == []


def test_changed_synonyms_are_used_at_the_next_question(root: Path, server: Server) -> None:
    assert "guide/cranes.md" not in paths(server, "hoist")
    write_tree(root, {"synonyms.toml": 'same = [["hoist", "crane"]]\n'})
    assert "guide/cranes.md" in paths(server, "hoist")
