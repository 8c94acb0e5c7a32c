"""A workspace over a library: modes, selection, overlay, and the prompt that comes of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.context.modes import ContextMode
from pinakes.errors import ConfigError, NotFound
from pinakes.library import Library, open_library
from pinakes.library.work.modes import why_no_code
from pinakes.library.workspace import Workspace

pytest.importorskip("tree_sitter_python", reason="needs the extra code")

FILES: dict[str, str | bytes] = {
    "docs/a.md": "# Alpha\n\nSee [beta](b.md).\n",
    "docs/b.md": "# Beta\n\nText of beta.\n",
    "docs/plan.svg": '<svg xmlns="http://www.w3.org/2000/svg"><text>Crane</text></svg>',
    "src/load.py": "def load(path):\n    return path\n",
    "pinakes.toml": "[code]\nenabled = true\n",
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    write_tree(tmp_path, FILES)
    with open_library(tmp_path) as opened:
        opened.sync()
        yield opened


def keys(workspace: Workspace) -> set[str]:
    return {one.block.key for one in workspace.context().layout.blocks}


def test_a_workspace_starts_in_code_mode_with_the_map_of_code_and_all_other_names(library: Library) -> None:
    workspace = Workspace(library)
    assert workspace.mode is ContextMode.CODE
    assert keys(workspace) == {"map:src/load.py", "files:", "files:docs"}
    assert "a.md, b.md, plan.svg" in workspace.context().prompt.text()


def test_in_document_mode_the_map_of_documents_replaces_that_of_code(library: Library) -> None:
    workspace = Workspace(library)
    workspace.switch(ContextMode.DOCS)
    assert keys(workspace) == {"map:docs/a.md", "map:docs/b.md", "map:docs/plan.svg", "files:", "files:src"}


def test_outlines_of_drawings_stand_in_document_mode_only(library: Library) -> None:
    workspace = Workspace(library)
    workspace.set_overlay(on=True)
    assert keys(workspace) >= {"map:src/load.py", "map:docs/a.md"}
    assert "map:docs/plan.svg" not in keys(workspace)


def test_a_switch_clears_the_selection_and_the_overlay_and_swaps_prompt_and_snippets(library: Library) -> None:
    workspace = Workspace(library)
    workspace.select(["docs/a.md"])
    workspace.set_overlay(on=True)
    before = workspace.context().prompt.parts[0].text
    switched = workspace.switch(ContextMode.DOCS)
    assert (workspace.selection.paths, workspace.has_overlay) == ((), False)
    assert workspace.context().prompt.parts[0].text != before
    assert switched.message == "Switched to document mode"
    assert "Executive summary" in [one.name for one in switched.snippets.snippets]
    assert workspace.switch(ContextMode.CODE).message == "Switched to code mode"


def test_a_switch_there_and_back_restores_the_prompt_byte_for_byte(library: Library) -> None:
    workspace = Workspace(library)
    workspace.switch(ContextMode.CODE)
    before = workspace.context("And now?").prompt
    workspace.switch(ContextMode.DOCS)
    workspace.switch(ContextMode.CODE)
    assert workspace.context("And now?").prompt == before


def test_looking_at_the_context_counts_as_no_request(library: Library) -> None:
    workspace = Workspace(library)
    workspace.switch(ContextMode.CODE)
    first = workspace.context().layout
    for _ in range(5):
        workspace.context()
    assert workspace.context().layout == first


def test_a_deselected_file_comes_back_as_an_outline_read_anew(library: Library, tmp_path: Path) -> None:
    workspace = Workspace(library)
    workspace.switch(ContextMode.DOCS)
    assert workspace.select(["docs/b.md"]).paths == ("docs/b.md",)
    assert "file:docs/b.md" in keys(workspace) and "map:docs/b.md" not in keys(workspace)
    write_tree(tmp_path, {"docs/b.md": "# Beta\n\n## Cranes\n"})
    workspace.select([])
    assert "Cranes" in workspace.context().prompt.text()


@pytest.mark.parametrize("path", ["gone.md", ".pinakes/seal.json", "../secret.md", "/etc/passwd", ""])
def test_only_listed_files_can_be_selected(library: Library, path: str) -> None:
    with pytest.raises(NotFound):
        Workspace(library).select([path])


def test_without_source_code_documents_are_used_and_code_mode_says_why(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "# A\n"})
    with open_library(tmp_path) as library:
        library.sync()
        workspace = Workspace(library)
        assert workspace.mode is ContextMode.DOCS
        assert "code.enabled" in why_no_code(library)
        with pytest.raises(ConfigError, match="Source code is not read here"):
            workspace.switch(ContextMode.CODE)


def test_with_code_enabled_and_no_code_documents_are_used(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "# A\n", "pinakes.toml": "[code]\nenabled = true\n"})
    with open_library(tmp_path) as library:
        library.sync()
        assert Workspace(library).mode is ContextMode.DOCS
        assert why_no_code(library) == "There is no source code here in a language that is read."
