"""reStructuredText, AsciiDoc and help of programs as their own programs read them."""

from __future__ import annotations

from pinakes.parse import parse
from pinakes.records import Document, Media, Raw, Ref, Stamp, formats


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
