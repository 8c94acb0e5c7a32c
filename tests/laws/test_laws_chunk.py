"""What holds for the chunks of every text: they are slices, nothing is lost, limits hold, code and tables stay."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pinakes.chunk import ChunkOptions, chunk
from pinakes.parse import parse
from pinakes.parse.frontmatter import frontmatter
from pinakes.records import Chunk, Document, Media, Raw, Ref, Span, Stamp, formats
from pinakes.tokens import count_tokens

SMALL = ChunkOptions(section_chars=60, passage_chars=20, plain_tokens=20)
TINY = ChunkOptions(section_chars=7, passage_chars=2, plain_tokens=3, plain_overlap=0.4)
OPTIONS = st.sampled_from((SMALL, TINY, ChunkOptions(section_chars=30, passage_chars=30, plain_overlap=0.0)))

PIECES = st.sampled_from(
    (
        *("# ", "## a", "\n", "\n\n", "\r", "\r\n", "===\n", "---\n", "> ", "- ", "1. ", "    ", "\t", " \t \n"),
        *("```", "~~~", "```\n\nx = 1\n\n```\n", "\n- ```sh\n  a\n\n  b\n  ```\n", "\n    indented code\n\n"),
        *("<table>\n", "\n</table>", "<pre>", "</PRE>", "<div>", "<!--", "-->", "|a|b|\n|-|-|\n|c|d|\n", "|===\n"),
        *("=== ===\n", "+++\n", "title: x\n", "\ufeff", "\u2028", "\x00", "\x0c", "\u3000", "\u200d", "e\u0301\u0301"),
        *(
            "日本語の文章。",
            "これは長い文章です",
            "👩\u200d💻",
            "किताब",
            "word ",
            "A sentence. ",
            "e.g. this! ",
            "x" * 23,
        ),
    )
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)
MEDIA = st.sampled_from((formats.MARKDOWN, formats.RST, formats.ASCIIDOC, formats.ORG, formats.TEXT))


def document(data: bytes, media: Media = formats.MARKDOWN, path: str = "a.md") -> Document:
    return parse(Raw(Stamp(Ref("docs", path), "1", media), data, "digest"))


def sections_of(chunks: Iterable[Chunk]) -> list[Chunk]:
    return [each for each in chunks if each.parent == each.ordinal]


def passages_of(chunks: Iterable[Chunk], parent: Chunk) -> list[Chunk]:
    return [each for each in chunks if each.parent == parent.ordinal != each.ordinal]


def length(found: Document, span: Span) -> int:
    return len(found.source[span.start : span.end].decode())


def body_of(found: Document) -> int:
    first = found.sections[0].span.start
    return frontmatter(found.source, first).end if found.stamp.media is formats.MARKDOWN else first


def check(found: Document, options: ChunkOptions) -> None:
    chunks = chunk(found, options)
    check_slices(found, chunks)
    check_order(found, chunks)
    check_coverage(found, chunks)
    check_sizes(found, chunks, options)
    check_code(found, chunks, options)


def check_slices(found: Document, chunks: tuple[Chunk, ...]) -> None:
    source, first = found.source, found.sections[0].span.start
    for each in chunks:
        text = source[each.span.start : each.span.end]
        text.decode()
        assert text.strip()
        assert text == text.rstrip()
        before = len(source[first : each.span.start + 1].splitlines())
        until = len(source[first : each.span.end].splitlines())
        assert each.lines == Span(before - 1, until)
        own = with_quotations(found, each.section)
        assert own.start <= each.span.start < each.span.end <= own.end
        inside = sum(
            max(0, min(block.span.end, each.span.end) - max(block.span.start, each.span.start)) for block in found.code
        )
        assert each.code_ratio == inside / each.span.length
        assert 0 <= each.code_ratio <= 1


def with_quotations(found: Document, position: int) -> Span:
    """A section's own text together with the headings quoted in it."""
    start = found.sections[position].span.start
    for later in found.sections[position + 1 :]:
        line = re.split(rb"[\r\n]", found.source[: later.span.start])[-1]
        if b">" not in line:
            return Span(start, later.span.start)
    return Span(start, found.sections[0].span.end)


def check_order(found: Document, chunks: tuple[Chunk, ...]) -> None:
    parent = None
    reached = 0
    overlaps = found.stamp.media is formats.TEXT
    for ordinal, each in enumerate(chunks):
        assert each.ordinal == ordinal
        if each.parent == ordinal:
            assert parent is None or each.section >= parent.section
            assert parent is None or (each.span.start > parent.span.start and each.span.end > parent.span.end)
            assert overlaps or each.span.start >= reached
            parent = each
            reached = each.span.start
        else:
            assert parent is not None
            assert each.parent == parent.ordinal
            assert each.section == parent.section
            assert reached <= each.span.start
            assert each.span.end <= parent.span.end
            reached = each.span.end


def check_coverage(found: Document, chunks: tuple[Chunk, ...]) -> None:
    left = bytearray(found.source)
    body = body_of(found)
    left[:body] = b" " * body
    for each in sections_of(chunks):
        left[each.span.start : each.span.end] = b" " * each.span.length
        inner = passages_of(chunks, each)
        if inner:
            inside = bytearray(found.source[: each.span.end])
            for passage in inner:
                inside[passage.span.start : passage.span.end] = b" " * passage.span.length
            assert not inside[each.span.start :].strip()
    for section in found.sections[1:]:
        # The marks of the quote or list around a heading stand on a line that its section covers.
        start = max(left.rfind(b"\n", 0, section.span.start), left.rfind(b"\r", 0, section.span.start), body - 1) + 1
        if re.fullmatch(rb"[ \t>*+\-.)0-9]*", left[start : section.span.start]):
            left[start : section.span.start] = b" " * (section.span.start - start)
    assert not left.strip()


def check_sizes(found: Document, chunks: tuple[Chunk, ...], options: ChunkOptions) -> None:
    for each in chunks:
        size = length(found, each.span)
        if each.parent != each.ordinal:
            assert size <= options.passage_chars
        else:
            is_frontmatter = each.span.start < body_of(found)
            assert bool(passages_of(chunks, each)) == (size > options.passage_chars and not is_frontmatter)
            if found.stamp.media is formats.TEXT:
                assert count_tokens(found.text(each.span)) <= options.plain_tokens or size == 1
            else:
                assert size <= options.section_chars


def check_code(found: Document, chunks: tuple[Chunk, ...], options: ChunkOptions) -> None:
    for block in found.code:
        lines = whole_lines(found, block.span)
        for limit, level in (
            (options.section_chars, sections_of(chunks)),
            (options.passage_chars, [each for each in chunks if not passages_of(chunks, each)]),
        ):
            if 0 < length(found, lines) <= limit:
                assert any(each.span.start <= lines.start and lines.end <= each.span.end for each in level)


def whole_lines(found: Document, span: Span) -> Span:
    """The lines of a block inside its section, without white space at the end."""
    seen = re.sub(rb"\r(?!\n)", b"\n", found.source)
    own = next(found.own(at) for at in range(len(found.sections)) if span.start in found.own(at))
    start = max(seen.rfind(b"\n", own.start, span.start) + 1, own.start)
    end = span.start + len(seen[span.start : span.end].rstrip())
    last = seen.find(b"\n", end, own.end)
    return Span(start, end + len(seen[end : last if last >= 0 else own.end].rstrip()))


@given(TEXTS, OPTIONS)
@example("# \n\n\x0c\n\n- ```sh\n  a\n\n  b\n  ```\n", TINY)
@example("# # # # ===\n<table>\n```\n\nx = 1\n\n```\n\n</table>|a|b|\n|-|-|\n|c|d|\n", SMALL)
@example("<table>\n\n```\n\nx = 1\n\n```\n\n</table>", SMALL)
@settings(max_examples=300, deadline=None)
def test_chunks_of_any_markdown_are_true_slices_that_lose_nothing(text: str, options: ChunkOptions) -> None:
    check(document(text.encode()), options)


@given(TEXTS, MEDIA, OPTIONS)
@example("=== ===\n```\n\nx = 1\n\n```\n", formats.ASCIIDOC, SMALL)
@settings(max_examples=300, deadline=None)
def test_chunks_of_any_notation_are_true_slices_that_lose_nothing(
    text: str, media: Media, options: ChunkOptions
) -> None:
    check(document(text.encode(), media), options)


@given(st.binary(max_size=300), MEDIA, OPTIONS)
@settings(deadline=None)
def test_any_bytes_are_chunked(data: bytes, media: Media, options: ChunkOptions) -> None:
    check(document(data, media), options)


@given(TEXTS, MEDIA)
@settings(max_examples=50, deadline=None)
def test_chunking_twice_gives_the_same(text: str, media: Media) -> None:
    assert chunk(document(text.encode(), media), SMALL) == chunk(document(text.encode(), media), SMALL)


ROWS = st.lists(st.sampled_from(("| a | b |", "| long cell | é |", "| A sentence. Another. | c |")), max_size=6)
TABLES = ROWS.map(lambda rows: "\n".join(("| x | y |", "|---|:-:|", *rows)))
PROSE = st.lists(st.sampled_from(("A sentence here.", "words that go on", "日本。")), min_size=1, max_size=8).map(
    " ".join
)
PAGES = st.lists(st.tuples(PROSE, st.sampled_from(("\n", "\n\n")), TABLES), min_size=1, max_size=4)


@given(PAGES, st.sampled_from((40, 80, 160)))
@settings(max_examples=200, deadline=None)
def test_a_table_that_fits_is_never_cut(page: list[tuple[str, str, str]], limit: int) -> None:
    text = "# Page\n\n"
    spans = []
    for prose, gap, table in page:
        text += prose + gap
        spans.append(Span(len(text.encode()), len((text + table).encode())))
        text += table + "\n\n"
    found = document(text.encode())
    options = ChunkOptions(section_chars=2 * limit, passage_chars=limit)
    check(found, options)
    chunks = chunk(found, options)
    for span in spans:
        for most, level in (
            (2 * limit, sections_of(chunks)),
            (limit, [each for each in chunks if not passages_of(chunks, each)]),
        ):
            if length(found, span) <= most:
                assert any(each.span.start <= span.start and span.end <= each.span.end for each in level)


LONG = {
    "one line without a space": "x" * 300_000,
    "one line of Chinese": "漢字" * 100_000,
    "one character with many marks": "a" + "\u0301" * 200_000,
    "spaces": "a" + " " * 300_000 + "b",
    "indentation": (" " * 5_000 + "a\n") * 60,
    "full stops": ". " * 150_000,
    "exclamations": "!" * 300_000,
    "brackets behind a full stop": "." + ")" * 300_000,
    "blank lines": "a\n" + "\n" * 300_000 + "b",
    "lines of spaces": "a\n" + "   \n" * 100_000 + "b",
    "quoted blank lines": "> a\n" + ">\n" * 100_000 + "> b",
    "tables that never end": "<table>\n\n" * 40_000,
    "tables": "<table>\n\n</table>\n\n" * 20_000,
    "code in a table": "<table>\n\n" + "```\nx\n```\n\n" * 20_000 + "</table>",
    "rules": "|-" * 100_000,
    "rows of dashes": ("-" * 2_000 + "x\n") * 150,
    "fences": "```\nx\n```\n" * 30_000,
    "list items": "- a\n" * 80_000,
    "simple tables that never end": "== ==\na\n" * 40_000,
    "paragraphs": "a b c.\n\n" * 40_000,
    "short headings": "# a\n\n" * 40_000,
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("media", [formats.MARKDOWN, formats.RST, formats.TEXT])
def test_long_runs_of_anything_are_chunked(name: str, media: Media) -> None:
    found = document(LONG[name].encode(), media)
    chunks = chunk(found)
    check_order(found, chunks)
    if media is not formats.TEXT:
        assert all(length(found, each.span) <= 2000 for each in chunks)
    assert sum(len(found.source[each.span.start : each.span.end].split()) for each in sections_of(chunks)) >= len(
        found.source.split()
    )


def test_the_chunks_of_real_pages_keep_every_law(laid_out: Path) -> None:
    pages = sorted((laid_out / "docs-dev" / "corpus").rglob("*.md"))[::7]
    assert len(pages) > 20
    for page in pages:
        for options in (ChunkOptions(), ChunkOptions(section_chars=700, passage_chars=150)):
            check(document(page.read_bytes()), options)
