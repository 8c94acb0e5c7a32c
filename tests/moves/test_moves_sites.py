"""Links to pages of sites, which start where their page is published."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree

MKDOCS = {"mkdocs.yml": "site_name: x\n", "docs/g/auth.md": "# Auth\n", "docs/g/p.png": "x"}
HUGO = {"hugo.toml": "baseURL = 'x'\n", "content/g/auth.md": "# Auth\n"}
DOCUSAURUS = {
    "docusaurus.config.js": "module.exports = {}\n",
    "docs/intro.md": "# Intro\n",
    "docs/01-first.md": "# F\n",
}


@pytest.mark.parametrize(
    ("site", "old", "new", "before", "after"),
    [
        (MKDOCS, "docs/g/tok.md", "docs/tok.md", "[a](../auth/)", "[a](../g/auth/)"),
        (MKDOCS, "docs/g/tok.md", "docs/g/index.md", "[a](../auth/)", "[a](auth/)"),
        (MKDOCS, "docs/g/index.md", "docs/g/tok.md", "[a](auth/)", "[a](../auth/)"),
        (MKDOCS, "docs/g/tok.md", "docs/tok.md", "[a](auth.md) ![p](p.png)", "[a](g/auth.md) ![p](g/p.png)"),
        (MKDOCS, "docs/g/tok.md", "docs/tok.md", '<img src="../p.png">', '<img src="../g/p.png">'),
        (HUGO, "content/g/tok.md", "content/tok.md", "[a](../auth/)", "[a](../g/auth/)"),
        (DOCUSAURUS, "docs/tok.md", "docs/sub/tok.md", "[a](intro)", "[a](../intro)"),
        (DOCUSAURUS, "docs/tok.md", "docs/sub/tok.md", "[a](first)", "[a](../first)"),
    ],
)
def test_a_link_starts_at_its_page(
    tmp_path: Path, site: dict[str, str], old: str, new: str, before: str, after: str
) -> None:
    with pinakes.open(write_tree(tmp_path, {**site, old: before})) as library:
        plan = library.plan_move(old, new)
        library.apply(plan)
        assert ((tmp_path / new).read_text(), plan.notes) == (after, ())


@pytest.mark.parametrize(
    ("site", "page", "moved", "links"),
    [
        (MKDOCS, "docs/g/tok.md", ("docs/g/auth.md", "docs/auth.md"), ("[a](../auth/)", "[a](../../auth/)")),
        (DOCUSAURUS, "docs/sub/tok.md", ("docs/intro.md", "docs/sub/intro.md"), ("[a](../intro)", "[a](intro)")),
    ],
)
def test_a_link_to_a_page_that_moves(
    tmp_path: Path, site: dict[str, str], page: str, moved: tuple[str, str], links: tuple[str, str]
) -> None:
    with pinakes.open(write_tree(tmp_path, {**site, page: links[0]})) as library:
        plan = library.plan_move(*moved)
        library.apply(plan)
        assert ((tmp_path / page).read_text(), plan.notes) == (links[1], ())
