"""What stands in a drawing, gathered from the events of its XML.

Element starts, ends and texts enter one by one; headings, labels, links and arrows leave when it is finished. It knows
the habits of the programs that draw: draw.io puts a label into ``foreignObject`` and a cut-off copy beside it in the
same ``switch``, mermaid uses ``foreignObject`` alone, some write each word as a text of its own, and all of them number
the groups that nobody named: only an id or label that a person gave makes a heading.
"""

from __future__ import annotations

import re

from msgspec import Struct

from pinakes.parse.arrows import Arrows
from pinakes.parse.rows import TextPlace
from pinakes.parse.structure import Contents
from pinakes.records import LinkForm

_SKIPPED = frozenset(("defs", "style", "script", "metadata"))
_INLINE = re.compile(
    r"(?:a|abbr|b|bdi|bdo|cite|code|em|font|i|kbd|mark|q|s|samp|small|span|strong|sub|sup|tt|u|var)\Z", re.IGNORECASE
)
"""Elements of HTML that do not end a word."""
_TAG = re.compile(rb"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""")
_LONGEST_HEADING = 200
_DEEPEST = 50
"""Groups nested deeper make no headings; their labels belong to the group around them."""
_WORD = re.compile(r"[^\W\d_]+")
_RANDOM = re.compile(r"\d{5}|(?=[a-f]*\d)[0-9a-f]{8}", re.IGNORECASE)
_ESCAPED = re.compile(r"_x([0-9A-F]{2,4})_")
"""How Illustrator writes signs that an id must not hold."""
_LONGEST_NAME = 100
_CONTAINERS = re.compile(
    r"(?:artboard|canvas|clusters|content|defs|divtext|edgelabels|edgepaths|edges|g|graph|group|id|layer|main|nodes|page|"
    r"root|svg|viewport)\Z"
)
"""What programs call the groups that hold everything, numbered or not."""
_NUMBERED = re.compile(
    r"(?:actor|arrow|base|cell|circle|class|clip|clippath|clust|cluster|edge|ellipse|entity|figure|frame|image|label|"
    r"line|link|mask|message|node|note|object|path|pattern|polygon|polyline|rect|rectangle|shape|start|state|subgraph|"
    r"svgid|symbol|text|tspan|use|vector|xmlid|[a-z]{1,2})\Z"
)
"""What programs put before a number, single letters among it."""
_PROGRAMS = frozenset(("flowchart", "mermaid"))


class _Group(Struct, frozen=True):
    """A named group that waits for something to read in it, which makes it a heading."""

    start: int
    title: str
    id: str


class _Element:
    """An open element and what its end will end."""

    __slots__ = ("has_answer", "is_fallback", "is_group", "is_link", "is_node", "name", "number")

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        """Of no other element of the drawing."""
        self.is_group = False
        """It is a named group."""
        self.is_link = False
        self.is_node = False
        """An arrow may begin or end at it."""
        self.has_answer = False
        """For a switch: one of its children was the thing to show, the others are for programs that cannot show it."""
        self.is_fallback = False


class _Link:
    """An open link and the texts in it."""

    __slots__ = ("end", "label_from", "start", "target", "texts")

    def __init__(self, start: int, end: int, target: str, label_from: int) -> None:
        self.start = start
        self.end = end
        self.target = target
        self.label_from = label_from
        """How many pieces of the label around it came before it."""
        self.texts: list[str] = []


class Drawing:
    """One drawing being read. Feed it with `start`, `end` and `text`, then call `finish`."""

    def __init__(self) -> None:
        self.found = Contents()
        self.title = ""
        self.labels: list[dict[str, None]] = [{}]
        """For each section, the root first, its labels in reading order."""
        self.ends: dict[int, int] = {}
        """Where the group of a section ends."""
        self.link_sections: dict[int, int] = {}
        """By where a link begins, the section of the group around it."""
        self.arrows = Arrows()
        self._last: tuple[TextPlace, str] | None = None
        """Where the label before this one stood, and what it said."""
        self._place: TextPlace | None = None
        self._open: list[_Element] = []
        self._elements = 0
        self._made: list[tuple[int, int]] = []
        """Position and level of the headings of open groups, outermost first."""
        self._waiting: list[_Group] = []
        """Open groups inside of those that have no heading so far."""
        self._links: list[_Link] = []
        self._skipping = 0
        self._fallbacks = 0
        self._label: list[str] | None = None
        self._label_depth = 0
        self._label_start = 0
        self._label_row = ""
        self._base = (0, 0)
        """Position and level of the section for what stands in no group."""

    def start(self, name: str, attributes: dict[str, str], at: int, body: bytes) -> None:
        """An element begins at byte `at` of the body."""
        if self._skipping:
            self._skipping += 1
            return
        local = name.rpartition(":")[2]
        if local in _SKIPPED:
            self._skipping = 1
            return
        self._elements += 1
        element = _Element(local, self._elements)
        parent = self._open[-1] if self._open else None
        if parent is not None and parent.name == "switch":
            self._choose(parent, element, attributes)
        self._open.append(element)
        if local == "a":
            self._begin_link(element, attributes, at, body)
        if self._label is not None:
            self._inside_label(local, attributes)
        elif local in ("text", "foreignObject") or (local in ("title", "desc") and len(self._open) == 2):
            self._label, self._label_depth, self._label_start = [], len(self._open), at
            self._label_row = attributes.get("y", "")
            self._place = TextPlace.read(attributes, parent.number if parent else 0) if local == "text" else None
        elif local == "title" and self.arrows.is_open:
            self._label, self._label_depth, self._label_start = [], len(self._open), at
        elif local == "g":
            self._begin_group(element, attributes, at)
        if self.arrows.begin(local, attributes):
            element.is_node = True

    def text(self, piece: str) -> None:
        """Characters between tags."""
        if self._label is not None and not self._skipping:
            self._label.append(piece)

    def end(self, at: int) -> None:
        """The innermost open element ends with the tag at byte `at` of the body."""
        if self._skipping:
            self._skipping -= 1
            return
        if self._label is not None:
            if self._label_depth == len(self._open):
                self._end_label()
            elif self._open[self._label_depth - 1].name == "foreignObject" and not _INLINE.match(self._open[-1].name):
                self._label.append(" ")
        element = self._open.pop()
        self._fallbacks -= element.is_fallback
        if element.is_link:
            self._end_link(self._links.pop())
        if element.is_node:
            self.arrows.end()
        if element.is_group:
            if self._waiting:
                self._waiting.pop()
            else:
                self.ends[self._made.pop()[0]] = at

    def finish(self) -> None:
        """Take what is still open as if it ended here."""
        if self._label is not None:
            self._end_label()
        while self._links:
            self._end_link(self._links.pop())

    def _choose(self, switch: _Element, child: _Element, attributes: dict[str, str]) -> None:
        is_answer = child.name == "foreignObject"
        if switch.has_answer and not is_answer:
            child.is_fallback = True
            self._fallbacks += 1
        if is_answer or "requiredFeatures" in attributes or "requiredExtensions" in attributes:
            switch.has_answer = True

    def _inside_label(self, name: str, attributes: dict[str, str]) -> None:
        label = self._label
        if label is None:
            return
        if self._open[self._label_depth - 1].name == "foreignObject":
            if not _INLINE.match(name):
                label.append(" ")
        elif "dy" in attributes or attributes.get("y", self._label_row) != self._label_row:
            # A piece of text on another row is another word; pieces of one row may be halves of a word.
            label.append(" ")
            self._label_row = attributes.get("y", self._label_row)

    def _end_label(self) -> None:
        text = " ".join("".join(self._label or ()).split())
        name = self._open[self._label_depth - 1].name
        self._label = None
        if not text:
            return
        if name == "title" and self._label_depth > 2:
            self.arrows.name(text)
        elif name == "title":
            if not self.title:
                self.title = text
                self._base = (self._heading(self._label_start, 1, text), 1)
        elif name == "desc":
            self._heading(self._label_start, 2, text)
        else:
            if self._links:
                self._links[-1].texts.append(text)
            if not self._fallbacks:
                self.arrows.label(text)
                self._add_label(text)

    def _add_label(self, text: str) -> None:
        """A label of its own, or the next word of the one before it."""
        labels = self.labels[self._section()]
        place = self._place
        if place is not None and self._last is not None and place.continues(*self._last):
            before = self._last[1]
            if next(reversed(labels), "") == before:
                del labels[before]
            text = f"{before} {text}"
        self._last = (place, text) if place is not None else None
        labels.setdefault(text)

    def _section(self) -> int:
        """The section of what is read now; groups that were waiting for something to read become headings."""
        for group in self._waiting:
            level = (self._made[-1] if self._made else self._base)[1] + 1
            self._made.append((self._heading(group.start, level, group.title), level))
            if group.id:
                self.found.anchors.append((group.start, group.start, group.id))
        self._waiting.clear()
        return (self._made[-1] if self._made else self._base)[0]

    def _begin_group(self, element: _Element, attributes: dict[str, str], at: int) -> None:
        if len(self._made) + len(self._waiting) >= _DEEPEST:
            return
        spoken = " ".join(attributes.get("aria-label", "").split())
        identity = attributes.get("id", "")
        title = spoken or given_name(attributes.get("inkscape:label", "")) or given_name(identity)
        if title:
            element.is_group = True
            self._waiting.append(_Group(at, title, identity.strip()))
            if spoken:
                # It was written for those who cannot see the drawing, so it says something even around mere shapes.
                self._section()

    def _begin_link(self, element: _Element, attributes: dict[str, str], at: int, body: bytes) -> None:
        target = (attributes.get("href") or attributes.get("xlink:href") or "").strip()
        if target and not target.startswith("#"):
            tag = _TAG.match(body, at)
            element.is_link = True
            self._links.append(_Link(at, tag.end() if tag else at + 1, target, len(self._label or ())))

    def _end_link(self, link: _Link) -> None:
        text = " ".join(link.texts) or " ".join("".join(self._label[link.label_from :] if self._label else ()).split())
        self.found.links.append((link.start, link.end, LinkForm.LINK, link.target, [text]))
        self.link_sections[link.start] = self._section() if text else (self._made[-1] if self._made else self._base)[0]

    def _heading(self, start: int, level: int, title: str) -> int:
        if len(title) > _LONGEST_HEADING:
            title = title[:_LONGEST_HEADING].rsplit(" ", 1)[0] + " …"
        self.found.headings.append((start, level, [title]))
        self.labels.append({})
        return len(self.labels) - 1


def given_name(text: str) -> str:
    """The name in `text` if a person gave it, else nothing: ``Control_Plane`` but not ``g1234`` or ``path-7-2``."""
    if not text:
        return ""
    text = " ".join(_ESCAPED.sub(_sign, text[: _LONGEST_NAME + 1]).split()).strip("_")
    words = [word.lower() for word in _WORD.findall(text)]
    if len(text) > _LONGEST_NAME or not words or words[0] in _PROGRAMS or _RANDOM.search(text):
        return ""
    telling = [word for word in words if not _CONTAINERS.match(word)]
    if any(sign.isdigit() for sign in text):
        telling = [word for word in telling if not _NUMBERED.match(word)]
    return text if telling and (len(text) > 1 or not text.isascii()) else ""


def _sign(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return chr(code) if not 0xD800 <= code <= 0xDFFF else found[0]
