"""Workspaces under test keep to the static vectors, as all servers under test do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.trees import write_tree
from kits.work import FILES, Working, working


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with documents, a drawing and source code."""
    pytest.importorskip("tree_sitter_python", reason="needs the extra code")
    pytest.importorskip("openai", reason="needs the extra work")
    root = tmp_path_factory.mktemp("work") / "harbour"
    write_tree(root, dict(FILES))
    return root


@pytest.fixture(scope="module")
def work(repository: Path) -> Iterator[Working]:
    """A workspace that all tests of a module share; each begins a session, in code mode, with nothing selected."""
    with working(repository) as found:
        yield found


@pytest.fixture(autouse=True)
def fresh(request: pytest.FixtureRequest) -> None:
    """Put the shared workspace back to its beginning."""
    if "work" in request.fixturenames:
        found: Working = request.getfixturevalue("work")
        found.post("sessions")
        if found.get("state")["mode"] == "docs":
            found.post("mode", mode="code")
        found.post("selection", paths=[])
        found.post("overlay", on=False)
        found.post("sessions")
        found.provider.asked.clear()
