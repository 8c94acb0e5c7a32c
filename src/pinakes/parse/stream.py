"""The Markdown engine's events, read once.

The text of a body enters; what stands where leaves, as plain positions: headings, links, anchors, code, shapes, tags.
Nothing here knows sections or records. The loop runs for every event of every document, half a million times in a
12 MB corpus, so it does as little as it can: the end of a construct is known when it starts, hence ends are skipped,
and prose is looked at more closely only where a sign was seen before.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

import pyromark

from pinakes.parse import prose
from pinakes.parse.html import Attribute, attributes
from pinakes.parse.prose import BARE_NAMES, Place, Sign
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
_DIAGRAM_LANGUAGES = frozenset(("mermaid", "plantuml", "puml", "dot", "graphviz", "d2"))
_FORMULA_LANGUAGES = frozenset(("math", "latex", "tex", "katex"))
_NOWHERE = 1 << 62
_BANG = ord("!")
# Looking a member up in its class takes as long as making the tuple that holds it.
_LINK, _IMAGE, _HTML, _PATH = LinkForm.LINK, LinkForm.IMAGE, LinkForm.HTML, LinkForm.PATH
_WIKILINK, _EMBED = LinkForm.WIKILINK, LinkForm.EMBED
_CODE, _TABLE, _DIAGRAM, _FORMULA = Shape.CODE, Shape.TABLE, Shape.DIAGRAM, Shape.FORMULA


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
        "patience",
        "quiet",
        "signs",
        "taken",
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
        self.taken: list[tuple[int, int]] = []
        """Where words were found to be links, in order."""
        self.patience = 20_000
        """How many dollar signs are still worth a look: each may cost a search for its partner."""
        self.signs = prose.signs(body)
        self.next_sign = self.signs[-1][0] if self.signs else _NOWHERE

    def run(self, text: str) -> Found:  # noqa: C901 - a call for each text and code span would cost a tenth of it all
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
                if "://" in words:
                    self._addresses(start, span["end"])
                if span["end"] > self.next_sign:
                    self._signs(start, span["end"])
                if "/" in words:
                    self._paths(start, span["end"])
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
            elif "Code" in event:
                code = event["Code"]
                if span["start"] < self.collecting and self._collect(span["start"], code):
                    continue
                if ("." in code or "/" in code or code in BARE_NAMES) and prose.is_code_path(code):
                    self.found.links.append((span["start"], span["end"], _PATH, code, [code]))
            elif span["start"] >= self.quiet:
                self._rest(event, span["start"], span["end"])
        return self.found

    def _rest(self, event: dict[str, Any], start: int, end: int) -> None:
        if "InlineHtml" in event and "=" in event["InlineHtml"]:
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
        if end > self.collecting:
            self.collecting = end
        self.found.headings.append((start, int(heading["level"][1]), self.heading_text))

    def _link(self, start: int, end: int, link: dict[str, str]) -> None:
        if start < self.image_end or (self.taken and start < self.taken[-1][1] and not self._drop_wikilink(start)):
            return
        target = link["dest_url"]
        if link["link_type"] == "Email":
            target = f"mailto:{target}"
        self.link_text = []
        self.link_end = end
        if end > self.collecting:
            self.collecting = end
        self.found.links.append((start, end, _LINK, target, self.link_text))

    def _drop_wikilink(self, start: int) -> bool:
        """Forget the wikilink around `start`: its inner brackets turned out to be a defined reference."""
        links = self.found.links
        if links and links[-1][2] in (_WIKILINK, _EMBED) and start < links[-1][1]:
            links.pop()
            self.taken.pop()
            return True
        return False

    def _image(self, start: int, end: int, image: dict[str, str]) -> None:
        if start < self.image_end:
            return
        self.image_text = []
        self.image_end = end
        self.collecting = max(self.collecting, end)
        target = image["dest_url"]
        self.found.links.append((start, end, _IMAGE, target, self.image_text))
        self._drawing(target)

    def _code_block(self, start: int, end: int, kind: str | dict[str, str]) -> None:
        found = self.found
        self.quiet = end
        before = len(found.headings)
        language = ""
        if isinstance(kind, dict):
            found.shapes.append((before, _CODE))
            language = _language(kind["Fenced"])
            if language in _DIAGRAM_LANGUAGES:
                found.shapes.append((before, _DIAGRAM))
            elif language in _FORMULA_LANGUAGES:
                found.shapes.append((before, _FORMULA))
        found.code.append((start, end, language, before))

    def _table(self, _start: int, _end: int, _columns: object) -> None:
        self.found.shapes.append((len(self.found.headings), _TABLE))

    def _html_block(self, start: int, end: int) -> None:
        self.quiet = end
        for attribute in attributes(self.body, start, end):
            self._html(attribute)

    def _html(self, attribute: Attribute) -> None:
        start, end, what, value, text = attribute
        if what == "anchor":
            self.found.anchors.append((start, end, value))
        else:
            self.found.links.append((start, end, _HTML, value, [text]))
            if what == "image":
                self._drawing(value)

    def _drawing(self, target: str) -> None:
        path = target.partition("#")[0].partition("?")[0]
        if path[-4:].lower() == ".svg" and "://" not in path:
            self.found.shapes.append((len(self.found.headings), _DIAGRAM))

    def _addresses(self, start: int, end: int) -> None:
        for place in prose.addresses(self.body, start, end):
            self._take(place, _LINK, place.text)

    def _paths(self, start: int, end: int) -> None:
        for place in prose.paths(self.body, start, end):
            self._take(place, _PATH, place.text)

    def _take(self, place: Place, form: LinkForm, target: str) -> None:
        """Make a link of words, unless another link holds them already."""
        taken = self.taken
        before = bisect_right(taken, place[:2])
        if before and place.start < taken[before - 1][1]:
            return
        taken.insert(before, place[:2])
        self.found.links.append((place.start, place.end, form, target, [place.text]))

    def _signs(self, start: int, end: int) -> None:
        signs = self.signs
        while signs and signs[-1][0] < end:
            position, sign = signs.pop()
            if position >= start:
                _SIGNS[sign](self, position, end)
        self.next_sign = signs[-1][0] if signs else _NOWHERE

    def _wikilink(self, position: int, _end: int) -> None:
        if position and self.body[position - 1] == _BANG:
            position -= 1
        link = wikilink(self.body, position)
        if link is not None:
            place = Place(position, link.end, link.text)
            self._take(place, _EMBED if link.is_embed else _WIKILINK, link.target)
            if link.is_embed:
                self._drawing(link.target)

    def _mail(self, position: int, _end: int) -> None:
        place = prose.mail(self.body, position)
        if place is not None:
            self._take(place, _LINK, f"mailto:{place.text}")

    def _www(self, position: int, _end: int) -> None:
        before = self.body[position - 1 : position] if position else b""
        place = prose.address(self.body, position) if before in _BEFORE_WWW else None
        if place is not None:
            self._take(place, _LINK, f"http://{place.text}")

    def _tag(self, position: int, end: int) -> None:
        name = prose.tag(self.body, position, end)
        if name:
            self.found.tags.add(name)

    def _block_id(self, position: int, _end: int) -> None:
        self.found.anchors.append(prose.block_id(self.body, position))

    def _name(self, position: int, _end: int) -> None:
        place = prose.name(self.body, position)
        if place is not None:
            self._take(place, _PATH, place.text)

    def _formula(self, position: int, _end: int) -> None:
        self.patience -= self.patience > 0
        if self.patience and prose.is_formula(self.body, position):
            self.found.shapes.append((len(self.found.headings), _FORMULA))


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
    Sign.NAME: _Reading._name,
}


@lru_cache(maxsize=1024)
def _language(info: str) -> str:
    words = info.split(None, 1)
    return words[0].strip("{}.,").partition(",")[0].lower() if words else ""
