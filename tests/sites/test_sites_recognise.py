"""Sites are recognised by what their configuration plainly says."""

from __future__ import annotations

import pytest

from pinakes.records.sites import AnchorStyle, Site, Sites
from pinakes.sites import configurations, recognise

_TAGGED = """
site_name: Docs
theme: {name: material, custom: !ENV [THEME, default]}
markdown_extensions:
  - admonition
  - pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji }
  - toc:
      permalink: true
      %s
"""
_IDS = "markup.goldmark.parser.autoHeadingIDType"


@pytest.mark.parametrize(
    ("path", "data", "site"),
    [
        ("mkdocs.yml", "", Site(AnchorStyle.MKDOCS, "docs", "mkdocs.yml", "mkdocs", has_folder_addresses=True)),
        ("a/mkdocs.yaml", "docs_dir: ../b\nuse_directory_urls: false", ("b", "mkdocs")),
        ("mkdocs.yml", "docs_dir: .", ("", "mkdocs")),
        ("mkdocs.yml", "docs_dir: ../elsewhere", None),
        ("mkdocs.yml", "nonsense: [", ("docs", "")),
        ("mkdocs.yml", "INHERIT: base.yml", ("docs", "")),
        ("mkdocs.yml", "markdown_extensions: {toc: {separator: _}}", ("docs", "")),
        ("mkdocs.yml", _TAGGED % "toc_depth: 3", ("docs", "mkdocs")),
        ("mkdocs.yml", _TAGGED % "slugify: !!python/name:pymdownx.slugs.uslugify", ("docs", "pymdownx-lower")),
        (
            "mkdocs.yml",
            _TAGGED % "slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}",
            ("docs", "pymdownx-lower"),
        ),
        (
            "mkdocs.yml",
            _TAGGED % "slugify: !!python/name:markdown.extensions.toc.slugify_unicode",
            ("docs", "mkdocs-unicode"),
        ),
        ("mkdocs.yml", _TAGGED % "slugify: !!python/name:os.system", ("docs", "")),
        ("hugo.toml", "", ("content", "hugo")),
        ("site/hugo.yaml", "contentDir: pages\nuglyURLs: true", ("site/pages", "hugo")),
        ("config.toml", f"baseURL = 'x'\n{_IDS} = 'github-ascii'", ("content", "hugo-ascii")),
        ("config/_default/hugo.toml", f"{_IDS} = 'blackfriday'", ("content", "hugo-blackfriday")),
        ("config.toml", 'port = 1\ntheme = "dark"', None),
        ("hugo.toml", "[markup.goldmark.parser]\nautoHeadingID = false", ("content", "")),
        ("web/docusaurus.config.ts", "export default {}", ("web", "docusaurus")),
        ("docusaurus.config.js", "markdown: {anchors: {maintainCase: true}}", ("", "")),
        ("docs/.vitepress/config.mts", "export default {}", ("docs", "vitepress")),
        (".vitepress/config/index.ts", "markdown: {anchor: {slugify: own}}", ("", "")),
        ("src/config.ts", "export default {}", None),
        ("docs/conf.py", "project = 'x'\nextensions = []", ("docs", "sphinx")),
        ("docs/conf.py", "import os\nSETTING = 1", None),
    ],
)
def test_a_configuration_says_which_folder_and_which_rule(
    path: str, data: str, site: Site | tuple[str, str] | None
) -> None:
    sites = recognise({path: data.encode()} if configurations([path]) else {})
    found = sites.all[0] if sites else None
    assert found is None or found.config == path
    assert (found if isinstance(site, Site) else found and (found.folder, found.rule)) == site


def test_the_innermost_site_of_a_document_decides() -> None:
    sites = recognise({"mkdocs.yml": b"docs_dir: .", "docs/conf.py": b"extensions = []"})
    assert [sites.of(path).style.value for path in ("a.md", "docs/a.md")] == ["mkdocs", "sphinx"]  # type: ignore[union-attr]
    assert Sites.parse(sites.text()) == sites


def test_a_style_that_is_set_leaves_out_the_others_and_needs_no_configuration() -> None:
    files = {"mkdocs.yml": b"docs_dir: pages", "docs/conf.py": b"extensions = []"}
    assert [site.folder for site in recognise(files, "mkdocs").all] == ["pages"]
    assert recognise(files, "hugo").all == (Site(AnchorStyle.HUGO, "", "", "hugo", has_folder_addresses=True),)
    assert recognise(files, "github").all == ()


def test_a_configuration_of_a_stranger_costs_nothing_but_its_rule() -> None:
    deep = b"a: " + b"[" * 50_000
    laughs = b"a: &a [x, x]\n" + b"".join(b"%c: &%c [*%c, *%c]\n" % (c, c, c - 1, c - 1) for c in range(98, 122))
    for data in (deep, laughs, b"\xff\xfe\x00", b"docs_dir: {a: b}\nnav: 3\nmarkdown_extensions: 7"):
        assert [site.folder for site in recognise({"mkdocs.yml": data}).all] == ["docs"]
