"""The context of a library: the map of a mode, selected files in full, two trackers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.context.modes import ContextMode
from pinakes.errors import ConfigError, NotFound
from pinakes.library import Library, open_library
from pinakes.library.context import ContextTrackers
from pinakes.records.context import Tier

FILES: dict[str, str | bytes] = {
    "docs/a.md": "# Alpha\n\nSee [beta](b.md).\n",
    "docs/b.md": "# Beta\n\nText of beta.\n",
    "docs/logo.bin": b"\0\1",
    "notes.txt.bak": "old",
    ".hidden/secret.md": "# Secret\n",
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    write_tree(tmp_path, FILES)
    with open_library(tmp_path) as opened:
        opened.sync()
        yield opened


def keys(trackers: ContextTrackers, *select: str) -> set[str]:
    return {one.block.key for one in trackers.update(ContextMode.DOCS, select).layout.blocks}


def test_a_selected_file_stands_in_full_and_not_also_as_an_outline(library: Library) -> None:
    trackers = ContextTrackers(library)
    assert keys(trackers) == {"map:docs/a.md", "map:docs/b.md", "files:docs", "files:"}
    assert keys(trackers, "docs/a.md") == {"file:docs/a.md", "map:docs/b.md", "files:docs", "files:"}
    assert "See [beta](b.md)." in trackers.update(ContextMode.DOCS, ["docs/a.md"]).prompt.text()
    assert keys(trackers) == {"map:docs/a.md", "map:docs/b.md", "files:docs", "files:"}


def test_a_corrected_typo_changes_no_byte_of_the_map(library: Library, tmp_path: Path) -> None:
    trackers = ContextTrackers(library)
    before = trackers.update(ContextMode.DOCS).prompt.text()
    write_tree(tmp_path, {"docs/b.md": "# Beta\n\nText of betas.\n\nAnd more.\n"})
    library.sync()
    assert trackers.update(ContextMode.DOCS).prompt.text() == before
    write_tree(tmp_path, {"docs/b.md": "# Beta\n\n## New\n"})
    library.sync()
    changed = trackers.update(ContextMode.DOCS)
    assert "## New" in changed.prompt.text()
    tiers = {one.block.key: one.tier for one in changed.layout.blocks}
    assert tiers["map:docs/b.md"] is Tier.ACTIVE < tiers["map:docs/a.md"]


def test_the_map_of_one_file_is_its_part_of_the_whole_map(library: Library) -> None:
    whole = {one.id: one.structure for one in library.map().blocks}
    (alone,) = library.map("docs/b.md").blocks
    assert (alone.id, alone.structure) == ("docs/b.md", whole["docs/b.md"])
    assert set(whole) == {"docs/a.md", "docs/b.md"}


def test_a_switch_there_and_back_restores_the_prompt(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter_python", reason="needs the extra code")
    write_tree(tmp_path, {**FILES, "src/x.py": "def load(): ...\n", "pinakes.toml": "[code]\nenabled = true\n"})
    with open_library(tmp_path) as library:
        library.sync()
        trackers = ContextTrackers(library)
        before = trackers.update(ContextMode.DOCS).prompt.text()
        assert "f load()" in trackers.update(ContextMode.CODE).prompt.text()
        assert trackers.update(ContextMode.DOCS).prompt.text() == before


@pytest.mark.parametrize("path", ["../x.md", "/etc/passwd", ".hidden/secret.md", "gone.md", "docs", "link.md", ""])
def test_what_is_not_listed_cannot_be_selected(library: Library, tmp_path: Path, path: str) -> None:
    os.symlink("/etc/passwd", tmp_path / "link.md")
    library.sync()
    with pytest.raises(NotFound):
        ContextTrackers(library).update(ContextMode.DOCS, [path])


def test_what_is_no_text_cannot_be_selected(library: Library) -> None:
    with pytest.raises(ConfigError, match="is no text"):
        ContextTrackers(library).update(ContextMode.DOCS, ["docs/logo.bin"])


def test_the_mode_of_code_needs_an_index_of_code(library: Library) -> None:
    with pytest.raises(ConfigError, match=r"code\.enabled"):
        ContextTrackers(library).update(ContextMode.CODE)


def test_first_outlines_are_settled_and_selected_files_are_not(library: Library) -> None:
    layout = ContextTrackers(library, cache_target=0).update(ContextMode.DOCS, ["docs/a.md"]).layout
    tiers = {one.block.key: one.tier for one in layout.blocks}
    assert tiers["file:docs/a.md"] is Tier.ACTIVE
    assert tiers["map:docs/b.md"] > Tier.ACTIVE
