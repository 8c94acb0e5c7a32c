"""What stands around a link."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kits.linked import page, shelf
from pinakes.graph.around import around, surroundings
from pinakes.parse import parse
from pinakes.records import DOCS, Document, Edge, Outcome, Raw, Ref, Stamp, formats


def read(text: str) -> Document:
    return parse(Raw(Stamp(Ref(DOCS, "a.md"), "1", formats.MARKDOWN), text.encode(), "d"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# A\n\nSee [the guide](b.md) first.\n\nMore.", "See the guide first."),
        ("# A\n\nOne\n  two [x](b.md)\nthree", "One two x three"),
        ("One.\n\n[x](b.md)\n\nTwo.", "x"),
        ("word " * 50 + "[x](b.md)" + " word" * 50, f"…{'word ' * 9}x{' word' * 10}…"),
        ("[x](b.md)" + " word" * 50, f"x{' word' * 19}…"),
        (f"[{'long ' * 50}](b.md) after", f"{'long ' * 20}".rstrip() + "…"),
        ("日" * 300 + "[語](b.md)" + "本" * 300, f"…{'日' * 49}語{'本' * 50}…"),
        ('# A\n\nSee <a href="b.md">x</a> and <b>y</b>.', "See x and <b>y</b>."),
        ('# A\n\n<A HREF="b.md"><b>x</b></A >, then', "x, then"),
        ('# A\n\nSee <img src="b.png"> here.', "See b.png here."),
        ("---\nrelated: [b.md]\n---\n\nText", ""),
    ],
)
def test_a_link_is_told_with_the_words_of_its_paragraph(text: str, told: str) -> None:
    document = read(text)
    assert around(document, document.links[0]) == told


@given(st.text(max_size=400), st.text(max_size=400))
def test_it_is_always_one_short_line(before: str, after: str) -> None:
    document = read(f"{before} [x](b.md) {after}".encode("utf-8", "replace").decode())
    for link in document.links:
        told = around(document, link)
        assert len(told) <= 103
        assert len(told.split("\n")) == 1


def test_links_are_told_in_their_order_and_nothing_of_a_document_that_is_gone() -> None:
    document = read("See [one](b.md).\n\nAnd [two](c.md).")
    gone = Edge(Ref(DOCS, "gone.md"), document.links[0], None, Outcome.MISSING)
    edges = [Edge(document.ref, link, None, Outcome.MISSING) for link in document.links]
    assert surroundings(shelf(document, page("b.md")), [edges[1], gone, edges[0]]) == ("And two.", "", "See one.")
