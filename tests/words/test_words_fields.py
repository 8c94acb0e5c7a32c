"""What a chunk is found by."""

from __future__ import annotations

from pinakes.chunk import chunk
from pinakes.parse import parse
from pinakes.records import DOCS, NumberedDocument, Raw, Ref, Stamp, formats
from pinakes.words.fields import ChunkTerms, rows
from pinakes.words.tokenize import Terms, as_written


def made(text: str, path: str = "a.md", called: tuple[str, ...] = ()) -> list[ChunkTerms]:
    media = formats.SVG if path.endswith(".svg") else formats.MARKDOWN
    document = parse(Raw(Stamp(Ref(DOCS, path), "1", media), text.encode(), "d"))
    numbered = NumberedDocument(1, document, chunk(document), called or ("",) * len(document.sections))
    terms = Terms(as_written)
    return [row._replace(words=" ".join(row.words.split())) for row in rows(numbered, terms, terms)]


def test_a_chunk_is_found_by_its_words_and_called_by_its_headings() -> None:
    (first, second) = made("# Guide\n\nHello there.\n\n## Setup\n\nRun it.\n", "docs/intro.md")

    assert first == ChunkTerms(
        0, 1, "guide | docs intro | guide hello there | docs/intro", first.about, "", first.spelled
    )
    assert second == ChunkTerms(1, 2, "guide | setup | setup run it", second.about, "", "setup run it")
    assert (first.about, second.about) == ("docs intro guide guide guide", "guide guide guide setup setup")


def test_each_word_is_known_as_it_is_written_and_with_a_sign_where_it_is_not_in_the_text() -> None:
    (row,) = made("# Tides\n\nTides, tidesOf and ![a moon](m.png).\n\n```py\ntide()\n```\n", "sea/ebb.md")

    assert row.spelled == "tides tidesof and a moon tide of |py |sea |ebb |sea/ebb"


def test_a_title_from_frontmatter_stands_above_the_headings() -> None:
    (row,) = made("---\ntitle: The Book\n---\n# Guide\n\nHello.\n")

    assert row.about == " ".join(["a", *["the book"] * 3, *["guide"] * 2])


def test_what_the_frontmatter_says_belongs_to_the_first_chunk() -> None:
    first, second = made(
        "---\ndescription: All about tides\nkeywords: [moon]\ntags: [sea]\naliases: [Ebb]\nauthor: Ann Lee\n---\n"
        "# One\n\nText.\n\n# Two\n\nMore.\n"
    )

    assert first.words == "one | moon sea ebb all about tides ann lee a | one text"
    assert second.words == "one | two | two more"
    assert first.about == " ".join([*["moon"] * 2, *["sea"] * 2, "ebb all about tides ann lee a", *["one"] * 3])
    assert second.about == " ".join([*["one"] * 3, *["two"] * 2])


def test_a_page_of_nothing_but_frontmatter_is_found_by_it() -> None:
    (row,) = made("---\ntitle: Ebb and flow\ndescription: All about tides\n---\n", "sea/index.md")

    assert {"ebb", "flow", "tides", "sea"} <= set(row.words.split())


def test_links_lend_their_words_to_what_they_lead_to() -> None:
    first, second = made("# One\n\nText.\n\n# Two\n\nMore.\n", called=("the start\nbegin", "", "how tides work"))

    assert first.words == "one | a the start begin | one text"
    assert second.words == "one | two | how tides work | two more"


def test_code_counts_each_term_once_and_keeps_its_order_for_phrases() -> None:
    (row,) = made("# One\n\nUse it.\n\n```py\nx = load_all(x)\nx = load_all(y)\n```\n")

    assert row.words == "one | a | one use it | y x py load_all load all"
    assert row.code == "py x load_all x x load_all y"


def test_parts_of_names_count_only_where_they_are_new() -> None:
    (row,) = made("# One\n\nThe userName and user.id of a user.\n")

    assert row.words == "one | a | one the username and user id of a user | user.id name"


def test_where_a_link_leads_is_no_word_of_the_text() -> None:
    (row,) = made('# One {#first}\n\nSee [the guide](https://x.test/a_(b)/c.html "Title") now.\n')

    assert row.words == "one | a | one see the guide now"


def test_a_drawing_is_found_by_its_labels() -> None:
    found = made('<svg xmlns="http://www.w3.org/2000/svg"><text>Login service</text></svg>', "flow.svg")

    assert any("login" in row.words and "xmlns" not in row.words for row in found)


def test_passages_are_no_rows() -> None:
    assert [row.ordinal for row in made("# One\n\n" + "\n\n".join(["Some words here. " * 12] * 8))] == [0]
