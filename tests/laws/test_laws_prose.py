"""Every word that a rendered page shows is among the words that the index and the embedder are given."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pyromark
import pytest

from pinakes.chunk import chunk
from pinakes.parse import parse
from pinakes.records import Document, NumberedDocument, Raw, Ref, Stamp, media_of
from pinakes.vectors.texts import embedded_text
from pinakes.words.fields import rows
from pinakes.words.tokenize import Terms, as_written, english

OPTIONS = pyromark.Options
RENDERER = pyromark.Markdown(
    options=OPTIONS.ENABLE_TABLES
    | OPTIONS.ENABLE_FOOTNOTES
    | OPTIONS.ENABLE_STRIKETHROUGH
    | OPTIONS.ENABLE_TASKLISTS
    | OPTIONS.ENABLE_GFM
)
TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{ ?[#:.][^{}\n]*\}|\[\^[^\]]*\]", re.DOTALL)
"""What a generator of pages replaces, and what the renderer does not know."""
BOX = re.compile(r"^( *)(?:!!!|\?\?\?\+?|===) [^\n]*\n((?:[ \t]*\n|\1 {4}[^\n]*\n?)+)", re.MULTILINE)
"""A box or a tab of MkDocs, which shows what is indented as text; the renderer takes it for code."""
KIND = re.compile(
    r'^([ >]*(?:!!!|\?\?\?\+?|===) )[^"\n]*(?=")|^([ >]*:::+ *)[\w-]+ +(?=[^\s{])|^([ >]*///+ *)[\w-]+ *\|',
    re.MULTILINE,
)
"""The kind of a box, which shows its title instead where it has one."""
INLINE = frozenset(
    ("a", "abbr", "b", "code", "del", "dfn", "em", "font", "i", "kbd", "span", "strong", "sub", "sup", "u")
)
FOOTNOTE_NUMBERS = ("footnote-reference", "footnote-definition-label")
UNSEEN = frozenset(("script", "style", "svg"))
WORD = re.compile(r"[^\W_]+")


class Page(HTMLParser):
    """Collects what a browser shows of a page; what it shows only of an element comes on a line of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []
        self.unseen = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self.unseen and (tag in UNSEEN or dict(attrs).get("class") in FOOTNOTE_NUMBERS):
            self.unseen = tag
        elif not self.unseen:
            self.shown.append("" if tag in INLINE else "\n")
            self.shown += [f"\n{value}\n" for name, value in attrs if name in ("alt", "caption", "title") and value]

    def handle_endtag(self, tag: str) -> None:
        if tag == self.unseen:
            self.unseen = ""

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.shown.append(data)


def unboxed(text: str) -> str:
    """The text without the indents of boxes, from the outermost to the innermost."""
    bare = BOX.sub(lambda box: box[0].removesuffix(box[2]) + re.sub(r"(?m)^ {4}", "", box[2]), text)
    return bare if bare == text else unboxed(bare)


def shown(document: Document) -> str:
    page = Page()
    text = KIND.sub(lambda box: box[1] or box[2] or box[3], document.source[document.body :].decode("utf-8", "replace"))
    page.feed(RENDERER.html(unboxed(text)))
    page.close()
    # Entities in code are read as well: examples of markup are sought by their words.
    return unescape(TEMPLATE.sub(" ", "".join(page.shown)))


def read(text: bytes, path: str = "a.md") -> Document:
    return parse(Raw(Stamp(Ref("docs", path), "1", media_of(path)), text, "digest"))


def lost_words(document: Document) -> set[str]:
    """What a reader sees and neither the words nor the vectors know."""
    chunks = chunk(document)
    prose = Terms(english())
    terms = {
        term
        for row in rows(NumberedDocument(1, document, chunks, ()), prose, Terms(as_written))
        for term in row.words.split()
    }
    texts = " ".join(embedded_text(document, each) for each in chunks)
    page = shown(document)
    unknown = {term for term in prose.of(page)[0].split() if term not in terms}
    return unknown | (set(WORD.findall(page)) - set(WORD.findall(texts)))


@pytest.mark.parametrize(
    "text",
    [
        "# Heading *one* `two` [three](four.md)\n\nSome **text** and [a link][ref].\n\n[ref]: there.md\n",
        'A <abbr title="hypertext markup language">markup</abbr> and <dfn title=\'a "pattern"\'>regex</dfn>\n',
        '<img src="a.png" alt="A small\ndrawing"> and ![another one](b.png "its title")\n',
        '<Listing number="1" caption="Borrowing a `Vec<T>`">\n\nText\n\n</Listing>\n',
        "| cell `code` | <b>bold</b> |\n|---|---|\n| a<br>b | [x](y.md) |\n",
        "<table><tr><td>one</td><td>two</td></tr></table>\n",
        "- item\n  goes on\n\n  > quoted\n\n      indented code\n\nWord[^1] word\n\n[^1]: The note.\n",
        "`` a`b `` and \\*escaped\\* &amp; <https://example.org/path> and ~~old~~ text %% or `%%` signs\n",
        '```python title="settings.py"\ndef first_name(): ...\n```\n\n    second = 1\n',
        '!!! note "Title"\n\n    See [the guide](a/b.md).\n\n    === "Tab"\n\n        ```sh\n        go\n        ```\n',
    ],
)
def test_no_visible_word_is_lost(text: str) -> None:
    assert lost_words(read(text.encode())) == set()


def test_names_of_files_and_labels_that_marks_show_are_found() -> None:
    text = (
        '```toml title="pyproject.toml"\na = 1\n```\n\n```js [vite.config.js]\nb\n```\n\n{{< tab name="Linux" >}}\n\n'
        '<TabItem value="x" label="Windows">\n\n{{< figure src="a.png" caption="Two nodes" >}}\n'
    )
    document = read(text.encode())
    given = embedded_text(document, chunk(document)[0]).split()
    assert given[-6:] == ["pyproject.toml", "vite.config.js", "Linux", "Windows", "Two", "nodes"]


def test_what_nobody_sees_is_not_indexed() -> None:
    text = (
        '<!-- <img alt="secret"> -->\n\n<div class="secret" id="secret" data-title="secret">shown</div>\n\n'
        '[link](secret.md)\n\n<script>\nlet x = {title: "secret", alt="secret"}\n</script>\n'
    )
    document = read(text.encode())
    assert "secret" not in embedded_text(document, chunk(document)[0])


def test_no_visible_word_of_real_pages_is_lost(laid_out: Path) -> None:
    root = laid_out / "docs-dev" / "corpus"
    lost = {}
    for page in sorted(root.rglob("*.md")):
        path = page.relative_to(root).as_posix()
        if words := lost_words(read(page.read_bytes(), path)):
            lost[path] = words
    assert lost == {}
