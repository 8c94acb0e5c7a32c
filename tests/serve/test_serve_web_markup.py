"""What the page makes of records and documents, without a server: markup that shows and never acts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("nh3")
pytest.importorskip("starlette")

from hypothesis import given, settings
from hypothesis import strategies as st

from kits.page import HOSTILE
from kits.trees import write_tree
from pinakes.html.markdown import markdown_html
from pinakes.html.markup import join, tag, text
from pinakes.html.targets import Targets
from pinakes.library import open_library
from pinakes.parse import parse
from pinakes.records import DOCS, Event, Phase, Raw, Ref, Stamp, Vote, formats
from pinakes.serve.web.files import files_html, progress_html, unread_html
from pinakes.serve.web.places import Places
from pinakes.serve.web.reader import ReadingFocus, reader_html
from pinakes.serve.web.results import snippet_html, votes_bar

PLACES = Places("docs")


def drawn(source: str, path: str = "a.md") -> str:
    """A document as the reader draws it, with none of its links looked up."""
    raw = Raw(Stamp(Ref(DOCS, path), "1", formats.MARKDOWN), source.encode("utf-8", "replace"), "d")
    return markdown_html(parse(raw), Targets.of((), PLACES))


class Seen(HTMLParser):
    """Every element and attribute a browser would meet."""

    def __init__(self, made: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.feed(made)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


ACTIVE = {
    "script",
    "style",
    "iframe",
    "object",
    "embed",
    "form",
    "input",
    "svg",
    "math",
    "link",
    "meta",
    "base",
    "video",
}
PIECES = st.sampled_from(
    (
        "<script>x</script>",
        "<img src=x onerror=y>",
        "<a href='javascript:x'>",
        "</a>",
        "<svg/onload=x>",
        "<p",
        ">",
        '"',
        "'",
        "[a](javascript:x)",
        "![b](http://evil.invalid/c)",
        "<!--",
        "-->",
        "<style>",
        "</style>",
        "`",
        "```\n",
        "| a |\n|---|\n| b |\n",
        "# h\n",
        "- ",
        "> ",
        "\n",
        "\n\n",
        "<math><mtext>",
        "<table>",
        "<details open ontoggle=x>",
        "[[w|<b>]]",
        "&lt;script&gt;",
        "&#106;avascript:",
        "<a id=x data-k='0' class=top style=color:red>",
        "\u202e",
        "*",
        "_",
    )
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_whatever_a_document_says_nothing_in_its_markup_acts(source: str) -> None:
    for made in (drawn(source), snippet_html([(source, False), (source, True)])):
        seen = Seen(made)
        assert seen.elements.isdisjoint(ACTIVE)
        assert [name for name, _ in seen.attributes if name.startswith("on") or name in ("style", "srcdoc")] == []
        assert [value for name, value in seen.attributes if name == "src"] == []
        assert [
            value
            for name, value in seen.attributes
            if name == "href" and not value.startswith(("http://", "https://", "mailto:", "#", "/in/docs/"))
        ] == []
        assert "data-k" not in {name for name, _ in seen.attributes}


@given(st.text())
def test_text_comes_back_as_it_was_or_spelled_out(words: str) -> None:
    made = text(words)
    assert not re.search(r"[<>\"']", made)
    assert Seen(tag("p", words, title=words)).elements == {"p"}
    made.encode()


def test_markup_is_escaped_unless_it_is_ours() -> None:
    assert join("<b>", tag("b", "x & y", title='"')) == '&lt;b&gt;<b title="&quot;">x &amp; y</b>'
    assert tag("input", disabled=True, value=None, name="q") == '<input disabled name="q">'


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# A *b*\n", '<h1 id="a-b" data-lines="1">A <em>b</em><a href="#a-b" class="permalink"'),
        ("a\n\n## A\n\n## A\n", '<h2 id="a-1" data-lines="5">A<a href="#a-1" class="permalink"'),
        ("- [x] done\n- [ ] open\n", "☑ done"),
        ("1. a\n2. b\n", '<ol start="1">'),
        ("x[^1]\n\n[^1]: note\n", '<div class="note" id="note-1">'),
        ("```py\n<b>\n```\n", '<code data-language="py">&lt;b&gt;\n</code>'),
        ("<https://a.example/?x=1&y=2>", 'href="https://a.example/?x=1&amp;y=2" rel="noopener noreferrer"'),
        (
            "![seen](http://a.example/b.png)",
            '<a href="http://a.example/b.png" rel="noopener noreferrer">[picture: seen]</a>',
        ),
        ("H<sub>2</sub>O <kbd>x</kbd>", "H<sub>2</sub>O <kbd>x</kbd>"),
        ("<details><summary>More</summary>\n\nwords\n\n</details>", "<details><summary>More</summary>"),
    ],
)
def test_markdown_is_drawn_as_people_expect_it(source: str, expected: str) -> None:
    assert expected in drawn(source)


@pytest.mark.parametrize(
    "piece",
    [
        "<div>",
        "<div></b>",
        "<DIV\n>",
        "<div/>",
        "<ul><li>",
        "<details>",
        "<b><p>",
        "<table><tr><td></div>",
        "[a](b) ",
    ],
)
def test_what_is_nested_or_linked_beyond_sense_is_shown_as_it_is_written(tmp_path: Path, piece: str) -> None:
    root = write_tree(tmp_path, {"deep.md": f"# Deep\n\n{piece * 40_000}\n\n{'> ' * 400}"})
    with open_library(root) as library:
        library.sync()
        made = reader_html(library.document("deep.md"), library.links("deep.md"), PLACES, ReadingFocus())
    assert '<div class="plain">' in made
    assert Seen(made).elements.isdisjoint(ACTIVE)


@pytest.mark.parametrize(
    "words", ["poison", "<script>poison</script>", '"more poison" -x', "mark title \u202e", "a" * 5000]
)
def test_marked_words_let_nothing_of_a_hostile_document_act(tmp_path: Path, words: str) -> None:
    root = write_tree(tmp_path, HOSTILE)
    with open_library(root) as library:
        library.sync()
        for path in ("hostile.md", "rst.rst"):
            focus = ReadingFocus(words=words)
            seen = Seen(reader_html(library.document(path), library.links(path), PLACES, focus))
            assert seen.elements.isdisjoint(ACTIVE), path
            assert [name for name, _ in seen.attributes if name.startswith("on") or name == "style"] == []


def test_words_of_a_question_are_marked_in_any_form_and_in_no_code(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"a.md": "# Trimming\n\nTrim **wicks** & `wick`. [The wick](a.md)\n\n```\nwick\n```\n"})
    with open_library(root) as library:
        library.sync()
        made = reader_html(library.document("a.md"), library.links("a.md"), PLACES, ReadingFocus(words="trimmed wick"))
    assert re.findall(r"<mark>(.*?)</mark>", made) == ["Trimming", "Trim", "wicks", "wick"]
    assert "<code>wick</code>" in made and "<code>wick\n</code>" in made


def test_a_snippet_marks_what_matched_inside_other_markup() -> None:
    pieces = (("- a **b", False), ("old", True), ("** `c", False), ("ode", True), ("` [x](y.md)", False))
    assert snippet_html(pieces) == (
        "<ul>\n<li>a <strong>b<mark>old</mark></strong> <code>c<mark>ode</mark></code> x</li>\n</ul>\n"
    )


def test_a_paths_address_reads_back_to_the_byte() -> None:
    assert PLACES.read("a b/c#d?.md", "x y", "1-2") == "/in/docs/read/a%20b/c%23d%3F.md?lines=1-2#x%20y"
    assert PLACES.read("caf\udce9.md") == "/in/docs/read/caf%E9.md"


def test_the_votes_are_told_in_words_as_well() -> None:
    made = votes_bar((Vote("words", 1, 4.5), Vote("meaning", 3, 0.5), Vote("page", 0, 0.1)))
    assert made is not None
    assert 'aria-label="words: rank 1, score 4.5; meaning: rank 3, score 0.5; page: 0.1"' in made
    assert made.count("<rect") == 2


def test_before_anything_is_read_the_page_says_how_far_it_is() -> None:
    made = unread_html(Event(Phase.READING, 1200, 5000), PLACES, "/srv/docs")
    assert "Nothing is indexed yet" in made
    assert "Reading documents: 1,200 of 5,000" in made
    assert '<progress max="5000" value="1200"' in made
    assert "Looking at the folder" in unread_html(None, PLACES, "/srv/docs")
    assert "Nothing is being read" in progress_html(None, PLACES)


def test_a_file_that_failed_is_shown_with_why_and_what_to_do(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"ok.md": "# Fine\n", "large.md": "x" * 3000})
    with open_library(root, {"sources.max_file_bytes": 1000}) as library:
        library.sync()
        made = files_html(library.status(), library.files(), None, PLACES)
    assert "What failed, and what to do" in made
    assert "large.md" in made
    assert "max_file_bytes" in made
