"""What holds for every text: any bytes parse, positions are true, and hostile text takes no more than its length."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kits.parsed import check_document
from pinakes.parse import parse
from pinakes.records import Document, Raw, Ref, Stamp, formats

PIECES = st.sampled_from(
    (
        *("# ", "## a", "\n", "\n\n", "\r", "\r\n", "===\n", "---\n", "> ", "- ", "1. ", "    ", "\t"),
        *("```", "~~~", "[a](b)", "[a]", "[a]: b\n", "![", "](", "[[a|b]]", "![[c]]", "<a id='x'>"),
        *("<a href=y>z</a>", "<!--", "-->", "<div>", "`", "``", "*", "_", "$", "$$", "{#id}", "#tag"),
        *(" ^id", "|a|\n|-|\n", "https://a.b/c_d", "www.a.b", "a@b.c", "x/y.md", "\\", "&amp;", "é", "日本"),
        *("\u2028", "\x00", "\ufeff", "+++\n", "title: x\n", "import a\n", "<A b={", "/>", "{/*", "*/}"),
        *("%%", "{{", "}}", "{%", "%}", "text "),
    )
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def document(data: bytes, path: str = "a.md") -> Document:
    return parse(Raw(Stamp(Ref("docs", path), "1", formats.MARKDOWN), data, "digest"))


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_every_text_of_markdown_pieces_has_true_positions(text: str) -> None:
    check_document(document(text.encode()))


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_every_text_of_mdx_pieces_has_true_positions(text: str) -> None:
    check_document(document(text.encode(), "a.mdx"))


@given(st.binary(max_size=300))
@settings(deadline=None)
def test_any_bytes_parse(data: bytes) -> None:
    check_document(document(data))


@given(TEXTS)
@settings(deadline=None)
def test_parsing_twice_gives_the_same(text: str) -> None:
    assert document(text.encode()) == document(text.encode())


OPENERS = (
    *(
        "[",
        "![",
        "*",
        "_",
        "`",
        "<",
        "<!--",
        "[[",
        "![[",
        ">",
        "- ",
        "1. ",
        "|",
        "$",
        "$$",
        "~~",
        "#",
        "&",
        "(",
        "](",
        "{",
    ),
    *(
        "---\n",
        ":::",
        "[^",
        "> - ",
        "<a href='",
        "<a id=",
        "http://",
        "www.",
        "a@",
        "a/",
        "a/.",
        " #a",
        " ^a",
        "$a",
        "$`a",
    ),
    *(
        "[[a]]",
        "# a\n",
        "#\n",
        "a\n===\n",
        "|a|\n|-|\n",
        "<A b={",
        "{/*",
        "import {\n",
        "`a.b/`",
        "%%[[a]]",
        "\r",
        "\x00",
    ),
)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("opener", OPENERS)
@pytest.mark.parametrize("path", ["a.md", "a.mdx"])
def test_a_long_run_of_any_opener_is_read(opener: str, path: str) -> None:
    found = document((opener * 20_000).encode(), path)
    assert found.sections[0].span.end == len(found.source)


PILES = {
    "lines continuing nested quotes": "> " * 20_000 + "a\n" + "a\n" * 60_000,
    "lines continuing nested lists": "- " * 20_000 + "a\n" + "b\n" * 60_000,
    "blank lines in nested lists": "- " * 20_000 + "a\n" + "\n" * 60_000,
    "quotes ten thousand deep": (">" * 10_000 + "a\n") * 50,
    "nested brackets": "[" * 20_000 + "](a)" * 20_000,
    "ever longer code fences": " ".join("`" * length for length in range(1, 500)),
    "one address of brackets": "http://a.b/" + "(" * 50_000 + ")" * 50_000,
    "headings that want each other's anchors": "# a\n# a-1\n" * 20_000,
    "images in images": "![a" * 20_000 + "](b)" * 20_000,
    "a wide table": "|a" * 500 + "|\n" + "|-" * 500 + "|\n" + "|\n" * 10_000,
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("pile", PILES)
def test_deep_and_wide_piles_are_read(pile: str) -> None:
    data = PILES[pile].encode()
    assert document(data).sections[0].span.end == len(data)


@pytest.mark.timeout(30)
def test_a_hundred_thousand_headings_are_a_hundred_thousand_sections() -> None:
    found = document(b"# Overview\n" * 100_000)
    assert len(found.sections) == 100_001
    assert found.sections[-1].anchor == "overview-99999"


def test_a_rule_of_many_dashes_stays_a_rule() -> None:
    found = document(b"# A\n\n" + b"- " * 400 + b"\n\n" + b"text\n" * 20_000 + b"\n" + b"-" * 400 + b"\n")
    assert [section.title for section in found.sections] == ["", "A"]
    assert not found.code
