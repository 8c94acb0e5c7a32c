"""The ids of headings are those that the generators themselves make."""

from __future__ import annotations

import json
import random
import unicodedata
from pathlib import Path

import pytest

from kits.enrich import parsed
from pinakes.graph.site_anchors import site_anchors, with_site_anchors
from pinakes.records.sites import AnchorStyle, Site
from pinakes.slugs.generators import RULES, Heading, site_ids

ROWS = json.loads(Path(__file__).with_name("heading_ids.json").read_text(encoding="utf-8"))
"""What the generators gave; `make_heading_ids.py` makes it anew."""


def _site(rule: str) -> Site:
    return Site(AnchorStyle.SPHINX if rule == "sphinx" else AnchorStyle.MKDOCS, "", "", rule)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_heading_has_the_id_that_the_generator_gave_it(rule: str) -> None:
    document = parsed("".join(f"## {row['heading']}\n\nText.\n\n" for row in ROWS))
    made = site_anchors(document, _site(rule))
    assert len(made) == len(ROWS)
    wrong = [(row["heading"], row[rule], one) for row, one in zip(ROWS, made, strict=True) if row[rule] != one]
    assert wrong == []


def test_ids_are_found_beside_those_of_github_which_keep_their_place() -> None:
    document = with_site_anchors(parsed("# Q & A\n\n## One\n\n## One\n\n## One_1\n\n## A {#chosen}\n"), _site("mkdocs"))
    assert [(section.anchor, section.aliases) for section in document.sections] == [
        ("", ()),
        ("q--a", ("q-a",)),
        ("one", ()),
        ("one-1", ()),  # its id is that of the next heading
        ("one_1", ("one_2",)),
        ("a", ("chosen",)),
    ]


def test_attribute_lists_give_ids_to_words_and_paragraphs() -> None:
    text = "# A\n\nA paragraph.\n{: #first .big }\n\n## B\n\n[](){#second} `code`{#third}\n\n```\n{#not-this}\n```\n"
    document = with_site_anchors(parsed(text), _site("mkdocs"))
    assert [section.aliases for section in document.sections] == [(), ("first",), ("second", "third")]


def test_labels_and_toctrees_of_myst_count_in_a_sphinx_site_alone() -> None:
    text = "# Page\n\n(top-label)=\n## Part\n\n```{toctree}\n:maxdepth: 1\n\nother\nTitle <folder/third>\n```\n"
    document = with_site_anchors(parsed(text), _site("sphinx"))
    assert document.sections[2].aliases == ("top-label",)
    assert [(link.ordinal, link.target, link.text, link.line) for link in document.links] == [
        (0, "other", "other", 8),
        (1, "folder/third", "Title", 9),
    ]
    assert parsed(text).links == ()


@pytest.mark.parametrize("rule", sorted(RULES))
def test_ten_thousand_equal_headings_get_ten_thousand_ids(rule: str) -> None:
    made = site_ids(rule, [Heading("Same", "Same")] * 10_000)
    assert len(set(made)) == 10_000


@pytest.mark.parametrize("rule", sorted(RULES))
@pytest.mark.parametrize("sign", ["<", "`", "![", ":", "-", "&", "_1", "[", " "])
def test_a_heading_without_end_has_an_id_too(rule: str, sign: str) -> None:
    site_ids(rule, [Heading(sign * 500_000, sign * 500_000)])


@pytest.mark.parametrize("rule", ["mkdocs", "hugo", "vitepress", "docusaurus", "sphinx"])
@pytest.mark.parametrize(
    "text",
    [
        "# a" + " " * 300_000 + "b\n",
        "# a " + "{#" * 150_000 + "\n",
        "{ #" * 100_000,
        "{:" + " " * 300_000,
        "(a" * 150_000 + ")=\n",
        "```{toctree}\n" + " " * 300_000 + "x\n" + "a <b\n" * 50_000 + "```\n",
        "```{toctree}\n" + "page\n" * 20_000 + "```\n",
    ],
)
def test_a_document_of_a_stranger_is_read_in_time_by_its_length(rule: str, text: str) -> None:
    with_site_anchors(parsed(text), _site(rule))


def _titles() -> list[str]:
    """Titles of letters from everywhere, with repeats."""
    chance = random.Random(5)
    letters = [chr(code) for code in range(32, 0x2FF0) if unicodedata.category(chr(code))[0] in "LNPSZM"]
    titles = ["".join(chance.choices(letters, k=chance.randrange(1, 12))) for _ in range(2000)]
    titles += ["".join(chance.choices("ab1 -_.&", k=chance.randrange(1, 6))) for _ in range(2000)]
    return [title for title in titles if title.strip()]


def test_python_markdown_agrees_about_any_letter() -> None:
    toc = pytest.importorskip("markdown.extensions.toc", reason="Python-Markdown is not installed")
    used: set[str] = set()
    expected = [toc.unique(toc.slugify(title, "-"), used) for title in _titles()]
    assert site_ids("mkdocs", [Heading(title, title) for title in _titles()]) == expected


def test_docutils_agrees_about_any_letter() -> None:
    nodes = pytest.importorskip("docutils.nodes", reason="docutils is not installed")
    for title in _titles():
        (made,) = site_ids("sphinx", [Heading(title, title)])
        assert made == (nodes.make_id(title) or "id1")
