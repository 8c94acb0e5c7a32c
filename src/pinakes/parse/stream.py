"""The Markdown engine's events, read once.

The text of a body enters; what stands where leaves, as plain positions: headings, links, anchors, code, shapes, tags.
Nothing here knows sections or records. The loop runs for every event of every document, half a million times in a
12 MB corpus, so it does as little as it can: the end of a construct is known when it starts, hence ends are skipped, and
prose is looked at more closely only where a sign was seen before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import pyromark

from pinakes.parse import prose
from pinakes.parse.html import Attribute, attributes
from pinakes.parse.prose import Sign
from pinakes.parse.wikilinks import wikilink
from pinakes.records import LinkForm, Shape

_Options = pyromark.Options
_ENGINE = pyromark.Markdown(
    options=_Options.ENABLE_TABLES
    | _Options.ENABLE_FOOTNOTES
    | _Options.ENABLE_STRIKETHROUGH
    | _Options.ENABLE_TASKLISTS
    | _Options.ENABLE_GFM
)
_DIAGRAMS = frozenset(("mermaid", "plantuml", "puml", "dot", "graphviz", "d2"))
_FORMULAS = frozenset(("math", "latex", "tex", "katex"))
_NOWHERE = 1 << 62


@dataclass(slots=True)
class Found:
    """What a body holds, in reading order. Texts are lists of pieces, to be joined when reading is over."""

    headings: list[tuple[int, int, list[str]]] = field(default_factory=list)
    """Start, level, text."""
    links: list[tuple[int, int, LinkForm, str, list[str]]] = field(default_factory=list)
    """Start, end, form, target, text."""
    anchors: list[tuple[int, int, str]] = field(default_factory=list)
    """Start, end, id."""
    code: list[tuple[int, int, str, int]] = field(default_factory=list)
    """Start, end, language, number of headings before it."""
    shapes: list[tuple[int, Shape]] = field(default_factory=list)
    """Number of headings before it, shape."""
    tags: set[str] = field(default_factory=set)


def read(text: str, body: bytes) -> Found:
    """Everything in a body; `text` is what the engine sees, `body` the bytes as written."""
    return _Reading(body).run(text)


class _Reading:
    """One pass over one body; positions of open constructs are where they will end."""

    __slots__ = (
        "body",
        "collecting",
        "found",
        "heading_end",
        "heading_text",
        "image_end",
        "image_text",
        "link_end",
        "link_text",
        "next_sign",
        "quiet",
        "reached",
        "signs",
    )

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.found = Found()
        self.quiet = 0
        """Before this, text is code or HTML."""
        self.collecting = 0
        """Before this, text belongs to a heading, a link or an image."""
        self.heading_end = self.link_end = self.image_end = 0
        self.heading_text: list[str] = []
        self.link_text: list[str] = []
        self.image_text: list[str] = []
        self.reached = 0
        """Before this, text was already taken by a link."""
        self.signs = prose.signs(body)
        self.next_sign = self.signs[-1][0] if self.signs else _NOWHERE

    def run(self, text: str) -> Found:
        # The engine's own types are unions of forty typed dictionaries, too fine for a loop that must not ask twice.
        events = cast(
            "Iterator[tuple[dict[str, Any], dict[str, int]]]", _ENGINE.events_with_range(text, merge_text=True)
        )
        for event, span in events:
            if "Text" in event:
                start = span["start"]
                if start < self.quiet:
                    continue
                words = event["Text"]
                if start < self.collecting and self._collect(start, words):
                    continue
                if "/" in words:
                    self._slash(start, span["end"])
                if span["end"] > self.next_sign:
                    self._signs(start, span["end"])
            elif "End" in event:
                continue
            elif "Start" in event:
                tag = event["Start"]
                if tag.__class__ is dict:
                    for name in tag:
                        if name in _STARTS:
                            _STARTS[name](self, span["start"], span["end"], tag[name])
                elif tag == "HtmlBlock":
                    self._html_block(span["start"], span["end"])
            else:
                self._rest(event, span["start"], span["end"])
        return self.found

    def _rest(self, event: dict[str, Any], start: int, end: int) -> None:
        if start < self.quiet:
            return
        if "Code" in event:
            code = event["Code"]
            if start < self.collecting and self._collect(start, code):
                return
            if "." in code and prose.is_code_path(code):
                self.found.links.append((start, end, LinkForm.PATH, code, [code]))
        elif "InlineHtml" in event:
            for attribute in attributes(self.body, start, end):
                self._html(attribute)
        elif start < self.collecting and "Break" in event:
            self._collect(start, "\n")

    def _collect(self, start: int, words: str) -> bool:
        """Give words to what is open around them; whether that is a link or an image, so that they are no prose."""
        if start < self.image_end:
            self.image_text.append(words)
            return True
        if start < self.heading_end:
            self.heading_text.append(words)
        if start < self.link_end:
            self.link_text.append(words)
            return True
        return False

    def _heading(self, start: int, end: int, heading: dict[str, str]) -> None:
        self.heading_text = []
        self.heading_end = end
        self.collecting = max(self.collecting, end)
        self.found.headings.append((start, int(heading["level"][1]), self.heading_text))

    def _link(self, start: int, end: int, link: dict[str, str]) -> None:
        if start < self.image_end or start < self.reached:
            return
        target = link["dest_url"]
        if link["link_type"] == "Email":
            target = f"mailto:{target}"
        self.link_text = []
        self.link_end = end
        self.collecting = max(self.collecting, end)
        self.found.links.append((start, end, LinkForm.LINK, target, self.link_text))

    def _image(self, start: int, end: int, image: dict[str, str]) -> None:
        if start < self.image_end:
            return
        self.image_text = []
        self.image_end = end
        self.collecting = max(self.collecting, end)
        target = image["dest_url"]
        self.found.links.append((start, end, LinkForm.IMAGE, target, self.image_text))
        self._drawing(target)

    def _code_block(self, start: int, end: int, kind: str | dict[str, str]) -> None:
        found = self.found
        self.quiet = end
        before = len(found.headings)
        language = ""
        if isinstance(kind, dict):
            found.shapes.append((before, Shape.CODE))
            language = _language(kind["Fenced"])
            if language in _DIAGRAMS:
                found.shapes.append((before, Shape.DIAGRAM))
            elif language in _FORMULAS:
                found.shapes.append((before, Shape.FORMULA))
        found.code.append((start, end, language, before))

    def _table(self, _start: int, _end: int, _columns: object) -> None:
        self.found.shapes.append((len(self.found.headings), Shape.TABLE))

    def _html_block(self, start: int, end: int) -> None:
        self.quiet = end
        for attribute in attributes(self.body, start, end):
            self._html(attribute)

    def _html(self, attribute: Attribute) -> None:
        start, end, is_anchor, value, text = attribute
        if is_anchor:
            self.found.anchors.append((start, end, value))
        else:
            self.found.links.append((start, end, LinkForm.HTML, value, [text]))
            self._drawing(value)

    def _drawing(self, target: str) -> None:
        path = target.partition("#")[0].partition("?")[0]
        if path[-4:].lower() == ".svg" and "://" not in path:
            self.found.shapes.append((len(self.found.headings), Shape.DIAGRAM))

    def _slash(self, start: int, end: int) -> None:
        links = self.found.links
        if start < self.reached:
            start = min(self.reached, end)
        for place in prose.addresses(self.body, start, end):
            links.append((place.start, place.end, LinkForm.LINK, place.text, [place.text]))
            self.reached = place.end
        for place in prose.paths(self.body, start, end):
            if place.start >= self.reached:
                links.append((place.start, place.end, LinkForm.PATH, place.text, [place.text]))

    def _signs(self, start: int, end: int) -> None:
        signs = self.signs
        while signs and signs[-1][0] < end:
            position, sign = signs.pop()
            if position >= start and position >= self.reached:
                _SIGNS[sign](self, position, end)
        self.next_sign = signs[-1][0] if signs else _NOWHERE

    def _wikilink(self, position: int, _end: int) -> None:
        link = wikilink(self.body, position)
        if link is not None:
            form = LinkForm.EMBED if link.is_embed else LinkForm.WIKILINK
            self.found.links.append((position, link.end, form, link.target, [link.text]))
            self.reached = link.end
            if link.is_embed:
                self._drawing(link.target)

    def _mail(self, position: int, _end: int) -> None:
        place = prose.mail(self.body, position)
        if place is not None and place.start >= self.reached:
            self.found.links.append((place.start, place.end, LinkForm.LINK, f"mailto:{place.text}", [place.text]))
            self.reached = place.end

    def _www(self, position: int, _end: int) -> None:
        before = self.body[position - 1 : position] if position else b""
        place = prose.address(self.body, position) if before in _BEFORE_WWW else None
        if place is not None:
            self.found.links.append((place.start, place.end, LinkForm.LINK, f"http://{place.text}", [place.text]))
            self.reached = place.end

    def _tag(self, position: int, end: int) -> None:
        name = prose.tag(self.body, position, end)
        if name:
            self.found.tags.add(name)

    def _block_id(self, position: int, _end: int) -> None:
        self.found.anchors.append(prose.block_id(self.body, position))

    def _formula(self, position: int, _end: int) -> None:
        if prose.is_formula(self.body, position):
            self.found.shapes.append((len(self.found.headings), Shape.FORMULA))


_BEFORE_WWW = frozenset((b"", b" ", b"\t", b"\n", b"\r", b"(", b"*", b"_", b"~", b"[", b"]"))
_STARTS: dict[str, Callable[[_Reading, int, int, Any], None]] = {
    "Heading": _Reading._heading,
    "Link": _Reading._link,
    "Image": _Reading._image,
    "CodeBlock": _Reading._code_block,
    "Table": _Reading._table,
}
_SIGNS: dict[Sign, Callable[[_Reading, int, int], None]] = {
    Sign.WIKILINK: _Reading._wikilink,
    Sign.MAIL: _Reading._mail,
    Sign.WWW: _Reading._www,
    Sign.TAG: _Reading._tag,
    Sign.BLOCK_ID: _Reading._block_id,
    Sign.FORMULA: _Reading._formula,
}


def _language(info: str) -> str:
    words = info.split(None, 1)
    return words[0].strip("{}.,").partition(",")[0].lower() if words else ""
