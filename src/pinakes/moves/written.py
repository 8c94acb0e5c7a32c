"""Where in a document the target of a link is written.

A document and one of its links enter; the places leave whose bytes say where it leads, each with the way in which a new
target must be written there. Several links may share a place (a reference definition), and none is known for a target
that is written in other signs than it means.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache, cached_property
from html import unescape
from typing import NamedTuple

from pinakes.records import Document, Layout, Link, LinkForm, Span


class PlaceKind(StrEnum):
    """What the signs around a place allow in it."""

    PLAIN = "plain"
    """A destination without angle brackets: no white space, no lone parenthesis."""
    ANGLE = "angle"
    """A destination between angle brackets."""
    ATTRIBUTE = "attribute"
    """The value of an attribute, or an address in one."""
    NOTE = "note"
    """Between double brackets."""
    FIELD = "field"
    """A value of the frontmatter."""
    MENTION = "mention"
    """Running text or code."""
    SHORTCODE = "shortcode"
    """A destination that is one of Hugo's shortcodes."""
    OTHER = "other"
    """A destination in a format that is not Markdown."""
    LITERAL = "literal"
    """The path of a file, letter by letter, as directives of such formats take it."""
    UNBROKEN = "unbroken"
    """Such a path where white space would be dropped."""


class Place(NamedTuple):
    """A stretch of the source that holds a target."""

    span: Span
    kind: PlaceKind
    raw: str
    """As written there."""
    prefix: str = ""
    """What the target begins with and the place does not."""
    suffix: str = ""
    """What the target ends with and the place does not."""
    is_xml: bool = False
    """Whether every ``&`` must be written as a character reference."""

    def written(self, target: str) -> str | None:
        """A new target as it is written here; None when it cannot be."""
        if not target.startswith(self.prefix) or not target.endswith(self.suffix):
            return None
        text = target[len(self.prefix) : len(target) - len(self.suffix)]
        if self.kind in _WITH_REFERENCES and (self.is_xml or "&amp;" in self.raw or unescape(text) != text):
            text = text.replace("&", "&amp;")
        return None if _FORBIDDEN[self.kind].search(text) or not text else text


_FORBIDDEN = {
    PlaceKind.PLAIN: re.compile(r"[\s<\x00-\x1f\\]"),
    PlaceKind.ANGLE: re.compile(r"[<>\r\n\\]"),
    PlaceKind.ATTRIBUTE: re.compile(r"[\"'`<>\r\n{}]"),
    PlaceKind.NOTE: re.compile(r"[\[\]|\r\n]"),
    PlaceKind.FIELD: re.compile(r"[\r\n\"\\\x00-\x1f]|\A[\s'&*!%@`{}\[\],|>#?-]|: |:\Z| #|\s\Z"),
    PlaceKind.MENTION: re.compile(r"[`\r\n]"),
    PlaceKind.SHORTCODE: re.compile(r"[()\r\n]"),
    PlaceKind.OTHER: re.compile(r"[<>\[\]`\r\n]"),
    PlaceKind.LITERAL: re.compile(r"[<>\[\]`\r\n]"),
    PlaceKind.UNBROKEN: re.compile(r"[<>\[\]`\s]"),
}
_WITH_REFERENCES = (PlaceKind.PLAIN, PlaceKind.ANGLE, PlaceKind.ATTRIBUTE)
"""Where ``&amp;`` is read as ``&``."""
_DESTINATION = rb"(?:<((?:\\.|[^<>\\\r\n])*)>|([^\s<]\S*?))"
_INLINE = re.compile(
    rb"\]\(\s*" + _DESTINATION + rb"(?:\s+(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))?\s*\)\Z",
    re.DOTALL,
)
_DEFINITION = re.compile(
    rb"^[ \t>*+-]*(?:\d{1,9}[.)][ \t]+)?\[(?!\^)(?:\\.|[^\[\]\\]){1,999}\]:[ \t]*(?:\r?\n[ \t>]*)?"
    rb"(?:<((?:\\.|[^<>\\\r\n])*)>|([^\s<]\S*))",
    re.MULTILINE | re.DOTALL,
)
_MOST_TRIES = 50
"""Places in one link where its destination may begin: texts and titles may hold the same signs."""
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_ATTRIBUTE = re.compile(
    rb"""[\s"'/](href|src|srcset|data|style|xlink:href)\s*=\s*("[^"]*"|'[^']*'|\{[^{}<>]*\}|[^\s"'=<>`]+)""", re.I
)
_CSS_ADDRESS = re.compile(rb"""\burl\(\s*(?:"([^"]{1,2000})"|'([^']{1,2000})'|([^\s"'()]{1,2000}))\s*\)""", re.I)
_WIKILINK = re.compile(rb"!?\[\[([^\[\]\r\n]+)\]\]\Z")
_RST_DEFINITION = re.compile(
    rb"^[ \t]*\.\.[ \t]+_(?:`[^`\r\n]{1,300}`|[^:`\r\n]{1,300}):[ \t]+(\S[^\r\n]*)", re.MULTILINE
)
_FIELD = re.compile(rb"[\"']?([\w-]+)[\"']?[ \t]*[:=]")
_LINK_FIELDS = (b"related",)
_PICTURE_FIELDS = (b"image", b"images", b"cover", b"thumbnail")
_GOES_ON = re.compile(rb"[\w/%-]|\.[\w/.]")
"""Behind a path that is a part of a longer one; a full stop alone ends a sentence."""
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./%")


class LinkPlaces:
    """The places of one document that say where its links lead. Definitions are looked for once, for all links."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def of(self, link: Link) -> tuple[Place, ...]:
        """Every place that says where a link leads."""
        document, source, span = self.document, self.document.source, link.span
        if span.start == span.end:
            return tuple(_in_fields(document, _fields(document, _fields_for(link)), link.target))
        if link.form is LinkForm.PATH:
            return tuple(_exactly(source, span, link.target, PlaceKind.MENTION))[:1]
        if link.form in (LinkForm.WIKILINK, LinkForm.EMBED):
            return tuple(_in_brackets(source, span, link.target))
        is_drawing = document.stamp.media.layout is Layout.DRAWING
        if link.form is LinkForm.HTML or is_drawing:
            return tuple(place._replace(is_xml=is_drawing) for place in _in_tag(source, span, link.target))
        if not document.stamp.media.is_markdown:
            return tuple(_elsewhere(document, link)) or tuple(self._defined_elsewhere.get(link.target, ()))
        if link.target.startswith("{{"):
            return tuple(_exactly(source, span, link.target, PlaceKind.SHORTCODE))[-1:]
        found = _inline(source, span, link.target)
        return (found,) if found is not None else tuple(self._defined.get(link.target, ()))

    @cached_property
    def _defined(self) -> Mapping[str, list[Place]]:
        """By target, every ``[name]: destination`` that says it: two that say the same lead to one place."""
        code = sorted(block.span for block in self.document.code)
        starts = [span.start for span in code]
        found: dict[str, list[Place]] = {}
        for definition in _DEFINITION.finditer(self.document.source, self.document.body):
            target, place = _destination(definition)
            before = bisect_right(starts, place.span.start)
            if not before or place.span.start not in code[before - 1]:
                found.setdefault(target, []).append(place)
        return found

    @cached_property
    def _defined_elsewhere(self) -> Mapping[str, list[Place]]:
        """By target, every ``.. _name: target`` of reStructuredText."""
        found: dict[str, list[Place]] = {}
        for definition in _RST_DEFINITION.finditer(self.document.source, self.document.body):
            target = definition[1].decode("utf-8", "replace").strip()
            begin = definition.start(1)
            place = Place(Span(begin, begin + len(target.encode())), PlaceKind.OTHER, target)
            found.setdefault(target, []).append(place)
        return found


def places_of(document: Document, link: Link) -> tuple[Place, ...]:
    """Every place that says where a single link of a document leads."""
    return LinkPlaces(document).of(link)


def _inline(source: bytes, span: Span, target: str) -> Place | None:
    """In ``[text](destination "title")``."""
    at, tries = span.end, _MOST_TRIES
    while tries and (at := source.rfind(b"](", span.start, at)) >= 0:
        tries -= 1
        found = _INLINE.match(source, at, span.end)
        if found is not None:
            written, place = _destination(found)
            if written == target:
                return place
    return None


def _destination(found: re.Match[bytes]) -> tuple[str, Place]:
    """What a destination means, and where it stands."""
    group = 1 if found[1] is not None else 2
    raw = found[group].decode("utf-8", "replace")
    kind = PlaceKind.ANGLE if group == 1 else PlaceKind.PLAIN
    return unescape(_ESCAPED.sub(r"\1", raw)), Place(Span(*found.span(group)), kind, raw)


def _in_tag(source: bytes, span: Span, target: str) -> Iterator[Place]:
    """In the attributes of a tag that point somewhere, and in rules of style."""
    stretches = [(found.start(2), found.end(2)) for found in _ATTRIBUTE.finditer(source, span.start, span.end)]
    if source[span.start : span.start + 6].lower() == b"<style":
        stretches = [found.span() for found in _CSS_ADDRESS.finditer(source, span.start, span.end)]
    for start, end in stretches:
        whole = source[start:end].strip(b"\"'{}`").decode("utf-8", "replace")
        if unescape(whole).strip() == target:
            begin = source.index(whole.strip().encode(), start, end)
            yield Place(Span(begin, begin + len(whole.strip().encode())), PlaceKind.ATTRIBUTE, whole.strip())
        else:
            yield from _exactly(source, Span(start, end), target, PlaceKind.ATTRIBUTE)


def _in_brackets(source: bytes, span: Span, target: str) -> Iterator[Place]:
    """In ``[[target|alias]]``."""
    found = _WIKILINK.match(source, span.start, span.end)
    if found is not None:
        begin = source.find(target.encode(), *found.span(1))
        if begin >= 0 and not source[found.start(1) : begin].strip():
            yield Place(Span(begin, begin + len(target.encode())), PlaceKind.NOTE, target)


def places_in_fields(document: Document) -> Iterator[tuple[Link, Place]]:
    """Each link of the frontmatter with a place of its own: of links that say the same, the first has the first."""
    fields = cache(lambda wanted: _fields(document, wanted))
    places = cache(lambda wanted, target: iter(_in_fields(document, fields(wanted), target)))
    for link in document.links:
        if link.span.start == link.span.end:
            place = next(places(_fields_for(link), link.target), None)
            if place is not None:
                yield link, place


def _fields_for(link: Link) -> tuple[bytes, ...]:
    """The fields of the frontmatter that may hold a link of this form."""
    return _LINK_FIELDS if link.form is LinkForm.FRONTMATTER else _PICTURE_FIELDS


def _in_fields(document: Document, fields: Iterable[Span], target: str) -> Iterator[Place]:
    """In the text of some fields; wherever they say the same, they mean the same."""
    for span in fields:
        yield from _exactly(document.source, span, target, PlaceKind.FIELD)


def _fields(document: Document, wanted: tuple[bytes, ...]) -> list[Span]:
    """Where some fields of the frontmatter stand, each with all its lines."""
    found: list[Span] = []
    start, field = 0, b""
    for line in document.source[: document.body].splitlines(keepends=True):
        key = _FIELD.match(line)
        field = key[1].lower() if key else field
        end = start + len(line)
        if field in wanted:
            begun = found.pop().start if found and found[-1].end == start else start
            found.append(Span(begun, end))
        start = end
    return found


def _elsewhere(document: Document, link: Link) -> Iterator[Place]:
    """In formats with rules of their own: the target as it stands in the link."""
    source, span, target = document.source, link.span, link.target
    kind = _kind_elsewhere(document, link)
    ways = [("", ""), ("", ".rst")] if target.endswith(".rst") else [("", "")]
    if target.startswith("#"):
        ways.append(("#", ""))
    for prefix, suffix in ways:
        raw = target[len(prefix) : len(target) - len(suffix)]
        found = list(_exactly(source, span, raw, kind))
        if found:
            # Some formats write the text before the target and some behind it; between brackets it is the target.
            last = source[span.start : span.end].rstrip(b"`_").endswith(b">")
            yield found[-1 if last else 0]._replace(prefix=prefix, suffix=suffix)
            return
    path, hash_sign, _ = target.partition("#")
    if hash_sign and path and (found := list(_exactly(source, span, path, kind))):
        yield found[0]._replace(suffix=target[len(path) :])


def _kind_elsewhere(document: Document, link: Link) -> PlaceKind:
    """Whether a format reads a target as an address or as the path of a file."""
    ending = document.ref.path.rpartition(".")[2].lower()
    written = document.source[link.span.start : link.span.end]
    if ending == "rst":
        is_image = link.form is LinkForm.IMAGE
        return PlaceKind.OTHER if written.endswith(b"_") else PlaceKind.UNBROKEN if is_image else PlaceKind.LITERAL
    is_macro = ending in ("adoc", "asciidoc") and written.startswith((b"image:", b"include:"))
    return PlaceKind.LITERAL if is_macro or ending == "org" else PlaceKind.OTHER


def _exactly(source: bytes, span: Span, target: str, kind: PlaceKind) -> Iterable[Place]:
    """Wherever the target stands letter by letter, and is no part of a longer path."""
    needle = target.encode("utf-8", "surrogateescape")
    at = source.find(needle, span.start, span.end) if needle else -1
    while at >= 0:
        end = at + len(needle)
        is_begun = at > span.start and source[at - 1] in _WORD
        goes_on = _GOES_ON.match(source, end, span.end) is not None
        if not is_begun and not goes_on:
            yield Place(Span(at, end), kind, target)
        at = source.find(needle, end, span.end)
