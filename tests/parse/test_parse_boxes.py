"""Boxes and tabs in Markdown: what is indented in them is text, and fences in them are code."""

from __future__ import annotations

import pytest

from pinakes.parse import parse
from pinakes.prose import visible
from pinakes.records import Document, Raw, Ref, Span, Stamp, formats


def document(text: str) -> Document:
    return parse(Raw(Stamp(Ref("docs", "guide/page.md"), "1", formats.MARKDOWN), text.encode(), "digest"))


def test_what_is_indented_in_a_box_or_a_tab_is_text() -> None:
    found = document(
        '!!! note "Tides"\n\n    High [water](w.md).\n\n    ??? tip\n\n        Deep.\n\n    ```sh\n    go\n    ```\n\n'
        '=== "Tab"\n\n    ### In it\n\n    So:\n\n        code\n\nOut.\n\n    more code\n'
    )
    assert [(block.language, found.text(block.span)) for block in found.code] == [
        ("sh", "```sh\n    go\n    ```"),
        ("", "code\n"),
        ("", "more code\n"),
    ]
    assert [(link.target, found.text(link.span), link.line) for link in found.links] == [("w.md", "[water](w.md)", 2)]
    assert [(section.title, section.lines.start) for section in found.sections[1:]] == [("In it", 14)]
    shown = visible(found, Span(0, len(found.source)))
    assert [line for line in shown.splitlines() if line.startswith(" ")] == []


def test_a_fence_directly_below_the_first_line_of_a_box_is_one() -> None:
    found = document(
        '??? tip "Tides"\n    ```sh\n    go\n\n    stay\n    ```\n\n    1. One.\n    2. Two.\n\n## Behind\n\n'
        "!!! note\n    Words\n    !!! tip\n        ~~~\n        deep\n        ~~~\n\n# End\n"
    )
    assert [(block.language, found.text(block.span)) for block in found.code] == [
        ("sh", "```sh\n    go\n\n    stay\n    ```"),
        ("", "~~~\n        deep\n        ~~~"),
    ]
    assert [section.title for section in found.sections[1:]] == ["Behind", "End"]


@pytest.mark.parametrize(
    "text", ["```\n!!! note\n\n    code\n```\n\n    more\n", "!!!\n\n    code\n", "a === b\n\n    code\n"]
)
def test_what_only_looks_like_a_box_leaves_code_alone(text: str) -> None:
    assert [block.language for block in document(text).code] == [""] * text.count("    ")


@pytest.mark.parametrize("title", ["", " High *tides*", " a | b \x0b"])
def test_the_title_of_a_block_is_shown_as_it_stands(title: str) -> None:
    found = document(f"/// note |{title}\nWords.\n///\n")
    assert visible(found, Span(0, len(found.source))).split() == [*title.replace("*", "").split(), "Words."]
