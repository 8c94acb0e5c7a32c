"""Sites as a user meets them: real folders, real configuration files, what `check` and `status` say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.moves.plan import move, rename
from pinakes.records import DOCS, Ref
from pinakes.records.moves import MovePlan

AUTH = "# Auth\n\n## Questions & answers\n\n## Usage\n\n## Usage\n\n## Chosen {#own-id}\n"


def _found(root: Path, files: Mapping[str, str], anchors: str = "auto") -> list[str]:
    write_tree(root, files)
    with pinakes.open(root, {"check.anchors": anchors}) as library:
        library.sync()
        return [
            f"{one.ref.path}:{one.line} {one.code.value} {one.message} [{one.suggestion}]" for one in library.check()
        ]


def _targets(root: Path, path: str) -> list[str]:
    with pinakes.open(root) as library:
        return [
            str(edge.to).removeprefix("docs:") if edge.to else edge.outcome.value
            for edge in library.links(path).outgoing
        ]


def test_mkdocs(tmp_path: Path) -> None:
    links = ["guide/auth.md#questions-answers", "guide/auth.md#usage_1", "guide/auth/#own-id", "/guide/auth.html"]
    files = {
        "mkdocs.yml": "nav: [index.md, {Guide: [{Auth: guide/auth.md}]}]\nextra: !ENV X\n",
        "docs/index.md": "# Home\n\n" + " ".join(f"[x]({target})" for target in links) + "\n",
        "docs/guide/auth.md": f"{AUTH}\n[x](../tokens/#life) [x](../) [x](../../) [x](tokens.md)\n",
        "docs/guide/tokens.md": "# Tokens\n\n## Life\n",
        "docs/guide/index.md": "# Guide\n",
        "docs/lost.md": "# Lost\n",
    }
    assert _found(tmp_path, files) == ["docs/lost.md:1 orphan no other document links here []"]
    assert _targets(tmp_path, "docs/index.md") == [
        "docs/guide/auth.md#questions--answers",
        "docs/guide/auth.md#usage-1",
        "docs/guide/auth.md#chosen",
        "docs/guide/auth.md",
    ]
    assert _targets(tmp_path, "docs/guide/auth.md") == [
        "docs/guide/tokens.md#life",
        "docs/guide/index.md",
        "docs/index.md",
        "docs/guide/tokens.md",
    ]
    more = {
        "docs/lost.md": "# Lost\n\n[x](guide/auth.md#questions--answers) [y](guide/auth.md#usages)\n",
        "mkdocs.yml": "",
    }
    assert _found(tmp_path, {**more, "README.md": "# R\n\n[x](docs/guide/auth.md#questions--answers)\n"}) == [
        "docs/lost.md:3 broken-anchor “guide/auth.md#questions--answers”: MkDocs (mkdocs.yml) calls that section of "
        "docs/guide/auth.md questions-answers [guide/auth.md#questions-answers]",
        "docs/lost.md:3 broken-anchor “guide/auth.md#usages”: docs/guide/auth.md has no such section by the rules of "
        "MkDocs (mkdocs.yml) [guide/auth.md#usage]",
    ]
    with pinakes.open(tmp_path) as library:
        assert library.status().anchors == "mkdocs in docs/ (by mkdocs.yml)"


def test_a_link_from_outside_the_site_is_judged_by_github(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "site_name: X\n",
        "docs/index.md": "# Home\n\n[x](auth.md#questions-answers)\n",
        "docs/auth.md": '# Auth\n\n## Questions & answers\n\n<a id="written"></a>\n\n## Plain\n',
        "README.md": "# R\n\n"
        "[x](docs/auth.md#questions-answers) [y](docs/auth.md#questions--answers) [z](docs/auth.md#written)\n"
        "[p](docs/auth.md#plain) [h](docs/index.md)\n",
    }
    assert _found(tmp_path, files) == [
        "README.md:3 broken-anchor “docs/auth.md#questions-answers”: GitHub, where README.md is read, calls that "
        "section of docs/auth.md questions--answers [docs/auth.md#questions--answers]"
    ]


def test_hugo(tmp_path: Path) -> None:
    links = [
        '{{< relref "guide/auth.md#questions--answers" >}}',
        '{{% ref "auth" %}}',
        '{{< ref "/guide/auth.md" >}}#usage-1',
        "/guide/auth/",
        "/old/place/",
        "/about-us/",
    ]
    files = {
        "hugo.toml": 'baseURL = "https://example.org/"\n',
        "content/_index.md": "# Home\n\n" + " ".join(f"[x]({target})" for target in links) + "\n",
        "content/guide/_index.md": "# Guide\n",
        "content/guide/auth.md": f"---\naliases: [/old/place/]\n---\n{AUTH}\n[x](../short/#life)\n",
        "content/guide/tokens.md": "---\nslug: short\n---\n# Tokens\n\n## Life\n",
        "content/guide/unlinked.md": "# Listed by its section\n",
        "content/about.md": "---\nurl: /about-us/\n---\n# About\n",
        "README.md": '# R\n\n[x]({{< relref "nowhere.md" >}})\n',
    }
    assert _found(tmp_path, files) == ['README.md:3 broken-link “{{< relref "nowhere.md" >}}” does not exist []']
    assert _targets(tmp_path, "content/_index.md") == [
        "content/guide/auth.md#questions--answers",
        "content/guide/auth.md",
        "content/guide/auth.md#usage-1",
        "content/guide/auth.md",
        "content/guide/auth.md",
        "content/about.md",
    ]
    assert _targets(tmp_path, "content/guide/auth.md") == ["content/guide/tokens.md#life"]


def test_docusaurus(tmp_path: Path) -> None:
    links = ["/docs/start", "/docs/guide/first#usage-1", "./renamed", "/blog/welcome", "02-guide/01-first.md"]
    files = {
        "web/docusaurus.config.js": "module.exports = {};\n",
        "web/sidebars.js": "module.exports = {a: [{type: 'autogenerated', dirName: '02-guide'}, 'by-name']};\n",
        "web/docs/intro.md": "# Intro\n\n" + " ".join(f"[x]({target})" for target in links) + "\n",
        "web/docs/README.md": "# Docs\n\n[x](intro.md)\n",
        "web/docs/02-guide/01-first.md": AUTH,
        "web/docs/02-guide/unlinked.md": "# Listed\n",
        "web/docs/by-name.md": "# Listed\n",
        "web/docs/lost.md": "# Lost\n",
        "web/docs/old.md": "---\nid: renamed\n---\n# Old\n",
        "web/docs/deep/place.md": "---\nslug: /start\n---\n# Start\n",
        "web/blog/2024-01-02-welcome.md": "# Welcome\n",
        "web/blog/2024-01-03-unlinked.md": "# Listed\n",
    }
    assert _found(tmp_path, files) == ["web/docs/lost.md:1 orphan no other document links here []"]
    assert _targets(tmp_path, "web/docs/intro.md") == [
        "web/docs/deep/place.md",
        "web/docs/02-guide/01-first.md#usage-1",
        "web/docs/old.md",
        "web/blog/2024-01-02-welcome.md",
        "web/docs/02-guide/01-first.md",
    ]


def test_vitepress(tmp_path: Path) -> None:
    files = {
        "docs/.vitepress/config.ts": "export default {themeConfig: {sidebar: [{text: 'A', link: '/guide/listed'}]}};\n",
        "docs/index.md": "# Home\n\n[x](./guide/auth#questions-answers) [x](/guide/auth.html#usage-1) [x](/guide/)\n",
        "docs/guide/index.md": "# Guide\n\n[x](auth#questions--answers)\n",
        "docs/guide/auth.md": AUTH,
        "docs/guide/listed.md": "# Listed\n",
        "docs/guide/lost.md": "# Lost\n",
    }
    assert _found(tmp_path, files) == [
        "docs/guide/index.md:3 broken-anchor “auth#questions--answers”: VitePress (docs/.vitepress/config.ts) calls "
        "that section of docs/guide/auth.md questions-answers [auth#questions-answers]",
        "docs/guide/lost.md:1 orphan no other document links here []",
    ]


def test_sphinx(tmp_path: Path) -> None:
    tree = ".. toctree::\n   :maxdepth: 2\n\n   intro\n   The guide <guide/auth>\n   plain\n"
    files = {
        "docs/conf.py": "project = 'X'\nextensions = ['myst_parser']\n",
        "docs/index.rst": f"Home\n====\n\n{tree}\n.. toctree::\n   :glob:\n\n   api/*\n\n:doc:`guide/auth`\n",
        "docs/intro.md": "# Intro\n\n[x](guide/auth.md#the-label) [x](guide/auth.md#questions-answers)\n"
        "[x](plain.rst#a-label)\n\n"
        "```{toctree}\nmore\nother\n```\n",
        "docs/guide/auth.md": AUTH.replace("## Questions", "(the-label)=\n## Questions"),
        "docs/plain.rst": "Plain\n=====\n\n.. _a-label:\n\nPart\n----\n",
        "docs/more.md": "# More\n",
        "docs/other.rst": "Other\n=====\n",
        "docs/api/one.md": "# One\n",
        "docs/api/two.rst": "Two\n===\n",
        "docs/lost.md": "# Lost\n",
    }
    assert _found(tmp_path, files) == ["docs/lost.md:1 orphan no other document links here []"]
    assert _targets(tmp_path, "docs/intro.md") == [
        "docs/guide/auth.md#questions--answers",
        "docs/guide/auth.md#questions--answers",
        "docs/plain.rst#part",
        "docs/more.md",
        "docs/other.rst",
    ]


def test_labels_of_sphinx_are_known_to_all_documents_and_names_of_code_to_nobody(tmp_path: Path) -> None:
    files = {
        "conf.py": "extensions = []\n",
        "index.md": "# Home\n\n[x](how-it-works) [x](a-label) [x](attrs.frozen) [x](nowhere.md) [x](code)\n",
        "code.rst": "Code\n====\n\n.. _a-label:\n\nPart\n----\n\n.. toctree::\n\n   This <self>\n   genindex\n",
        "how.md": "# How\n\n## Other\n\n(how-it-works)=\n## It works\n",
    }
    assert _found(tmp_path, files) == ["index.md:3 broken-link “nowhere.md” does not exist []"]
    assert _targets(tmp_path, "index.md") == ["how.md#it-works", "code.rst#part", "external", "missing", "code.rst"]


@pytest.mark.parametrize(("setting", "errors"), [("auto", 1), ("github", 1), ("vitepress", 0)])
def test_the_setting_decides_and_changing_it_reads_everything_again(tmp_path: Path, setting: str, errors: int) -> None:
    files = {"a.md": "# A\n\n## Q & A\n\n[x](b.md#q-a)\n", "b.md": "# B\n\n## Q & A\n\n[x](a.md)\n"}
    _found(tmp_path, files, "vitepress" if errors else "auto")
    assert len(_found(tmp_path, {}, setting)) == errors


def test_a_configuration_that_comes_and_goes_changes_what_links_find(tmp_path: Path) -> None:
    files = {"docs/a.md": "# A\n\n## Q & A\n\n[x](b.md#q-a)\n", "docs/b.md": "# B\n\n## Q & A\n\n[x](a.md)\n"}
    write_tree(tmp_path, files)
    with pinakes.open(tmp_path) as library:
        library.sync()
        corpus = library.corpus()
        assert [one.code.value for one in library.check()] == ["broken-anchor"]
        write_tree(tmp_path, {"mkdocs.yml": "site_name: X\n"})
        corpus.sync(paths=["mkdocs.yml"])
        assert library.check() == ()
        assert library.read("docs/b.md#q-a").text.startswith("## Q & A")
        write_tree(tmp_path, {"mkdocs.yml": "markdown_extensions: [{toc: {slugify: !!python/name:own.slugify }}]\n"})
        corpus.sync(paths=["mkdocs.yml"])
        assert [one.message for one in library.check()] == ["“b.md#q-a”: docs/b.md has no such section"]
        (tmp_path / "mkdocs.yml").unlink()
        corpus.sync()
        assert library.status().anchors == "github"


def test_what_is_offered_for_a_broken_link_is_written_as_on_the_site(tmp_path: Path) -> None:
    files = {
        "hugo.toml": "",
        "content/_index.md": '\n[x](/guide/shorts/) [x]({{< ref "/guide/tokns.md#life" >}}) [x]({{< ref "no" >}})\n',
        "content/guide/tokens.md": "---\nslug: short\n---\n# Tokens\n\n## Life\n",
    }
    assert [line.rpartition(" [")[2] for line in _found(tmp_path, files)] == [
        "/guide/tokens.md]",
        '{{< ref "/guide/tokens.md#life" >}}]',
        "]",
    ]


def _after(plan: MovePlan) -> dict[str, list[str]]:
    return {one.ref.path: [edit.new for edit in one.edits] for one in plan.files}


def test_links_between_pages_of_a_site_are_rewritten_as_the_site_spells_them(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "",
        "docs/a.md": "# A\n\n[x](b.md#questions-answers)\n",
        "docs/b.md": AUTH,
        "README.md": "# R\n\n[x](docs/b.md#questions--answers)\n",
    }
    write_tree(tmp_path, files)
    with pinakes.open(tmp_path) as library:
        library.sync()
        plan, _ = rename(library.corpus().store, Ref(DOCS, "docs/b.md", "questions--answers"), "Why & how")
    assert _after(plan) == {
        "README.md": ["docs/b.md#why--how"],
        "docs/a.md": ["b.md#why-how"],
        "docs/b.md": ["Why & how"],
    }


def test_references_of_hugo_follow_a_page_that_moves(tmp_path: Path) -> None:
    files = {
        "hugo.toml": "",
        "content/a.md": '# A\n\n[x]({{< relref "guide/b.md#usage" >}}) [x](/guide/b/) [x]({{% ref path="b.md" %}})\n',
        "content/guide/b.md": AUTH,
    }
    write_tree(tmp_path, files)
    with pinakes.open(tmp_path) as library:
        library.sync()
        plan, _ = move(library.corpus().store, DOCS, "content/guide/b.md", "content/manual/c.md")
    assert _after(plan) == {
        "content/a.md": [
            '{{< relref "manual/c.md#usage" >}}',
            "/manual/c/",
            '{{% ref path="content/manual/c.md" %}}',
        ]
    }


def test_a_configuration_is_not_run_nor_followed_out_of_the_root(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    outside = write_tree(tmp_path / "outside", {"mkdocs.yml": "site_name: X\n"}) / "mkdocs.yml"
    root = write_tree(
        tmp_path / "docs",
        {"conf.py": f"extensions = []\nopen({str(ran)!r}, 'w')\n", "a.md": "# A\n"},
    )
    (root / "mkdocs.yml").symlink_to(outside)
    with pinakes.open(root) as library:
        library.sync()
        assert library.status().anchors == "sphinx (by conf.py)"
    assert not ran.exists()
