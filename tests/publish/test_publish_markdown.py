"""Markdown that is published about documents: whatever their titles and keywords hold, it links where we mean it to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kits.publish import publish
from kits.trees import write_tree
from pinakes.publish.names import markdown_text

PIECES = [
    *(
        "\\",
        "\\\\",
        "[",
        "]",
        "(",
        ")",
        "](",
        "![",
        "<",
        ">",
        "`",
        "``",
        "|",
        "&lt;",
        "&#91;",
        "*",
        "_",
        "~~",
        "#",
        ":",
        "!",
    ),
    *(
        "http://evil.example/x",
        "www.evil.example",
        "<http://evil.example>",
        "<script>",
        "<!--",
        "-->",
        "[a]: /x",
        "[^1]",
    ),
    *("See \\](http://evil.example/x) [more", "a", " ", "é", "\t", "<a href=x>", "{{", "$", "\u2028"),
]


def tokens(text: str) -> list[Token]:
    found = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    return [*found, *(inner for one in found for inner in one.children or [])]


def links(text: str) -> list[str]:
    return [
        str(one.attrs.get("href") or one.attrs.get("src")) for one in tokens(text) if one.type in ("link_open", "image")
    ]


def other(text: str) -> list[str]:
    return [
        one.type
        for one in tokens(text)
        if one.type in ("html_inline", "html_block", "code_inline", "fence", "code_block")
    ]


@given(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=6).map("".join),
)
@settings(max_examples=500)
def test_a_text_makes_no_link_no_code_and_no_html(title: str, about: str) -> None:
    one, two = (markdown_text(" ".join(text.split())) for text in (title, about))
    for line, meant in (
        (f"# {one}\n", []),
        (f"- [{one}](a.md): {two}\n", ["a.md"]),
        (f"- title: {one}\n", []),
        (f"| a | b |\n|---|---|\n| {one} | {two} |\n", []),
    ):
        assert links(line) == meant
        assert other(line) == []
        assert not re.search(r"(?<!\\)(?:https?:|www\.)(?://)", line), "nor for readers that link whatever looks so"


TITLES = [
    "See \\](http://evil.example/x) [more",
    "a `b](c) `d",
    "<img src=x>",
    "x](javascript:1)",
    "http://evil.example",
    "|a|b\\|",
]


@pytest.mark.parametrize("title", TITLES)
def test_published_files_link_to_published_files_alone(tmp_path: Path, title: str) -> None:
    page = f"---\ntitle: {title!r}\n---\n# One\n\nText `of` a page.\n\n## {title}\n\nMore {title}.\n"
    root = write_tree(tmp_path / "docs", {f"{name}/page.md": page for name in ("a", "b](x) [y", "`c")})
    publish(root, tmp_path / "out")
    written = [
        tmp_path / "out" / "llms.txt",
        *(tmp_path / "out").rglob("topic-spec.md"),
        *(tmp_path / "out").rglob("words.md"),
    ]
    assert len(written) > 3
    for file in written:
        text = file.read_text(encoding="utf-8")
        for href in links(text):
            assert re.fullmatch(r"(?:[\w.~-]|%[0-9A-F]{2})+/page\.md", href), (file, href)
        assert other(text) == []
    assert len(links((tmp_path / "out" / "llms.txt").read_text(encoding="utf-8"))) == 3
