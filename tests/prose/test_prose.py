"""What a reader sees of a document, where its blocks are, and where its sentences end."""

from __future__ import annotations

import re

import pytest

from pinakes.parse import parse
from pinakes.prose import leaves, sentences, visible
from pinakes.records import BlockKind, Document, Raw, Ref, Span, Stamp, media_of


def read(text: str, path: str = "a.md") -> Document:
    return parse(Raw(Stamp(Ref("docs", path), "1", media_of(path)), text.encode(), "digest"))


def seen(text: str, path: str = "a.md") -> str:
    """What is visible of all of it, however wide the spaces between words are."""
    document = read(text, path)
    shown = visible(document, Span(0, len(document.source)))
    return re.sub(r"\n{2,}", "\n\n", re.sub(r" *\n *", "\n", re.sub(r" +", " ", shown))).strip()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A **bold** and _soft_ ~~old~~ word.", "A bold and soft old word."),
        ('See [the guide](g.md "Title (1)"), [this][ref].\n\n[ref]: x.md', "See the guide, this."),
        ("Call `run()` or ``a`b``.", "Call run() or a`b."),
        ("![A drawing](a.svg) of it", "A drawing of it"),
        ("One <b>bold</b>er<br>two <!-- not this --> three", "One bolder two three"),
        ("<!-- a\n\nlong comment -->\n\nText", "Text"),
        ("<p>Hello <i>you</i></p>\n\nText", "Hello you\n\nText"),
        ("<style>\np { color: red }\n</style>\n\nText", "Text"),
        ("---\ntitle: T\n---\n\nText", "Text"),
        ("# A heading {#its-id}\n\nText", "A heading\n\nText"),
        ("Setext\n======\n\nText", "Setext\n\nText"),
        ("- one\n  more\n- [ ] two", "one\nmore\n\ntwo"),
        ("> a quote\n> goes on", "a quote\ngoes on"),
        ("| a | b |\n|---|---|\n| c | d |", "a b\n\nc d"),
        ("```python\nx = '{{ y }}'\n```", "x = '{{ y }}'"),
        ("A [[Page|name]] and [[Other]] and ![[b.png]]", "A name and Other and b.png"),
        ("Escaped \\*stars\\* and &amp; &lt;tags&gt;", "Escaped *stars* and & <tags>"),
        (
            "Use {{jsxref('Array/map', 'map()')}} {{glossary(\"DOM\")}}{{Compat}} {% if x %}now{% endif %}",
            "Use map() DOM now",
        ),
        ("Text %%not this%% here ^block-id", "Text here"),
        ("%%\nnot this\n\nnor this\n%%\n\nText", "Text"),
        ("Write %% first, or `%%` in code.", "Write %% first, or %% in code."),
        ('{{< tab name="`-v`" >}}\n\nText\n\n{{< /tab >}}', "Text"),
        ("{{ a\n\n<p>b }} c</p>\n\nText", "c\n\nText"),
        ("A note[^1].\n\n[^1]: Its text.", "A note.\n\nIts text."),
        ('!!! note "Be careful"\n\n    Text\n\n??? tip\n\n    More', "Be careful\n\nText\n\ntip\n\nMore"),
        ('=== "Python"\n\n    Text\n\n=== "C++"\n\n    More', "Python\n\nText\n\nC++\n\nMore"),
        (":::tip Take this\nText\n:::\n\n::: warning\nMore\n:::", "Take this\nText\n\nwarning\nMore"),
        ("import Tabs from '@theme/Tabs';\nimport './a.css'\n\nText", "Text"),
        ("import os is what Python says.", "import os is what Python says."),
        ('See [the guide]({{< relref "/a/b" >}}) and [this]({% link x.md %}#c).', "See the guide and this."),
        ("About {% data variables.product.prodname_copilot %}", "About copilot"),
    ],
)
def test_only_what_a_reader_sees_is_text(text: str, shown: str) -> None:
    assert seen(text) == shown


def test_the_program_of_an_mdx_page_is_no_text() -> None:
    text = (
        "import Tabs from '@theme/Tabs'\n\n# Title\n\n<Tabs kind='a'>\n\n    Indented **text** {/* not this */}\n\n"
        "</Tabs>\n\nexport const x = 1\n"
    )
    assert seen(text, "a.mdx").split() == ["Title", "Indented", "text"]


def test_a_template_that_is_indented_in_an_mdx_page_is_no_text() -> None:
    assert seen("\n\n    {#id}\n\nText", "a.mdx") == "Text"


def test_a_slice_shows_what_it_holds_of_a_link() -> None:
    document = read("before [name](target.md) after")
    assert visible(document, Span(7, 24)) == "name"
    assert visible(document, Span(10, 30)) == "me after"


def test_what_is_left_out_leaves_a_break() -> None:
    document = read("Call `run` now")
    assert visible(document, Span(0, 14), [Span(5, 10)]) == "Call \n\n now"


def test_blocks_come_in_reading_order_and_containers_before_what_they_hold() -> None:
    document = read("# T\n\nText\n\n- item\n\n  > quote\n\n```c\nx\n```\n\n| a |\n|---|\n\n<p>\n\n[^1]: note\n")
    assert [block.kind for block in document.blocks] == [
        BlockKind.HEADING,
        BlockKind.PARAGRAPH,
        BlockKind.ITEM,
        BlockKind.PARAGRAPH,
        BlockKind.QUOTE,
        BlockKind.PARAGRAPH,
        BlockKind.CODE,
        BlockKind.TABLE,
        BlockKind.HTML,
        BlockKind.FOOTNOTE,
        BlockKind.PARAGRAPH,
    ]
    assert document.text(document.blocks[1].span) == "Text\n"


def test_a_block_of_more_than_64_kilobytes_keeps_its_place() -> None:
    document = read(f"```\n{'x' * 70_000}\n```\n\nAfter *it*")
    assert document.text(document.blocks[1].span) == "After *it*"
    assert visible(document, Span(70_000, len(document.source))).endswith("After it")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Some, e.g. this, vs. that etc. and on. Then", ["Some, e.g. this, vs. that etc. and on.", "Then"]),
        ("Version 1.2 is out. It is new.", ["Version 1.2 is out.", "It is new."]),
        ("He said “no.” Then left", ["He said “no.”", "Then left"]),
        ("一。二！", ["一。", "二！"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_say(text: str, parts: list[str]) -> None:
    assert [sentence for _, sentence in sentences(text)] == parts
    assert all(text[start:].startswith(sentence) for start, sentence in sentences(text))


def test_a_table_of_html_is_one_block_over_blank_lines() -> None:
    document = read("<table>\n<tr><td>a</td></tr>\n\n<tr><td>b</td></tr>\n</table>\n\nAfter\n")
    assert [block.kind for block in leaves(document, Span(0, 100))] == [BlockKind.HTML, BlockKind.PARAGRAPH]
    assert document.text(document.blocks[0].span).endswith("</table>")
