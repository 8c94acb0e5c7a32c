"""The link graph as a drawing."""

from __future__ import annotations

from xml.etree import ElementTree

from pinakes.records.graph import Dot, Picture
from pinakes.render.picture import picture_svg

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*dots: Dot, arcs: tuple[tuple[int, int], ...] = (), left_out: int = 0) -> tuple[str, ElementTree.Element]:
    text = picture_svg(Picture(400.0, 300.0, dots, arcs, left_out))
    text.encode("utf-8")
    return text, ElementTree.fromstring(text)


def test_documents_are_dots_that_grow_with_citations_and_links_are_lines() -> None:
    _, root = drawn(Dot("a.md", "A", 10, 20, 9, 0), Dot("b.md", "B", 30, 40.5, 0, -1), arcs=((1, 0),))
    large, small = root.findall(f".//{SVG}circle")
    assert float(large.attrib["r"]) > float(small.attrib["r"])
    assert (large.attrib["class"], small.attrib["class"]) == ("dot c0", "dot alone")
    assert large.findtext(f"{SVG}title") == "A\na.md\ncited by 9 sections"
    (line,) = root.findall(f".//{SVG}line")
    assert [line.attrib[name] for name in ("x1", "y1", "x2", "y2")] == ["30", "40.5", "10", "20"]


def test_a_picture_of_a_part_says_of_how_many() -> None:
    _, root = drawn(Dot("a.md", "A", 10, 20, 9, 0), left_out=99)
    assert root.findtext(f"{SVG}title") == "The 1 leading of 100 documents and 0 links between them"


def test_hostile_titles_stay_text() -> None:
    title = '</title><script>alert(1)</script>&"\x00\x1b[31m\ud800\ufffe'
    text, root = drawn(Dot("x/<b>.md", title, 1, 1, 1, 0))
    assert not root.findall(f".//{SVG}script")
    assert "\x00" not in text and "\x1b" not in text
    said = root.findtext(f".//{SVG}circle/{SVG}title")
    assert said is not None and said.startswith('</title><script>alert(1)</script>&"')


def test_only_leading_documents_are_labelled_and_long_titles_are_cut() -> None:
    _, root = drawn(*(Dot(f"{number}.md", "long title " * 20, 1, 50 * number, 0, number) for number in range(100)))
    labels = [label.text or "" for label in root.findall(f".//{SVG}text[@class='label']")]
    assert len(labels) == 40
    assert max(map(len, labels)) <= 32 and labels[0].endswith("…")


def test_a_label_never_covers_that_of_a_more_cited_document() -> None:
    _, root = drawn(
        Dot("a.md", "First", 50, 50, 9, 0), Dot("b.md", "Second", 55, 50, 9, 0), Dot("c.md", "3", 90, 50, 9, 0)
    )
    assert [label.text for label in root.findall(f".//{SVG}text[@class='label']")] == ["First", "3"]


def test_an_empty_corpus_still_gives_a_drawing() -> None:
    _, root = drawn()
    assert root.findtext(f"{SVG}title") == "0 documents and 0 links between them"


def test_it_stands_alone_in_light_and_in_dark() -> None:
    text, _ = drawn(Dot("a.md", "A", 10, 20, 9, 0))
    assert "prefers-color-scheme:dark" in text
    assert text.count("http") == 1
