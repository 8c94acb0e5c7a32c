"""What is read in plain text, reStructuredText, AsciiDoc and org files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.parse import parse
from pinakes.records import Document, Media, Raw, Ref, Stamp, formats


def read(content: str | bytes, media: Media, path: str = "guide/page") -> Document:
    data = content if isinstance(content, bytes) else content.encode()
    return parse(Raw(Stamp(Ref("docs", path), "1-1", media), data, "digest"))


def outline(document: Document) -> list[tuple[int, str, str, str]]:
    """Level, title, anchor and lines of every section."""
    return [(each.level, each.title, each.anchor, each.lines.outside()) for each in document.sections]


def targets(document: Document) -> list[tuple[str, str, str]]:
    return [(link.form.value, link.target, link.text) for link in document.links]


def code(document: Document) -> list[tuple[int, str, str]]:
    return [(block.section, block.language, document.text(block.span)) for block in document.code]


def test_a_text_is_one_section_called_by_its_first_line() -> None:
    document = read(
        "\n =====\n  Release   notes \n\nSee https://example.com/a_b_c. And src/auth.py, too.\n", formats.TEXT
    )
    assert document.title == "Release notes"
    assert outline(document) == [(0, "", "", "1-5")]
    assert targets(document) == [
        ("link", "https://example.com/a_b_c", "https://example.com/a_b_c"),
        ("path", "src/auth.py", "src/auth.py"),
    ]
    assert document.links[0].line == 4
    assert document.text(document.links[0].span) == "https://example.com/a_b_c"


def test_a_long_first_line_is_cut_and_an_empty_text_is_called_by_its_file() -> None:
    assert read("word " * 100, formats.TEXT).title == ("word " * 20).strip()
    assert read("one\rtwo\r", formats.TEXT).title == "one"
    assert read("", formats.TEXT, "notes/empty.txt").title == "empty.txt"
    assert read(" \n\n\t", formats.TEXT, "notes/blank.txt").title == "blank.txt"


RST = """\
.. _top:

=====
Guide
=====

Intro with ``code_ <x>`_`` and `a page <https://example.com/x>`_ or docs_.

.. _docs: https://docs.example.com/
.. _Other Page: other.rst

Setup
-----
Text::

    Not a heading
    -------------
    https://quiet.example.com

See `other page`_, :doc:`install`, :doc:`the API </api/index>`, :ref:`top`, :ref:`elsewhere`.

Deep *one* ``two``
~~~~~~~~~~~~~~~~~~

.. code-block:: python
   :linenos:

   x = 1

   =====

.. image:: img/flow.png
   :alt: flow

- item
------

====  ====
A     B
====  ====
1     2
====  ====

Setup
-----
"""


def test_rst_headings_follow_the_order_of_their_ornaments() -> None:
    document = read(RST, formats.RST)
    assert document.title == "Guide"
    assert outline(document) == [
        (0, "", "", "1-45"),
        (1, "Guide", "guide", "3-45"),
        (2, "Setup", "setup", "12-43"),
        (3, "Deep one two", "deep-one-two", "22-43"),
        (2, "Setup", "setup-1", "44-45"),
    ]
    assert [section.parent for section in document.sections] == [-1, 0, 1, 2, 1]
    assert document.sections[1].aliases == ("top",)
    assert document.text(document.own(4)) == "Setup\n-----\n"
    assert [[shape.value for shape in section.shapes] for section in document.sections] == [
        [],
        [],
        ["code"],
        ["table", "code"],
        [],
    ]


def test_rst_code_and_links_are_found_and_code_holds_no_links() -> None:
    document = read(RST, formats.RST)
    assert code(document) == [
        (2, "", "    Not a heading\n    -------------\n    https://quiet.example.com\n"),
        (3, "python", ".. code-block:: python\n   :linenos:\n\n   x = 1\n\n   =====\n"),
    ]
    assert targets(document) == [
        ("link", "https://example.com/x", "a page"),
        ("link", "https://docs.example.com/", "docs"),
        ("link", "other.rst", "other page"),
        ("link", "install.rst", "install"),
        ("link", "/api/index.rst", "the API"),
        ("link", "#top", "top"),
        ("link", "elsewhere", "elsewhere"),
        ("image", "img/flow.png", "img/flow.png"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Title\n",
        "Title\n=\n",
        "Long title\n===\n",
        "paragraph\nTitle\n=====\n",
        "  Title\n  =====\n",
        "\n----------\n\nAfter a transition\n",
        "- bullet\n--------\n",
        "====\n\n====\n",
        "..\n====\n",
    ],
)
def test_what_only_looks_like_an_rst_heading_is_none(text: str) -> None:
    assert len(read(text, formats.RST).sections) == 1


@pytest.mark.parametrize(
    "text", ["Title\n=====", "Title\r\n=====\r\n", "Title\r=====\r", "Öffnung\n=======\n", "T\n====\n"]
)
def test_rst_headings_stand_with_any_line_end_and_script(text: str) -> None:
    document = read(text, formats.RST)
    assert [section.title for section in document.sections[1:]] == [document.title]
    assert document.sections[1].lines == (0, 2)


ADOC = """\
= Manual
Author <a@example.com>
:toc:

Intro, see link:setup.html[the setup], xref:install.adoc#linux[Linux], <<second>>, <<other.adoc#x,Other>>.
Also https://example.com[Example^] and https://bare.example.com/.

[#first]
== First `part` ==

[source,ruby]
----
== Not a heading
link:quiet.html[quiet]
----

image::flow.svg[Flow, 200]

[[second]]
=== Second
|===
|A |B
== Not one either
|===

....
literal
....

Old style
---------

```js
x
```

////
== Comment
////

== [[third]]Third
"""


def test_asciidoc_headings_blocks_and_links_are_found() -> None:
    document = read(ADOC, formats.ASCIIDOC)
    assert document.title == "Manual"
    assert [(level, title, anchor) for level, title, anchor, _ in outline(document)] == [
        (0, "", ""),
        (1, "Manual", "manual"),
        (2, "First part", "first-part"),
        (3, "Second", "second"),
        (2, "Old style", "old-style"),
        (2, "Third", "third"),
    ]
    assert [section.aliases for section in document.sections] == [
        *((), (), ("first", "_first_part"), ("_second",)),
        *(("_old_style",), ("_third",)),
    ]
    assert [[shape.value for shape in section.shapes] for section in document.sections] == [
        [],
        [],
        ["code"],
        ["table", "code"],
        ["code"],
        [],
    ]
    assert code(document) == [
        (2, "ruby", "----\n== Not a heading\nlink:quiet.html[quiet]\n----\n"),
        (3, "", "....\nliteral\n....\n"),
        (4, "js", "```js\nx\n```\n"),
    ]
    assert targets(document) == [
        ("link", "setup.html", "the setup"),
        ("link", "install.adoc#linux", "Linux"),
        ("link", "#second", "#second"),
        ("link", "other.adoc#x", "Other"),
        ("link", "https://example.com", "Example"),
        ("link", "https://bare.example.com/", "https://bare.example.com/"),
        ("image", "flow.svg", "Flow"),
    ]


def test_an_asciidoc_block_that_never_ends_runs_to_the_end() -> None:
    document = read("== A\n\n----\n== B\n", formats.ASCIIDOC)
    assert [section.title for section in document.sections] == ["", "A"]
    assert code(document) == [(1, "", "----\n== B\n")]


ORG = """\
#+TITLE: My notes
#+FILETAGS: :home:
#+TODO: IDEA | SHIPPED
Some [[https://example.com][site]] and [[file:img/a.png]].

* TODO [#A] Buy milk :shop:food:
:PROPERTIES:
:CUSTOM_ID: milk
:END:
** IDEA See [[file:b.org::*Deep part][the deep part]]
#+BEGIN_SRC python
* not a heading
[[quiet]]
#+END_SRC
#+begin_src sh
| a | b |
|---+---|
| 1 | 2 |
**bold** is no heading
* Buy milk
[[*Buy milk]] [[#milk][here]] [[file:c.org::#id]]
"""


def test_org_headlines_lose_their_keywords_priorities_and_tags() -> None:
    document = read(ORG, formats.ORG)
    assert document.title == "My notes"
    assert document.tags == ("food", "home", "shop")
    assert outline(document) == [
        (0, "", "", "1-21"),
        (1, "Buy milk", "buy-milk", "6-19"),
        (2, "See the deep part", "see-the-deep-part", "10-19"),
        (1, "Buy milk", "buy-milk-1", "20-21"),
    ]
    assert document.sections[1].aliases == ("milk",)
    assert [shape.value for shape in document.sections[2].shapes] == ["table", "code"]
    assert code(document) == [(2, "python", "#+BEGIN_SRC python\n* not a heading\n[[quiet]]\n#+END_SRC\n")]
    assert targets(document) == [
        ("link", "https://example.com", "site"),
        ("image", "img/a.png", "img/a.png"),
        ("link", "b.org#deep-part", "the deep part"),
        ("link", "#buy-milk", "#buy-milk"),
        ("link", "#milk", "here"),
        ("link", "c.org#id", "c.org#id"),
    ]


def test_bytes_that_are_not_text_are_read_and_said() -> None:
    document = read(b"\xff\xfeT\x00i\x00t\x00l\x00e\x00", formats.TEXT)
    assert document.title == "Title"
    assert document.warnings
    assert read("Übung macht den Meister ééé\n".encode() + b"\xff", formats.RST).warnings == (
        "Some bytes are not UTF-8; they were replaced by U+FFFD.",
    )


RUNS = (
    "`¦`a <¦link:¦link:x[¦<<a,¦[[¦[[a][¦a_ ¦::\n\n¦=\n¦====  ====\n¦A\n=\n¦----\n¦* a\n¦#+begin_src\n¦..\n¦.. _a:\n"
    "¦:doc:`¦https://¦``¦a/¦_¦*¦| ¦|---|\n¦:: a:¦x::\n\n y\n¦a¦a.¦1"
)


@pytest.mark.parametrize("media", [formats.TEXT, formats.RST, formats.ASCIIDOC, formats.ORG])
@pytest.mark.parametrize("piece", RUNS.split("¦"))
def test_long_runs_of_anything_are_read(media: Media, piece: str) -> None:
    document = read(piece * (200_000 // len(piece)), media)
    assert document.sections[0].span.end == len(document.source)


ROWS = """\
Title¦=====¦-----¦== Head¦* TODO Star :a:¦text::¦    code¦¦----¦|===¦....¦.. code-block:: c¦.. _t: u¦#+BEGIN_SRC c¦\
#+END_SRC¦\
[[a][b]]¦<<x>>¦`a <b>`_¦é https://a.b/c¦====  ====¦+---+¦.. image:: a.png¦t_¦[[id]]¦```¦:CUSTOM_ID: x¦link:a[b]¦\
\x0c¦\u2028"""
TEXTS = st.builds(
    lambda rows, end: end.join(rows).encode(),
    st.lists(st.sampled_from(ROWS.split("¦")), max_size=30),
    st.sampled_from(["\n", "\r\n", "\r"]),
)


@given(
    data=st.one_of(st.binary(max_size=200), TEXTS),
    media=st.sampled_from([formats.TEXT, formats.RST, formats.ASCIIDOC, formats.ORG]),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
)
def test_any_bytes_are_read_and_every_place_is_inside(data: bytes, media: Media, mark: bytes) -> None:
    document = read(mark + data, media)
    source, sections = document.source, document.sections
    begin = sections[0].span.start
    assert source[:begin] == mark or not mark
    assert sections[0].span.end == len(source)
    assert sections[0].lines.end == len(source[begin:].splitlines())
    for position, section in enumerate(sections[1:], 1):
        parent = sections[section.parent]
        assert section.parent < position
        assert section.level > parent.level
        assert parent.span.start <= section.span.start < section.span.end <= parent.span.end
        assert sections[position - 1].span.start < section.span.start or position == 1
        assert section.lines.start == len(source[begin : section.span.start].splitlines())
    assert len({section.anchor for section in sections}) == len(sections)
    places = [link.span.start for link in document.links]
    assert places == sorted(places)
    for link in document.links:
        assert sections[link.section].span.start <= link.span.start < link.span.end <= len(source)
        assert link.target
        source[link.span.start : link.span.end].decode()
    for block in document.code:
        assert block.span.start in sections[block.section].span
        assert block.span.end <= len(source)
