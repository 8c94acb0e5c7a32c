"""Further roots: how they are named, and what a project may not name."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.config import further_roots, load_config
from pinakes.errors import ConfigError


def test_a_user_names_a_folder_beside_the_root(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "here", {"a.md": "# A"})
    other = write_tree(tmp_path / "api", {"b.md": "# B"})
    config = load_config(root, {"roots.more": ["api=../api"]}, {})
    assert further_roots(config) == {"docs@api": other}


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("api", "is not a root"),
        ("=x", "is not a root"),
        ("API=x", "is not a root"),
        ("api=nowhere", "is not a folder"),
        ("api=a.md", "is not a folder"),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused_with_the_way_to_write_it(tmp_path: Path, wish: str, said: str) -> None:
    root = write_tree(tmp_path, {"a.md": "# A"})
    with pytest.raises(ConfigError, match=said):
        further_roots(load_config(root, {"roots.more": [wish]}, {}))


def test_two_roots_of_one_name_are_refused(tmp_path: Path) -> None:
    write_tree(tmp_path, {"x/a.md": "# A", "y/a.md": "# A"})
    with pytest.raises(ConfigError, match="two roots are called “api”"):
        further_roots(load_config(tmp_path, {"roots.more": ["api=x", "api=y"]}, {}))


def test_a_project_may_name_a_folder_inside_itself_but_no_link_that_leads_out(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "project", {"pinakes.toml": '[roots]\nmore = ["api=sub"]', "sub/a.md": "# A"})
    assert further_roots(load_config(root, {}, {})) == {"docs@api": root / "sub"}
    secret = write_tree(tmp_path / "secret", {"key.md": "# Key"})
    (root / "pinakes.toml").write_text('[roots]\nmore = ["api=way"]')
    (root / "way").symlink_to(secret)
    with pytest.raises(ConfigError, match="a project’s file may not decide that"):
        further_roots(load_config(root, {}, {}))
