"""One document to be read, with its sections and what points at it in the margin.

A document and its connections enter, markup leaves. Text of other formats than Markdown is shown as it is written,
section by section; a drawing is shown as a picture.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from pinakes.html.document import document_html, shows_title
from pinakes.html.markdown import ShownText
from pinakes.html.markup import Markup, join, tag, text
from pinakes.html.targets import Targets
from pinakes.records import ADDED, DOCS, HISTORY, MEMORIES, Connections, Document, Edge, Layout, Metadata, Span
from pinakes.serve.web.history import commit_html
from pinakes.serve.web.neighbours import neighbours_html
from pinakes.serve.web.places import Places, shown
from pinakes.serve.web.tree import kind_chip
from pinakes.words import marks, parse_question

_MOST_LINKS = 40
_MOST_SECTIONS = 400
_VIEWS = {MEMORIES: "memories", HISTORY: "history", ADDED: "files"}
"""Where the documents of a corpus are listed."""


class ReadingFocus(Struct, frozen=True):
    """What a reader came for."""

    lines: Span | None = None
    words: str = ""
    """The question that led here."""
    editor: str | None = None
    """The address that opens the file in an editor; None where none is configured."""


def reader_html(
    document: Document, connections: Connections, places: Places, asked: ReadingFocus, about: Markup | None = None
) -> Markup:
    """The reading pane; `about` stands above the text."""
    targets = Targets.of(connections.outgoing, places)
    return tag(
        "article",
        _head(document, places, asked, about),
        _body(document, targets, asked),
        class_="reader",
        lang=None,
        data_media=document.stamp.media.name,
    )


def margin_html(
    document: Document, connections: Connections, places: Places, remembered: Markup | None = None
) -> Markup:
    """What stands beside a document: its sections, what is remembered of it, what points at it, what it points at."""
    outgoing, incoming = connections.with_context()
    around = neighbours_html(document.ref, connections, places)
    return join(_outline(document), remembered, around, _incoming(incoming, places), _outgoing(outgoing, places))


def _head(document: Document, places: Places, asked: ReadingFocus, about: Markup | None) -> Markup:
    path = document.ref.path
    parts = path.split("/")
    crumbs = [
        join(tag("a", part, href=places.map("/".join(parts[: place + 1]))), " / ")
        for place, part in enumerate(parts[:-1])
    ]
    if document.ref.corpus != DOCS:
        view = _VIEWS.get(document.ref.corpus)
        front = tag("a", document.ref.corpus, href=places.view(view)) if view else document.ref.corpus
        crumbs = [join(front, " / "), *(join(part, " / ") for part in parts[:-1])]
    lines = f":{asked.lines.outside()}" if asked.lines else ""
    title = None if shows_title(document) else tag("h1", document.title)
    return tag(
        "header",
        tag("p", *crumbs, f"{parts[-1]}{lines}", class_="address"),
        title,
        about or _facts(document.metadata, document),
        _tools(document, places, asked),
        *(tag("p", warning, class_="quiet") for warning in document.warnings),
        class_="about",
    )


def _facts(metadata: Metadata, document: Document) -> Markup:
    dates = metadata.modified or metadata.created
    facts = [part for part in (metadata.author, metadata.category, dates) if part]
    tags = [tag("span", f"#{name}", class_="chip") for name in document.tags[:12]]
    count = tag("span", f"{document.sections[0].lines.length:,} lines", class_="chip")
    chips = tag("p", kind_chip(document.kind), count, *(tag("span", part, class_="chip") for part in facts), *tags)
    description = tag("p", metadata.description, class_="description") if metadata.description else None
    return join(description, chips)


def _body(document: Document, targets: Targets, asked: ReadingFocus) -> Markup:
    if document.stamp.media.layout is Layout.COMMIT:
        return commit_html(document)
    return document_html(document, targets, asked.lines, _marking(asked.words) if asked.words.strip() else text)


def _marking(question: str) -> ShownText:
    """Shows text with the words of a question marked, in any of their forms."""
    parsed = parse_question(question)

    def shown(words: str) -> Markup:
        made, reached = [], 0
        for span in marks(words, parsed):
            made += [text(words[reached : span.start]), tag("mark", words[span.start : span.end])]
            reached = span.end
        return join(*made, text(words[reached:]))

    return shown


def _tools(document: Document, places: Places, asked: ReadingFocus) -> Markup | None:
    """Ways to the document elsewhere: as it is written, in an editor, without marks."""
    if document.ref.corpus != DOCS:
        return None
    editor = tag("a", "Open in editor", href=asked.editor) if asked.editor else None
    plain = None
    if asked.words:
        lines = asked.lines.outside() if asked.lines else ""
        plain = tag("a", "Without marks", href=places.read(document.ref.path, lines=lines))
    commits = tag("a", "History", href=places.history(file=document.ref.path), title="The commits that changed it")
    raw = tag("a", "Raw", href=places.raw(document.ref.label), title="The text as it is written")
    return tag("p", raw, commits, editor, plain, class_="tools")


def _outline(document: Document) -> Markup | None:
    sections = document.sections[1:]
    if len(sections) < 2 or document.stamp.media.layout is Layout.DRAWING:
        return None
    rows = [
        tag(
            "li",
            tag("a", section.title or section.anchor, href=f"#{section.anchor}"),
            tag("span", section.lines.outside(), class_="count", title=f"lines {section.lines.outside()}"),
            class_=f"row depth-{min(section.level, 6)}",
        )
        for section in sections[:_MOST_SECTIONS]
    ]
    return tag("section", tag("h2", "On this page"), tag("ul", *rows, class_="outline"), class_="on-page")


def _incoming(links: Sequence[tuple[Edge, str]], places: Places) -> Markup:
    if not links:
        return tag("section", tag("h2", "Linked from"), tag("p", "No other document points here.", class_="quiet"))
    rows = [
        tag(
            "li",
            tag("a", edge.origin.path, href=places.ref(edge.origin), class_="address"),
            tag("p", around, class_="around") if around else None,
        )
        for edge, around in links[:_MOST_LINKS]
    ]
    return tag("section", tag("h2", f"Linked from {len(links)}"), tag("ul", *rows, _rest(links)), class_="backlinks")


def _outgoing(links: Sequence[tuple[Edge, str]], places: Places) -> Markup | None:
    found = dict.fromkeys(edge.to for edge, _ in links if edge.to is not None)
    loose = dict.fromkeys(edge.link.target for edge, _ in links if edge.outcome in ("missing", "broken_anchor"))
    if not found and not loose:
        return None
    rows = [tag("li", tag("a", shown(to), href=places.page(to))) for to in found]
    broken = [tag("li", tag("span", target, class_="loose", title="leads nowhere")) for target in loose]
    listed = (rows + broken)[:_MOST_LINKS]
    return tag(
        "details",
        tag("summary", f"Points at {len(rows) + len(broken)}"),
        tag("ul", *listed, class_="address"),
        class_="points",
    )


def _rest(links: Sequence[object]) -> Markup | None:
    left = len(links) - _MOST_LINKS
    return tag("li", f"… and {left} more", class_="quiet") if left > 0 else None
