"""Links that come beside a running workspace or editor: nothing outside of the root is read out or changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kits.hostile import SECRET
from kits.lsp import editing
from kits.planted import PLANTED, link, state, undo, victim_beside
from kits.trees import write_tree
from kits.work import Working, working


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    return victim_beside(tmp_path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "repo", {"a.md": "# Harbour\n\nHigh water comes twice a day.\n"})


def _ask_workspace(working: Working) -> list[str]:
    """What a workspace answers about files of ours and of the root; what was refused counts, too."""
    server = working.server
    answers = [
        server.get("/work/state"),
        server.get("/work/files"),
        server.get("/work/grep", q=SECRET),
        server.get("/work/file", path="a.md"),
        server.get("/work/file", path=".pinakes/library.db"),
        server.post("/work/selection", {"paths": ["a.md"]}),
        server.get("/work/context"),
        server.get("/work/sessions"),
        server.post("/work/sessions", {}),
        server.post("/work/ask", {"question": "When is high water?"}),
        server.post("/work/edits/undo", {}),
        server.get("/search", query="harbour"),
    ]
    assert [answer.body for answer in answers if answer.status == 500] == []
    return [answer.body.decode() for answer in answers]


def _sessions(root: Path, victim: Path) -> None:
    link(root / ".pinakes" / "sessions", victim)


def _edits(root: Path, victim: Path) -> None:
    link(root / ".pinakes" / "edits", victim)


def test_links_that_come_beside_a_workspace_are_refused(root: Path, victim: Path, new_user: Path) -> None:
    with working(root) as work:
        _ask_workspace(work)
        before = state(victim)
        for plant in (*PLANTED, _sessions, _edits):
            plant(root, victim)
            said = "".join(_ask_workspace(work))
            assert state(victim) == before, plant
            assert f"{SECRET} " not in said, plant
            undo(root)
            assert "High water" in work.server.get("/search", query="harbour").body.decode(), plant
        assert state(victim) == before
        assert work.server.process.poll() is None


def test_links_that_come_beside_an_editor_are_refused(root: Path, victim: Path, new_user: Path) -> None:
    text = "# Harbour\n\nHigh water comes twice a day. See [tides](b.md).\n"
    (root / "a.md").write_text(text)
    (root / "b.md").write_text("# Tides\n")
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "a.md")
        assert client.ask("textDocument/definition", client.at(uri, "b.md"))
        before = state(victim)
        for number, plant in enumerate(PLANTED):
            plant(root, victim)
            client.change(uri, f"{text}\nChange {number}.\n")
            said = [
                client.answer("textDocument/definition", client.at(uri, "b.md")),
                client.answer("textDocument/hover", client.at(uri, "b.md")),
                client.answer("workspace/symbol", {"query": "Tides"}),
                client.answer("textDocument/documentSymbol", {"textDocument": {"uri": uri}}),
            ]
            client.save(uri, root / "a.md")
            assert state(victim) == before, plant
            assert f"{SECRET} " not in json.dumps(said), plant
            undo(root)
        assert client.end() == 0
        assert state(victim) == before
