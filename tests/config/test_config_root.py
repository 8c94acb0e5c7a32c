"""Which folder is the project when one stands somewhere inside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.config import find_root


@pytest.mark.parametrize(
    "marker",
    [
        {"pinakes.toml": ""},
        {".pinakes/index.db": ""},
        {".git/HEAD": ""},
        {".git": "gitdir: elsewhere"},
        {"pyproject.toml": "[project]\n\n[tool.pinakes.map]\n"},
        {"pyproject.toml": "\n [ tool . 'pinakes' ]\n"},
    ],
)
def test_the_root_is_the_nearest_folder_with_a_marker(tmp_path: Path, marker: dict[str, str | bytes]) -> None:
    write_tree(tmp_path / "outer", {"pinakes.toml": ""})
    root = write_tree(tmp_path / "outer/project", {**marker, "docs/deep/a.md": "# A"})
    assert find_root(root / "docs/deep") == root
    assert find_root(root / "docs/deep/a.md") == root
    assert find_root(root) == root


@pytest.mark.parametrize(
    "no_marker",
    [
        {".pinakes": "a file of that name"},
        {"pyproject.toml": "[tool.pinakesque]"},
        {"pyproject.toml": "# [tool.pinakes]"},
        {"pyproject.toml": b"\xff"},
    ],
)
def test_what_only_looks_like_a_marker_does_not_count(tmp_path: Path, no_marker: dict[str, str | bytes]) -> None:
    write_tree(tmp_path, {"pinakes.toml": ""})
    write_tree(tmp_path / "inner", no_marker)
    assert find_root(tmp_path / "inner") == tmp_path


def test_a_folder_reached_through_a_link_belongs_to_the_project_it_lies_in(tmp_path: Path) -> None:
    write_tree(tmp_path, {"project/pinakes.toml": "", "project/docs/a.md": ""})
    (tmp_path / "shortcut").symlink_to(tmp_path / "project/docs")
    assert find_root(tmp_path / "shortcut") == tmp_path / "project"


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can give files away")
def test_a_marker_left_by_another_user_does_not_count(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pinakes.toml": "", "mine/a.md": ""})
    os.chown(tmp_path / "pinakes.toml", 12345, 12345)
    assert find_root(tmp_path / "mine") != tmp_path
    os.chown(tmp_path / "mine", 12345, 12345)  # a checkout that belongs to one user as a whole
    assert find_root(tmp_path / "mine") == tmp_path
