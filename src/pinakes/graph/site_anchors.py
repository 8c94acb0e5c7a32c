"""The anchors that a site gives the sections of a document, beside those of GitHub.

A document and the site it belongs to enter; the ids of its sections on that site leave, or the document with those ids
among the aliases of its sections, so that links find them. How ids are made is known to `pinakes.slugs.generators`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from msgspec.structs import replace

from pinakes.graph.sphinx import labels_of, with_toctrees
from pinakes.records import Document, Section
from pinakes.records.graph import MARKDOWN_ENDINGS
from pinakes.records.sites import AnchorStyle, Site
from pinakes.slugs.generators import RULES, Heading, site_ids

_SPHINX_ENDINGS = (*MARKDOWN_ENDINGS, ".rst")
_SIGNS = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(?:#{1,6}(?=[ \t]|\Z))?")
"""What stands before the text of a heading: the containers it is in, and its hashes."""
_LONGEST_LINE = 4_000
"""Of a longer heading only the text counts; the patterns below need time by the square of a row of spaces."""
_CLOSING = re.compile(r"(?:[ \t]+#+)?[ \t]*\Z")
_BRACES = re.compile(rb"\{:?[ \t]*#([^\s{}#]{1,200})[^{}\r\n]{0,200}\}")
_EXPLICIT = re.compile(r"\s*(?:\{\s*(?::|/\*)?\s*#([^\s{}*/]+)[^{}]*\}|<!--\s*#(\S+)[^>]*-->)\s*\Z")


def site_anchors(document: Document, site: Site) -> list[str]:
    """The id of each section but the root on its site; nothing where the site's rule is not known."""
    endings = _SPHINX_ENDINGS if site.style is AnchorStyle.SPHINX else MARKDOWN_ENDINGS
    if site.rule not in RULES or not document.ref.path.casefold().endswith(endings):
        return []
    return site_ids(site.rule, [_heading(document.source, section) for section in document.sections[1:]])


def with_site_anchors(document: Document, site: Site | None) -> Document:
    """The document with the site's ids, and with labels, among the aliases of its sections.

    An anchor of GitHub's that means another section keeps it: those are the addresses that Pinakes prints.
    """
    if site is None:
        return document
    more = [[found] for found in site_anchors(document, site)] or [[] for _ in document.sections[1:]]
    more.insert(0, [])
    if site.style is AnchorStyle.SPHINX:
        document = with_toctrees(document)
        for position, label in labels_of(document):
            more[position].append(label)
    elif site.style is not AnchorStyle.DOCUSAURUS:
        for position, name in _ids_in_braces(document):
            more[position].append(name)
    taken = {name for section in document.sections for name in (section.anchor, *section.aliases)}
    sections = []
    for section, names in zip(document.sections, more, strict=True):
        new = tuple([name for name in dict.fromkeys(names) if name and name not in taken])
        taken.update(new)
        sections.append(replace(section, aliases=(*section.aliases, *new)) if new else section)
    return replace(document, sections=tuple(sections))


def _ids_in_braces(document: Document) -> Iterator[tuple[int, str]]:
    """Ids that attribute lists give to words, paragraphs and empty links, and the sections they stand in."""
    if b"#" not in document.source or not _BRACES.search(document.source, document.body):
        return
    starts = [section.span.start for section in document.sections]
    code = [block.span.start for block in document.code]
    for found in _BRACES.finditer(document.source, document.body):
        block = bisect_right(code, found.start()) - 1
        if block < 0 or found.start() >= document.code[block].span.end:
            yield max(bisect_right(starts, found.start()) - 1, 0), found[1].decode("utf-8", "replace")


def _heading(source: bytes, section: Section) -> Heading:
    end = source.find(b"\n", section.span.start)
    end = end if end >= 0 else len(source)
    if end - section.span.start > _LONGEST_LINE:
        return Heading(section.title, section.title)
    line = source[section.span.start : end].decode("utf-8", "replace").rstrip("\r")
    text = line[_SIGNS.match(line).end() :]  # type: ignore[union-attr]  # it matches nothing as well
    explicit = _EXPLICIT.search(text)
    if explicit:
        text = text[: explicit.start()]
    text = text[: _CLOSING.search(text).start()].strip()  # type: ignore[union-attr]
    return Heading(section.title, text, (explicit[1] or explicit[2]) if explicit else "")
