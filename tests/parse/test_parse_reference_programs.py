"""reStructuredText, AsciiDoc, org and help of programs as their own programs read them."""

from __future__ import annotations

from pathlib import Path

import pinakes
from pinakes.parse import parse
from pinakes.prose import visible
from pinakes.records import Document, Media, Outcome, Raw, Ref, Stamp, formats


def read(text: str, media: Media) -> Document:
    return parse(Raw(Stamp(Ref("docs", "guide/page"), "1-1", media), text.encode(), "digest"))


def code(document: Document) -> list[tuple[str, str]]:
    return [(one.language, document.source[one.span.start : one.span.end].decode()) for one in document.code]


def test_rst_sessions_and_code_of_sphinx_are_code_and_titles_are_as_shown() -> None:
    text = (
        ":mod:`!os` --- Of :func:`~os.path.join`, :ref:`the end <x>`\\ s\n" + "=" * 70 + "\n\nAsk::\n\n    a\n\n"
        ">>> 1 + 1\n2\n\n.. doctest:: group\n\n   >>> x\n\n.. productionlist::\n   a: b\n"
    )
    document = read(text, formats.RST)
    assert document.title == "os --- Of join, the ends"
    assert [language for language, _ in code(document)] == ["", "pycon", "pycon", "ebnf"]


def test_asciidoc_ids_that_are_made_of_titles_lead_to_their_sections() -> None:
    text = "= Doc\n\n== Getting `the_code` now!\n\n[[own]]\nOLD\n---\n\n== Twice\n\n== Twice\n"
    anchors = read(text, formats.ASCIIDOC).anchors()
    assert anchors["_getting_the_code_now"] == "getting-the_code-now"
    assert anchors["own"] == anchors["_old"] == "old"
    assert (anchors["_twice"], anchors["_twice_2"]) == ("twice", "twice-1")
    plain = read(":idprefix:\n:idseparator: -\n\n== One two\n", formats.ASCIIDOC)
    assert plain.anchors()["one-two"] == "one-two"


def test_an_indented_paragraph_of_asciidoc_is_code_and_a_list_is_not() -> None:
    text = "= Doc\n\n  https://quiet.example.com\n  x\n\n* one\n\n  ** two\n\n  term:: text\n\n  1. three\n"
    document = read(text, formats.ASCIIDOC)
    assert [body for _, body in code(document)] == ["  https://quiet.example.com\n  x\n"]
    assert document.links == ()


HELP = """\
usage: git add [--all] [<pathspec>...]

Add files to the index.

positional arguments:
  pathspec     which files

Options:

  --all        everything, see https://example.com/all
  Not: one
EXIT CODES
    0 when all is well
Note: this
"""


def test_the_help_of_a_program_has_its_sections() -> None:
    document = read(HELP, formats.HELP)
    assert document.title == "git add"
    assert [section.title for section in document.sections] == ["", "positional arguments", "Options", "EXIT CODES"]
    assert [link.target for link in document.links] == ["https://example.com/all"]
    assert read("Usage:\n  tool.exe COMMAND\n", formats.HELP).title == "tool.exe"
    assert formats.HELP.is_told_by(HELP.encode())
    assert not formats.HELP.is_told_by(b"the usage: of it")


def test_what_explains_a_term_of_asciidoc_is_text_and_what_stands_behind_it_is_code() -> None:
    text = (
        "one::\n\n  explains\n\n  shown\n\ntwo:: said\n\n  too\n\n--\n in a block\n--\n\n== Part\n at once\n\n"
        "OLD\n---\n under it\n[[mark]]\nwords\n\n // as it stands\n"
    )
    assert [body for _, body in code(read(text, formats.ASCIIDOC))] == [
        *("  shown\n", "  too\n", " in a block\n", " at once\n", " under it\n", " // as it stands\n")
    ]


GUIDE = (Path(__file__).parent / "cases" / "guide.org").read_text("utf-8")


def test_headlines_of_org_are_as_shown_and_answer_to_their_ids_targets_and_names() -> None:
    document = read(GUIDE, formats.ORG)
    assert document.title == "The whole guide"
    assert [section.title for section in document.sections] == ["", "The run and a_b of X", "Last part"]
    assert document.tags == ("old",)
    assert document.sections[0].aliases == ("0f1e2d3c-0000-4000-8000-aabbccddeeff",)
    ids = ("run", "11111111-2222-3333-4444-555555555555", "sample", "aim")
    assert document.sections[1].aliases == ids
    assert document.sections[2].aliases == ("fn:1",)
    assert [shape.value for shape in document.sections[1].shapes] == ["table", "code"]


def test_blocks_and_fixed_rows_of_org_are_code_and_remarks_drawers_and_keywords_are_not_shown() -> None:
    document = read(GUIDE, formats.ORG)
    assert code(document) == [
        (
            "emacs-lisp",
            '#+begin_src emacs-lisp :results output\n  (message "[[quiet]]")\n,* no headline\n#+end_src\n',
        ),
        ("", ": said\n: twice\n"),
    ]
    seen = visible(document, document.sections[0].span)
    for words in ("Words in a drawer", "Quoted words", "no headline", "The /whole/", "A note"):
        assert words in seen
    for words in (
        "remark",
        "CLOCK",
        "CUSTOM_ID",
        "555555555555\n",
        "toc:nil",
        "begin_quote",
        "Hidden words",
        "<<aim>>",
    ):
        assert words not in seen


def test_links_of_org_lead_where_org_leads_them() -> None:
    assert [(link.form.value, link.target, link.text) for link in read(GUIDE, formats.ORG).links] == [
        ("link", "x.el", "X"),
        ("link", "#fn:1", "[fn:1]"),
        ("link", "#aim", "#aim"),
        ("link", "#sample", "#sample"),
        ("link", "#The run", "again"),
        ("link", "#last-part", "wrapped [1] text"),
        ("link", "./other file.org#its-part", "./other file.org#its-part"),
        ("link", "https://bugs.example.com/7", "https://bugs.example.com/7"),
        ("link", "b.org#L12", "b.org#L12"),
        ("link", "./c.org#id", "c"),
        ("link", "#11111111-2222-3333-4444-555555555555", "#11111111-2222-3333-4444-555555555555"),
        ("link", "99999999-2222-3333-4444-555555555555", "far"),
        ("image", "picture.png", "picture.png"),
        ("link", "#Nowhere", "#Nowhere"),
        ("link", "notes/d.org", "notes/d.org"),
    ]


def test_ids_of_org_lead_to_sections_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "guide.org").write_text(GUIDE, "utf-8")
    near = "11111111-2222-3333-4444-555555555555"
    far = "[[id:0f1e2d3c-0000-4000-8000-aabbccddeeff][whole]]"
    (tmp_path / "other.org").write_text(f"* Its part\n[[id:{near}][run]] {far} [[id:{near[:-1]}0][none]]\n", "utf-8")
    with pinakes.open(tmp_path) as library:
        library.sync()
        edges = {edge.link.text: edge for edge in library.links("other.org").outgoing}
    assert str(edges["run"].to) == "docs:guide.org#the-run-and-a_b-of-x"
    assert str(edges["whole"].to) == "docs:guide.org"
    assert edges["none"].outcome is Outcome.MISSING
