"""Where documents are cut: within the sizes asked for, along sections, and never losing a byte."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinakes.parse import parse
from pinakes.publish.cutting import Cut, cut
from pinakes.records import DOCS, Document, Media, Raw, Ref, Stamp, formats
from pinakes.tokens import count_tokens

PARTS = ("# H\n", "## I\n\n", "text and more\n", "\n", "```\ncode\n\n", "```\n", "- x\n", "> # q\n", "é ")


def read(text: str | bytes, path: str = "a.md", media: Media = formats.MARKDOWN) -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    return parse(Raw(Stamp(Ref(DOCS, path), "1", media), data, "digest"))


def texts(document: Document, cuts: tuple[Cut, ...]) -> list[bytes]:
    return [document.source[one.span.start : one.span.end] for one in cuts]


def words(count: int) -> str:
    return " ".join(["word"] * count) + ".\n\n"


def test_sections_of_a_good_size_are_chunks_of_their_own() -> None:
    document = read("# A\n\n" + words(300) + "## B\n\n" + words(300) + "## C\n\n" + words(300))
    cuts = cut(document, 250, 750)
    assert [(one.title, one.headings, one.lines.outside()) for one in cuts] == [
        ("A", ("A",), "1-4"),
        ("B", ("B",), "5-8"),
        ("C", ("C",), "9-12"),
    ]


def test_small_sections_share_a_chunk_and_a_small_tail_joins_its_neighbour() -> None:
    document = read("# A\n\n" + words(100) + "## B\n\n" + words(100) + "## C\n\n" + words(300) + "## D\n\n" + words(20))
    cuts = cut(document, 250, 750)
    assert [one.headings for one in cuts] == [("A", "B", "C", "D")]
    assert cuts[0].tokens == count_tokens(document.source.decode())


def test_a_long_section_is_cut_at_blank_lines_and_says_that_it_goes_on() -> None:
    document = read("# A\n\n" + words(200) * 6)
    cuts = cut(document, 250, 750)
    assert [one.title for one in cuts] == ["A", "A (continued)", "A (continued)"][: len(cuts)]
    assert all(text.endswith(b".\n\n") for text in texts(document, cuts))


def test_a_paragraph_in_one_line_is_cut_behind_a_sentence() -> None:
    document = read("# A\n\n" + "These are five words. " * 400)
    cuts = cut(document, 250, 750)
    assert len(cuts) > 1
    assert all(text.endswith(b"words. ") for text in texts(document, cuts[:-1]))


def test_code_is_not_cut_where_prose_can_be() -> None:
    code = "```sh\n" + "echo one two three\n\n" * 60 + "```\n\n"
    document = read("# A\n\n" + words(60) * 5 + code + words(60) * 5)
    for text in texts(document, cut(document, 250, 750)):
        assert text.count(b"```") % 2 == 0


def test_a_chunk_is_code_when_more_than_half_of_its_lines_are() -> None:
    document = read("# A\n\n```py\n" + "x = 1\n" * 40 + "```\n\nSo be it.\n")
    (only,) = cut(document, 10, 1000)
    assert only.code_ratio == 42 / 46


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "---\ntitle: T\n---\n",
        "one line without an end",
        "word " * 20_000,
        "é" * 30_000,
        "# a\n" * 20_000,
        "> # quoted\n> text\n" * 300,
        "a\r\nb\r\n\r\n" * 900,
        "a\rb\r\r" * 900,
        "```\n" + "x\n" * 9000,
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 4000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_nothing_is_dropped_and_sizes_are_kept_whatever_the_document(text: str) -> None:
    document = read(text)
    cuts = cut(document, 250, 750)
    assert b"".join(texts(document, cuts)) == document.source
    assert len(cuts) == 1 or all(1 <= one.tokens <= 750 for one in cuts)
    if sum(one.tokens for one in cuts) >= 250:
        assert [one.tokens for one in cuts if one.tokens < 250] == []


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["# H\n", "## I\n\n", "text and more\n", "\n", "```\ncode\n\n", "```\n", "- x\n", "> # q\n", "é "]
        )
    ),
    st.integers(1, 40),
    st.integers(2, 5),
)
def test_any_document_is_covered_by_chunks_that_follow_each_other(parts: list[str], least: int, times: int) -> None:
    document = read("".join(parts))
    cuts = cut(document, least, least * times)
    assert b"".join(texts(document, cuts)) == document.source
    assert [one.lines.start for one in cuts] == [document.source[: one.span.start].count(b"\n") for one in cuts]
