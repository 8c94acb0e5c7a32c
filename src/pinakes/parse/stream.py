"""The Markdown engine's events, read once.

The text of a body enters; what stands where leaves, as plain positions: headings, links, anchors, code, shapes, tags.
Nothing here knows sections or records. The loop runs for every event of every document, half a million times in a
12 MB corpus, so it does as little as it can: the end of a construct is known when it starts, hence ends are skipped,
and prose is looked at more closely only where it holds a sign.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, cast

import pyromark

from pinakes.parse import inline_marks
from pinakes.parse.html import attributes, code_stretches, extend_tables, visible_stretches
from pinakes.parse.inline_marks import BARE_NAMES, InlineMark, Mention
from pinakes.parse.prepare import TEMPLATE_TARGETS, is_page_ref
from pinakes.parse.structure import Contents
from pinakes.parse.unseen import unseen
from pinakes.parse.wikilinks import marks, wikilink
from pinakes.records import BlockKind, LinkForm, Shape

_Options = pyromark.Options
OPTIONS = (
    _Options.ENABLE_TABLES
    | _Options.ENABLE_FOOTNOTES
    | _Options.ENABLE_STRIKETHROUGH
    | _Options.ENABLE_TASKLISTS
    | _Options.ENABLE_GFM
)
ENGINE = pyromark.Markdown(options=OPTIONS)
"""Reads the one flavour of Markdown there is in the house."""
_DIAGRAM_LANGUAGES = frozenset(("mermaid", "plantuml", "puml", "dot", "graphviz", "d2"))
_FORMULA_LANGUAGES = frozenset(("math", "latex", "tex", "katex"))
_LEVELS = {"H1": 1, "H2": 2, "H3": 3, "H4": 4, "H5": 5, "H6": 6}
# Looking a member up in its class takes as long as making the tuple that holds it.
_LINK, _IMAGE, _HTML, _PATH = LinkForm.LINK, LinkForm.IMAGE, LinkForm.HTML, LinkForm.PATH
_WIKILINKS = _WIKILINK, _EMBED = LinkForm.WIKILINK, LinkForm.EMBED
_CODE, _TABLE, _DIAGRAM, _FORMULA = Shape.CODE, Shape.TABLE, Shape.DIAGRAM, Shape.FORMULA
_KINDS = {"Paragraph": BlockKind.PARAGRAPH, "Item": BlockKind.ITEM}
_HEADING_BLOCK, _CODE_BLOCK, _TABLE_BLOCK = BlockKind.HEADING, BlockKind.CODE, BlockKind.TABLE
_BACKTICK, _LINE_FEED, _BANG = b"`\n!"
_INCLUDES = (b"{{#include", b"{{#rustdoc_include", b"{{#playground")
"""Begin what mdBook replaces by another file, inside of code too."""


def read(text: str, body: bytes, *, has_boxes: bool = False) -> Contents:
    """Everything in a body; `text` is what the engine sees, `body` the bytes as written, maybe with boxes and tabs."""
    return _EventReader(body).run(text, has_boxes=has_boxes)


class _EventReader:
    """One pass over one body; positions of open constructs are where they will end."""

    __slots__ = ("body", "found", "passed", "patience", "taken")

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.found = Contents()
        self.taken: list[tuple[int, int]] = []
        """Where words were found to be links, in order."""
        self.patience = 20_000
        """How many dollar signs are still worth a look: each may cost a search for its partner."""
        self.passed = 0
        """Where the last formula ends: the sign that closes it opens nothing."""

    def run(self, text: str, *, has_boxes: bool) -> Contents:  # noqa: C901 - a call for each text and each link would cost a tenth of it all
        # The engine's own types are unions of forty typed dictionaries, too fine for a loop that must not ask twice.
        events: Iterator[tuple[dict[str, Any], dict[str, int]]]
        events = cast("Any", ENGINE.events_with_range(text, merge_text=True))
        body = self.body
        links = self.found.links
        headings = self.found.headings
        blocks = self.found.blocks
        gaps = self.found.gaps
        verbatim = self.found.verbatim
        # Visible text reaches up to here; what stands before the next piece of it is a gap.
        reached = 0
        next_mark = iter([*unseen(body, has_boxes=has_boxes), (len(body) + 1, 0)]).__next__
        mark, mark_end = next_mark()
        # Before `quiet` text is code or HTML, before the other ends it belongs to what is open; `busy` is the last.
        busy = quiet = heading_end = link_end = image_end = 0
        heading_text: list[str] = []
        link_text: list[str] = []
        image_text: list[str] = []
        find_place = inline_marks.places(body).find
        place = -1
        has_html = False
        for event, span in events:
            if "Text" in event:
                start, end = span["start"], span["end"]
                # Blank lines need no gap: they are what a gap between blocks is shown as.
                if start > reached and (start - reached != 2 or body[reached] != _LINE_FEED):
                    gaps += (reached, start)
                if end > reached:
                    reached = end
                if place < start:
                    place = find_place(1, start)
                if place >= end and start >= busy and mark >= reached:
                    continue
                words = event["Text"]
                is_code = False
            elif "End" in event:
                continue
            elif "Start" in event:
                tag = event["Start"]
                if type(tag) is str:
                    if tag in _KINDS:
                        blocks += (span["start"], span["end"], _KINDS[tag])
                    elif tag == "HtmlBlock":
                        start, quiet = span["start"], span["end"]
                        busy, has_html = quiet, True
                        blocks += (start, quiet, BlockKind.HTML)
                        reached = self._html_block(start, quiet, reached)
                    continue
                start, end = span["start"], span["end"]
                if "Link" in tag:
                    if start >= image_end and (not self.taken or self._is_free(start)):
                        link_text = []
                        link_end = end
                        busy = max(busy, end)
                        target = tag["Link"]["dest_url"]
                        is_mail = tag["Link"]["link_type"] == "Email"
                        if not target.startswith(TEMPLATE_TARGETS) or is_page_ref(target):
                            links.append((start, end, _LINK, f"mailto:{target}" if is_mail else target, link_text))
                elif "Heading" in tag:
                    heading_text = []
                    busy = heading_end = end
                    blocks += (start, end, _HEADING_BLOCK)
                    headings.append((start, _LEVELS[tag["Heading"]["level"]], heading_text))
                elif "CodeBlock" in tag:
                    busy = quiet = end
                    blocks += (start, end, _CODE_BLOCK)
                    self._code_block(start, end, tag["CodeBlock"])
                elif "Image" in tag:
                    if start >= image_end:
                        image_text = []
                        image_end = end
                        busy = max(busy, end)
                        links.append((start, end, _IMAGE, tag["Image"]["dest_url"], image_text))
                        self._drawing(tag["Image"]["dest_url"])
                elif "Table" in tag:
                    self.found.shapes.append((len(headings), _TABLE))
                    blocks += (start, end, _TABLE_BLOCK)
                elif "BlockQuote" in tag:
                    blocks += (start, end, BlockKind.QUOTE)
                elif "FootnoteDefinition" in tag:
                    blocks += (start, end, BlockKind.FOOTNOTE)
                continue
            elif "Code" in event:
                words = event["Code"]
                is_code = True
                start, end = span["start"], span["end"]
                first = start + 1
                while body[first] == _BACKTICK:
                    first += 1
                if first > reached:
                    gaps += (reached, first)
                last = end + start - first
                verbatim += (first, last)
                # Code inside of a template is hidden with it.
                if last > reached:
                    reached = last
            elif "Break" in event:
                words = "\n"
                is_code = False
                start, end = span["start"], span["end"]
                if start > reached and (start - reached != 2 or body[reached] != _LINE_FEED):
                    gaps += (reached, start)
                if end > reached:
                    reached = end
            else:
                if "InlineHtml" in event:
                    has_html = True
                    if "=" in event["InlineHtml"] and span["start"] >= quiet:
                        self._add_html_links_and_anchors(span["start"], span["end"])
                continue
            while mark < reached:
                if mark >= start and not is_code and (start >= quiet or body.startswith(_INCLUDES, mark)):
                    gaps += (mark, mark_end)
                    if mark_end > reached:
                        reached = mark_end
                mark, mark_end = next_mark()
            if start < busy:
                if start < quiet:
                    continue
                if start < image_end:
                    image_text.append(words)
                    continue
                if start < heading_end:
                    heading_text.append(words)
                if start < link_end:
                    link_text.append(words)
                    continue
            if is_code:
                if ("." in words or "/" in words or words in BARE_NAMES) and inline_marks.is_code_path(words):
                    links.append((start, end, _PATH, words, [words]))
            elif start <= place < end:
                self._prose(words, start, end)
        if reached < len(body):
            gaps += (reached, len(body))
        if has_html:
            extend_tables(body, blocks, [(start, end) for start, end, *_ in self.found.code])
            self.found.formulas += code_stretches(body)
        if self.taken:
            for start, end, form, _, texts in links:
                if form in _WIKILINKS:
                    self.found.hidden += marks(body, start, end, texts[0])
        return self.found

    def _prose(self, words: str, start: int, end: int) -> None:
        """Look closer at words that hold a sign."""
        if "://" in words:
            for place in inline_marks.urls(self.body, start, end):
                self._take(place, _LINK, place.text)
        for position, sign in inline_marks.find_inline_marks(words, self.body, start, end):
            _HANDLERS[sign](self, position, end)
        if "/" in words:
            for place in inline_marks.paths(self.body, start, end):
                self._take(place, _PATH, place.text)

    def _html_block(self, start: int, end: int, reached: int) -> int:
        """Look at a block of HTML; gives where visible text reaches now."""
        self._add_html_links_and_anchors(start, end)
        for first, last in visible_stretches(self.body, start, end):
            if first > reached:
                self.found.gaps += (reached, first)
            reached = max(reached, last)
        return reached

    def _is_free(self, start: int) -> bool:
        """Whether a link may begin here: not inside what was found to be another link. A wikilink around it is
        forgotten: its inner brackets turned out to be a defined reference."""
        links = self.found.links
        if start < self.taken[-1][1]:
            if not links or links[-1][2] not in _WIKILINKS or start >= links[-1][1]:
                return False
            links.pop()
            self.taken.pop()
        return True

    def _code_block(self, start: int, end: int, kind: str | dict[str, str]) -> None:
        found = self.found
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

    def _add_html_links_and_anchors(self, start: int, end: int) -> None:
        for begin, stop, what, value, text in attributes(self.body, start, end):
            if what == "anchor":
                self.found.anchors.append((begin, stop, value))
            else:
                self.found.links.append((begin, stop, _HTML, value, [text]))
                if what == "image":
                    self._drawing(value)

    def _drawing(self, target: str) -> None:
        path = target.partition("#")[0].partition("?")[0]
        if path[-4:].lower() == ".svg" and "://" not in path:
            self.found.shapes.append((len(self.found.headings), _DIAGRAM))

    def _take(self, place: Mention, form: LinkForm, target: str) -> None:
        """Make a link of words, unless another link holds them already."""
        taken = self.taken
        before = bisect_right(taken, place[:2])
        if before and place.start < taken[before - 1][1]:
            return
        taken.insert(before, place[:2])
        self.found.links.append((place.start, place.end, form, target, [place.text]))

    def _wikilink(self, position: int, _end: int) -> None:
        if position and self.body[position - 1] == _BANG:
            position -= 1
        link = wikilink(self.body, position)
        if link is not None:
            place = Mention(position, link.end, link.text)
            self._take(place, _EMBED if link.is_embed else _WIKILINK, link.target)
            if link.is_embed:
                self._drawing(link.target)

    def _mail(self, position: int, _end: int) -> None:
        place = inline_marks.mail(self.body, position)
        if place is not None:
            self._take(place, _LINK, f"mailto:{place.text}")

    def _www(self, position: int, _end: int) -> None:
        before = self.body[position - 1 : position] if position else b""
        place = inline_marks.url(self.body, position) if before in _BEFORE_WWW else None
        if place is not None:
            self._take(place, _LINK, f"http://{place.text}")

    def _tag(self, position: int, end: int) -> None:
        name = inline_marks.tag(self.body, position, end)
        if name:
            self.found.tags.add(name)

    def _block_id(self, position: int, _end: int) -> None:
        mention = inline_marks.block_id(self.body, position)
        self.found.anchors.append(mention)
        self.found.hidden.append((mention.start, mention.end))

    def _name(self, position: int, _end: int) -> None:
        place = inline_marks.name(self.body, position)
        if place is not None:
            self._take(place, _PATH, place.text)

    def _formula(self, position: int, _end: int) -> None:
        self.patience -= self.patience > 0
        end = inline_marks.formula_end(self.body, position) if self.patience and position >= self.passed else 0
        if end:
            self.passed = end
            self.found.shapes.append((len(self.found.headings), _FORMULA))
            self.found.formulas.append((position, end))


_BEFORE_WWW = frozenset((b"", *(bytes((sign,)) for sign in b" \t\n\r(*_~[]")))
_HANDLERS: dict[InlineMark, Callable[[_EventReader, int, int], None]] = {
    InlineMark.WIKILINK: _EventReader._wikilink,
    InlineMark.MAIL: _EventReader._mail,
    InlineMark.WWW: _EventReader._www,
    InlineMark.TAG: _EventReader._tag,
    InlineMark.BLOCK_ID: _EventReader._block_id,
    InlineMark.FORMULA: _EventReader._formula,
    InlineMark.NAME: _EventReader._name,
}


@lru_cache(maxsize=1024)
def _language(info: str) -> str:
    words = info.split(None, 1)
    return words[0].strip("{}.,").partition(",")[0].lower() if words else ""
