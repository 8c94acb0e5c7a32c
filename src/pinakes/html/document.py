"""The text of one document: Markdown, reStructuredText and AsciiDoc as HTML, a drawing as a picture, everything else as
it is written.

A document and where its links lead enter, markup leaves. What stands around the text is not known here.
"""

from __future__ import annotations

from contextlib import suppress

from pinakes.html.asciidoc import asciidoc_as_markdown
from pinakes.html.clean import OwnMarkup, TooIntricate
from pinakes.html.markdown import ShownText, markdown_html, rewritten_html
from pinakes.html.markup import Markup, join, tag, text
from pinakes.html.rst import rst_as_markdown
from pinakes.html.targets import Targets
from pinakes.records import Document, Layout, Span, formats

LARGEST = 1_000_000
"""Bytes of a document that are still drawn; a larger one is shown as it is written."""
_MOST_LABELS = 400
_TRANSLATED = {formats.RST: rst_as_markdown, formats.ASCIIDOC: asciidoc_as_markdown}
"""Formats that are drawn as the Markdown they are turned into."""


def document_html(document: Document, targets: Targets, asked: Span | None = None, shown: ShownText = text) -> Markup:
    """The text; blocks on the lines `asked` for are marked, and `shown` may mark words."""
    media = document.stamp.media
    if media.layout is Layout.DRAWING:
        drawn = tag("img", src=targets.picture(document.ref), alt=f"Drawing: {document.title}")
        return join(tag("figure", drawn, class_="drawing"), _labels(document))
    if len(document.source) <= LARGEST:
        with suppress(TooIntricate):
            if media.is_markdown:
                return tag("div", markdown_html(document, targets, asked, shown), class_="prose")
            if media in _TRANSLATED:
                seal = OwnMarkup()
                made = _TRANSLATED[media](document, seal)
                return tag("div", rewritten_html(document, made, seal, targets, asked, shown), class_="prose")
    return tag(
        "div", *(_written(document, place, asked, shown) for place in range(len(document.sections))), class_="plain"
    )


def shows_title(document: Document) -> bool:
    """Whether the text begins with the document's own title."""
    first = next((section for section in document.sections[1:]), None)
    is_drawn = document.stamp.media.is_markdown or document.stamp.media in _TRANSLATED
    return is_drawn and first is not None and first.title == document.title


def _labels(document: Document) -> Markup | None:
    words = [section for section in document.sections[1:] if section.title]
    if not words:
        return None
    rows = [tag("li", section.title, id=section.anchor) for section in words[:_MOST_LABELS]]
    return tag("details", tag("summary", "The words in this drawing"), tag("ul", *rows))


def _written(document: Document, place: int, asked: Span | None, shown: ShownText) -> Markup | None:
    """A section's own text as it is written."""
    span = document.own(place)
    words = document.text(span)
    section = document.sections[place]
    if not words.strip():
        return None
    count = words.count("\n") + 1
    is_asked = asked is not None and section.lines.start < asked.end and asked.start < section.lines.start + count
    looks = "asked" if is_asked else None
    return tag(
        "pre", shown(words.strip("\n")), id=section.anchor or None, class_=looks, data_lines=section.lines.outside()
    )
