"""What chunks of whole documents look like: drawings, empty files, other line ends, real pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from pinakes.chunk import ChunkOptions, chunk, fingerprint
from pinakes.parse import parse
from pinakes.records import Document, Media, Raw, Ref, Span, Stamp, formats


def document(data: bytes, media: Media = formats.MARKDOWN) -> Document:
    return parse(Raw(Stamp(Ref("docs", "page"), "1", media), data, "digest"))


def texts(found: Document, options: ChunkOptions | None = None) -> list[str]:
    return [found.text(each.span) for each in (chunk(found, options) if options else chunk(found))]


@pytest.mark.parametrize("media", [formats.MARKDOWN, formats.TEXT, formats.RST, formats.SVG])
@pytest.mark.parametrize("data", [b"", b"\n \t\r\n\r", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_nothing_gives_no_chunks(data: bytes, media: Media) -> None:
    assert chunk(document(data, media)) == ()


def test_a_byte_order_mark_is_in_no_chunk() -> None:
    (only,) = chunk(document(b"\xef\xbb\xbf# Title\n"))
    assert (only.span, only.lines) == (Span(3, 10), Span(0, 1))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_counts(end: str) -> None:
    text = end.join(["---", "title: T", "---", "", "Before.", "", "# A", "", "One line.", "", "Another line.", ""])
    found = document(text.encode())
    chunks = chunk(found, ChunkOptions(section_chars=20 + 2 * len(end), passage_chars=20 + 2 * len(end)))
    assert [(found.text(each.span), each.lines) for each in chunks] == [
        ("Before.", Span(4, 5)),
        (f"# A{end}{end}One line.", Span(6, 9)),
        ("Another line.", Span(10, 11)),
    ]


def test_only_line_ends_end_lines() -> None:
    first, second = chunk(document("a\x0bb\x0cc\u2028d\x85\n\n# Title\n".encode()))
    assert (first.lines, second.lines) == (Span(0, 1), Span(2, 3))


def test_a_drawing_has_a_chunk_for_every_section_that_says_something() -> None:
    drawing = (
        b'<svg xmlns="http://www.w3.org/2000/svg">\n<title>Network</title>\n<text>Router</text>\n'
        b'<g id="storage layer">\n<text>Disk</text>\n</g>\n</svg>\n'
    )
    found = document(drawing, formats.SVG)
    chunks = chunk(found, ChunkOptions(section_chars=10, passage_chars=5))
    assert [(found.sections[each.section].title, each.span, each.code_ratio) for each in chunks] == [
        (found.sections[at].title, found.own(at), 0.0) for at in range(1, len(found.sections))
    ]
    assert [each.lines for each in chunks] == [Span(1, 3), Span(3, 7)]
    assert all(each.parent == each.ordinal for each in chunks)


def test_the_labels_of_an_untitled_drawing_are_in_its_only_chunk() -> None:
    found = document(b"<svg><text>Router</text></svg>", formats.SVG)
    assert texts(found) == ["<svg><text>Router</text></svg>"]


def test_code_that_fills_more_than_half_shows_in_the_ratio() -> None:
    (only,) = chunk(document(b"# T\n\n```\nsome code here\n```\n"))
    assert only.code_ratio == pytest.approx(22 / 27)


def test_characters_are_counted_and_not_bytes() -> None:
    found = document(("é" * 600).encode())
    assert len(texts(found)) == 1
    assert [len(text) for text in texts(document(("é" * 601).encode()))] == [601, 301, 300]


def test_a_mark_is_never_separated_from_its_letter() -> None:
    found = document(("e\u0301" * 301).encode())
    _, *passages = texts(found)
    assert len(passages) == 2
    assert all(text.startswith("e") and text.endswith("\u0301") for text in passages)


def test_a_document_kept_with_invalid_bytes_is_chunked_where_it_is_valid() -> None:
    found = replace(document(b"x"), source=b"# A\n\n" + b"\xff\xfe word. " * 200)
    root = replace(found.sections[0], span=Span(0, len(found.source)))
    chunks = chunk(replace(found, sections=(root,)))
    covered = b"".join(found.source[each.span.start : each.span.end] for each in chunks if each.parent == each.ordinal)
    assert covered.split() == found.source.split()


def test_fingerprints_follow_the_options() -> None:
    assert fingerprint(ChunkOptions()) == fingerprint(ChunkOptions())
    assert fingerprint(ChunkOptions()) != fingerprint(ChunkOptions(passage_chars=599))


def test_real_pages_are_cut_into_few_scraps(laid_out: Path) -> None:
    """A passage of a few words matches anything; cutting evenly leaves hardly any."""
    passages = []
    for page in sorted((laid_out / "docs-dev" / "corpus").rglob("*.md")):
        found = document(page.read_bytes())
        passages += [each.span.length for each in chunk(found) if each.parent != each.ordinal]
    assert len(passages) > 1000
    assert len([size for size in passages if size < 80]) < 0.02 * len(passages)
    assert sum(passages) / len(passages) > 350
