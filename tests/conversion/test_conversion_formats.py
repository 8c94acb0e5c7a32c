"""Web pages, PDF, office documents and books: what their text is, and where in the file it comes from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kits import office
from pinakes.conversion import end_idle_converters
from pinakes.parse import parse
from pinakes.records import Document, Raw, Ref, Stamp, media_of


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    yield
    end_idle_converters()


def read(name: str, data: bytes) -> Document:
    return parse(Raw(Stamp(Ref("docs", f"files/{name}"), "1-1", media_of(name)), data, "digest"))


def lines(document: Document) -> list[str]:
    return [line for line in document.source.decode().split("\n") if line]


PAGE = """<!doctype html><html><head><meta charset="windows-1252"><title>Tides &amp; more</title></head><body>
<nav><a href="/">Home</a></nav><section id="top"><h1>Tides<a class="headerlink" href="#top">¶</a></h1>
<p id="first">High water comes <a href="twice.html#b">twice</a> a day, in the café too.</p></section>
<div id="outer"><h2 id="inner">Moons</h2><table id="table"><tr><th>day</th></tr><tr><td>1</td></tr></table>
<p style="display:none" id="gone">a secret</p><pre>code</pre></div></body></html>"""


def test_a_web_page_in_a_folder_is_its_readable_part() -> None:
    document = read("tides.html", PAGE.encode("cp1252"))
    assert lines(document) == [
        "# Tides",
        "High water comes [twice](twice.html#b) a day, in the café too.",
        *("## Moons", "| day |", "| --- |", "| 1 |", "```", "code", "```"),
    ]
    assert document.title == "Tides"
    assert [link.target for link in document.links] == ["twice.html#b"]


def test_the_ids_of_a_web_page_lead_to_their_sections() -> None:
    anchors = read("tides.html", PAGE.encode("cp1252")).anchors()
    assert {one: anchors.get(one) for one in ("top", "first", "inner", "outer", "table", "gone")} == {
        **dict.fromkeys(("top", "first"), "tides"),
        **dict.fromkeys(("inner", "outer", "table"), "moons"),
        "gone": None,
    }


def test_a_rule_at_the_top_of_a_page_is_no_frontmatter() -> None:
    document = read("page.html", b"<hr><p>title: no</p><hr><p>text</p>")
    assert document.title == "page.html"
    assert "title: no" in document.source.decode()[document.body :]


def test_a_page_of_a_pdf_is_a_section_that_its_number_leads_to() -> None:
    data = office.pdf(
        ["Harbour report", "The quay needs 40 stones."],
        ["# no heading", "\\<script> is text"],
        title="Report",
        outline=[("Quays", 1), ("Stones", 1), ("Dredging", 2)],
    )
    document = read("report.pdf", data)
    assert [(one.anchor, one.title, one.aliases) for one in document.sections[1:]] == [
        ("page=1", "Page 1: Quays · Stones", ("page-1-quays--stones",)),
        ("page=2", "Page 2: Dredging", ("page-2-dredging",)),
    ]
    assert document.title == "Report"
    assert "\\# no heading\n\\<script> is text" in document.source.decode()


def test_a_line_that_every_page_begins_with_is_left_out() -> None:
    pages = [["The harbour", f"Text {word}", f"page {number}"] for number, word in enumerate("abcde", 1)]
    text = read("report.pdf", office.pdf(*pages)).source.decode()
    assert text.count("The harbour") == 1
    assert "page 4" not in text
    assert "Text e" in text


def test_a_scanned_pdf_says_so() -> None:
    assert read("scan.pdf", office.pdf([], [])).warnings == (
        "None of its 2 pages holds text: it was probably scanned. Run OCR on it first.",
    )
    assert read("part.pdf", office.pdf(["text"], [])).warnings == (
        "1 of its 2 pages hold no text; they were probably scanned, or show a picture.",
    )


def test_a_word_document_keeps_its_headings() -> None:
    document = read("plan.docx", office.docx(("Heading1", "The plan"), ("", "We sail."), ("Heading2", "Costs")))
    assert lines(document) == ["# The plan", "We sail.", "## Costs"]


def test_a_slide_is_a_section_that_its_number_leads_to() -> None:
    document = read("talk.pptx", office.pptx(("Welcome", "The keeper speaks"), ("Signals", "Three flashes")))
    assert lines(document) == ["## Slide 1: Welcome", "The keeper speaks", "## Slide 2: Signals", "Three flashes"]
    assert [one.anchor for one in document.sections[1:]] == ["slide=1", "slide=2"]
    assert document.title == "talk.pptx"


def test_a_sheet_is_a_section_with_a_table() -> None:
    document = read("prices.xlsx", office.xlsx({"Ropes": [["name", "price"], ["hemp", 12]], "Sails": [["a"], ["b"]]}))
    assert lines(document)[:4] == ["## Ropes", "| name | price |", "| --- | --- |", "| hemp | 12 |"]
    assert document.anchors()["sheet=Sails"] == "sails"


def test_the_chapters_of_a_book_follow_each_other() -> None:
    first = '<h1 id="one">First watch</h1><p>The bell rang.</p><p style="display:none">a secret</p>'
    document = read("sea.epub", office.epub("The Sea", first, "<p>Fog came in.</p>"))
    assert lines(document) == ["# First watch", "The bell rang.", "Fog came in."]
    assert {one: document.anchors()[one] for one in ("one", "chapter=1", "chapter=2")} == {
        **dict.fromkeys(("one", "chapter=1", "chapter=2"), "first-watch")
    }


def test_an_open_document_keeps_headings_lists_tables_links_and_bookmarks() -> None:
    body = (
        '<text:h text:outline-level="2">Dear captain</text:h><text:p><text:bookmark text:name="top"/>The '
        '<text:a xlink:href="plan.docx">anchor</text:a> is<text:s/>lost.</text:p><text:list><text:list-item>'
        "<text:p>one</text:p><text:list><text:list-item><text:p>two</text:p></text:list-item></text:list>"
        "</text:list-item></text:list><table:table><table:table-row>"
        '<table:table-cell table:number-columns-repeated="2">'
        "<text:p>a|b</text:p></table:table-cell></table:table-row></table:table>"
    )
    document = read("letter.odt", office.odt(body, "Letter"))
    assert lines(document) == [
        *("## Dear captain", "The [anchor](plan.docx) is lost.", "- one", "  - two"),
        *("| a\\|b | a\\|b |", "| --- | --- |"),
    ]
    assert document.title == "Letter"
    assert document.anchors()["top"] == "dear-captain"
