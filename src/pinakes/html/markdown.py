"""A Markdown document as HTML for the reader.

A document and where its links lead enter; cleaned markup leaves, with our anchors on headings and lines on blocks.
Markup inside the document is data: it is cleaned together with ours. Links found between the words (wikilinks, paths)
are drawn where the parser found them, so that the page and the link graph never disagree.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import Any, cast

import pyromark

from pinakes.html.clean import OwnMarkup, clean
from pinakes.html.code import Colours
from pinakes.html.containers import box, has_containers, with_containers
from pinakes.html.markup import Markup, tag, text
from pinakes.html.scripts import DIAGRAM, FORMULA
from pinakes.html.targets import Targets, is_outside
from pinakes.html.traced_text import TracedText
from pinakes.parse.inline_marks import formula_end
from pinakes.parse.prepare import for_engine, without_components
from pinakes.parse.stream import OPTIONS
from pinakes.records import Document, Edge, LinkForm, Span

ShownText = Callable[[str], Markup]
"""Turns text into markup that shows it."""
_ENGINE = pyromark.Markdown(options=OPTIONS | pyromark.Options.ENABLE_MATH | pyromark.Options.ENABLE_DEFINITION_LIST)
"""Reads what the parser reads, and besides what only a reader sees."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_DIAGRAMS = frozenset(("mermaid",))
_FORMULAS = frozenset(("math", "latex-math", "katex"))

_PLAIN = {
    "Emphasis": "em",
    "Strong": "strong",
    "Strikethrough": "del",
    "TableHead": "tr",
    "TableRow": "tr",
    "Paragraph": "p",
    "Item": "li",
    "DefinitionList": "dl",
    "DefinitionListTitle": "dt",
    "DefinitionListDefinition": "dd",
}
_LINED = frozenset(("Paragraph", "Item", "TableRow"))
_IN_WORDS = (LinkForm.WIKILINK, LinkForm.EMBED, LinkForm.PATH, LinkForm.LINK)


def markdown_html(document: Document, targets: Targets, asked: Span | None = None, shown: ShownText = text) -> Markup:
    """The document's body; blocks on the lines `asked` for are marked, and `shown` may mark words."""
    body = for_engine(document.source[document.body :])
    seal = OwnMarkup()
    made = with_containers(body, seal) if has_containers(body) else TracedText.unchanged(body)
    return rewritten_html(document, made, seal, targets, asked, shown)


def rewritten_html(
    document: Document,
    made: TracedText,
    seal: OwnMarkup,
    targets: Targets,
    asked: Span | None = None,
    shown: ShownText = text,
) -> Markup:
    """A body that was rewritten as Markdown, with elements of ours under a seal."""
    body = made.body
    if document.ref.path.lower().endswith(".mdx"):
        body, _ = without_components(body)
    drawing = _Drawing(document, made, body, seal, targets, asked)
    drawing.shown = shown
    return clean(drawing.run(), seal, targets.lookup)


class _Drawing:
    """One pass over the engine's events; `closing` holds what ends the constructs that are open."""

    def __init__(
        self,
        document: Document,
        made: TracedText,
        body: bytes,
        seal: OwnMarkup,
        targets: Targets,
        asked: Span | None,
    ) -> None:
        self.body = body
        self.made = made
        self.targets = targets
        self.asked = asked
        self.shown: ShownText = text
        """Turns prose into markup; words of links and code are shown as they are."""
        self.seal = seal
        self.first = document.body
        self.colours = Colours()
        self.language = ""
        self.code: list[str] | None = None
        """The code that is open."""
        self.is_sided = _RIGHT_TO_LEFT.search(body.decode("utf-8", "replace")) is not None
        self.side = self.seal.attribute(dir="auto") if self.is_sided else ""
        self.out: list[str] = []
        self.closing: list[str] = []
        self.alternative: list[str] | None = None
        """The words of the picture that is open."""
        self.is_head = False
        self.columns: list[str] = []
        self.column = 0
        self.line_starts = [0, *(found.end() for found in re.finditer(rb"\r\n|\n|\r", document.source))]
        self.anchors = {section.lines.start: section.anchor for section in document.sections[1:]}
        self.starts = sorted(start for start, edge in targets.by_start.items() if edge.link.form in _IN_WORDS)

    def run(self) -> str:
        events = cast(
            "Iterator[tuple[Any, dict[str, int]]]",
            _ENGINE.events_with_range(self.body.decode("utf-8", "replace"), merge_text=True),
        )
        for event, span in events:
            start, end = span["start"], span["end"]
            if isinstance(event, str):
                self._sign(event)
            elif "Start" in event:
                self._start(event["Start"], start, end)
            elif "End" in event:
                self._end(event["End"])
            else:
                self._words(event, start, end)
        return "".join(self.out)

    def _sign(self, event: str) -> None:
        if self.alternative is not None:
            self.alternative.append(" ")
        else:
            self.out.append({"HardBreak": "<br>", "Rule": "<hr>"}.get(event, "\n"))

    def _words(self, event: dict[str, Any], start: int, end: int) -> None:
        ((kind, words),) = event.items()
        if self.alternative is not None:
            self.alternative.append(str(words) if kind in ("Text", "Code") else "")
        elif self.code is not None:
            self.code.append(str(words))
        elif kind in ("Html", "InlineHtml"):
            self.out.append(words)
        elif kind == "Code":
            edge = self.targets.by_start.get(self._place(start))
            self.out.append(self._linked(edge, f"<code>{text(words)}</code>"))
        elif kind in ("InlineMath", "DisplayMath") and formula_end(self.body, start) == end:
            self.out.append(self.seal.block(_formula(str(words), is_block=kind == "DisplayMath")))
        elif kind in ("InlineMath", "DisplayMath"):
            self.out.append(self._text(self.body[start:end].decode("utf-8", "replace"), start, end))
        elif kind == "TaskListMarker":
            self.out.append("☑ " if words else "☐ ")
        elif kind == "FootnoteReference":
            self.out.append(f'<sup><a href="{self.seal.address(f"#note-{words}")}">{text(words)}</a></sup>')
        else:
            self.out.append(self._text(str(words), start, end))

    def _text(self, words: str, start: int, end: int) -> str:
        """Words with the links that the parser found in them, where nothing in them is written in other signs."""
        source = self.body[start:end]
        if words.encode("utf-8", "surrogatepass") != source:
            return self.shown(words)
        made: list[str] = []
        here = self._place(start)
        reached = here
        last = here + end - start
        for place in self.starts[bisect_left(self.starts, here) : bisect_right(self.starts, last)]:
            edge = self.targets.by_start[place]
            stop = edge.link.span.end
            if place < reached or stop > last or self._inside_link():
                continue
            made.append(self.shown(source[reached - here : place - here].decode("utf-8", "replace")))
            made.append(self._linked(edge, text(edge.link.text)))
            reached = stop
        made.append(self.shown(source[reached - here :].decode("utf-8", "replace")))
        return "".join(made)

    def _linked(self, edge: Edge | None, inside: str) -> str:
        if edge is None or self._inside_link():
            return inside
        opening, closing = self._link(edge, edge.link.target)
        if edge.link.form is LinkForm.EMBED and edge.to is not None and (shown := self.targets.picture(edge.to)):
            return f'<img src="{self.seal.address(shown)}" alt="{text(edge.link.text)}">'
        return f"{opening}{inside}{closing}"

    def _link(self, edge: Edge | None, written: str) -> tuple[str, str]:
        """How a link opens and closes; one that leads nowhere says so instead."""
        to = edge.to if edge is not None else None
        page = self.targets.page(to) if to is not None else None
        if page is None and is_outside(written):
            return f'<a href="{text(written)}">', "</a>"
        if page is None:
            why = "This file is not shown here" if to is not None else "Nothing of that name is in the library"
            return f"<span{self.seal.attribute(class_='loose', title=f'{why}: {written}')}>", "</span>"
        return f'<a href="{self.seal.address(page)}">', "</a>"

    def _inside_link(self) -> bool:
        return "</a>" in self.closing

    def _start(self, tag: Any, start: int, end: int) -> None:
        if isinstance(tag, str):
            self._start_plain(tag, start, end)
            return
        ((kind, facts),) = tag.items()
        if kind == "Heading":
            level = facts["level"][1]
            self._start_heading(level, start, end)
        elif kind == "CodeBlock":
            self._start_code(facts, start, end)
        elif kind == "List":
            opening = f"<ul{self.side}>" if facts is None else f'<ol start="{facts}"{self.side}>'
            self._open(opening, "</ul>\n" if facts is None else "</ol>\n")
        elif kind == "Table":
            self.columns = [str(side).lower() for side in facts]
            around = self.seal.attribute(class_="table", tabindex="0")
            self._open(f"<div{around}><table{self.side}>", "</tbody></table></div>\n")
        elif kind == "BlockQuote":
            opening, closing = box(self.seal, str(facts), str(facts)) if facts else ("<blockquote>", "</blockquote>")
            self._open(opening, f"{closing}\n")
        elif kind == "FootnoteDefinition":
            self._open(f"<div{self.seal.attribute(class_='note', id=f'note-{facts}')}>{text(facts)}: ", "</div>\n")
        elif kind == "Link":
            self._start_link(facts, start)
        elif kind == "Image":
            self._start_image(facts, start)
        else:
            self._open("<div>", "</div>")

    def _start_plain(self, kind: str, start: int, end: int) -> None:
        if kind == "TableHead":
            self.is_head, self.column = True, 0
            self._open("<thead><tr>", "</tr></thead><tbody>")
        elif kind == "TableRow":
            self.column = 0
            self._open(f"<tr{self._line_attributes(start, end)}>", "</tr>")
        elif kind == "TableCell":
            side = self.columns[self.column] if self.column < len(self.columns) else "none"
            self.column += 1
            name = "th" if self.is_head else "td"
            looks = self.seal.attribute(class_=f"to-{side}") if side in ("right", "center") else ""
            self._open(f"<{name}{looks}>", f"</{name}>")
        elif kind in _PLAIN:
            name = _PLAIN[kind]
            is_sided = kind == "Paragraph"
            lines = self._line_attributes(start, end, is_sided=is_sided) if kind in _LINED else ""
            self._open(f"<{name}{lines}>", f"</{name}>" if kind not in _LINED else f"</{name}>\n")
        else:
            self._open("", "")

    def _start_heading(self, level: int, start: int, end: int) -> None:
        attributes, anchor = (
            self._line_attributes(start, end, is_heading=True, is_sided=True),
            self.anchors.get(self._line(start)),
        )
        to_itself = tag("a", href=f"#{anchor}", class_="permalink", aria_label="Link to this section")
        link = self.seal.block(to_itself) if anchor and not self._inside_link() else ""
        self._open(f"<h{level}{attributes}>", f"{link}</h{level}>\n")

    def _start_code(self, facts: Any, start: int, end: int) -> None:
        words = re.split(r"[\s,{]+", facts["Fenced"], maxsplit=1) if isinstance(facts, dict) else [""]
        self.language = words[0].strip(".")[:30].lower()
        self.code = []
        if self.language in _DIAGRAMS | _FORMULAS:
            self._open(f"<div{self._line_attributes(start, end)}>", "</div>\n")
        else:
            label = self.seal.attribute(data_language=self.language) if self.language else ""
            self._open(f"<pre{self._line_attributes(start, end, is_code=True)}><code{label}>", "</code></pre>\n")

    def _code_drawn(self, code: str) -> str:
        if self.language in _DIAGRAMS:
            return self.seal.block(tag("pre", code.strip("\n"), class_=DIAGRAM, tabindex="0"))
        if self.language in _FORMULAS:
            return self.seal.block(_formula(code, is_block=True))
        return self.seal.block(self.colours.coloured(code, self.language))

    def _start_link(self, facts: dict[str, str], start: int) -> None:
        written = facts["dest_url"]
        if facts["link_type"] == "Email":
            written = f"mailto:{written}"
        edge = self.targets.by_start.get(self._place(start)) or self.targets.by_text.get(written)
        opening, closing = self._link(edge, written)
        self._open(opening, closing)

    def _start_image(self, facts: dict[str, str], start: int) -> None:
        if self.alternative is not None:  # a picture in the words of a picture
            self._open("", "")
            return
        self.alternative = []
        written = facts["dest_url"]
        edge = self.targets.by_start.get(self._place(start)) or self.targets.by_text.get(written)
        shown = self.targets.picture(edge.to) if edge is not None and edge.to is not None else None
        if shown is not None:
            self._open(f'<img src="{self.seal.address(shown)}" alt="', '">')
            return
        opening, closing = ("<span>", "</span>") if self._inside_link() else self._link(edge, written)
        self._open(f"{opening}[picture: ", f"]{closing}")

    def _open(self, opening: str, closing: str) -> None:
        if self.alternative is None or "alt=" in opening or "[picture:" in opening:
            self.out.append(opening)
            self.closing.append(closing)
        else:  # inside a picture's words nothing but words counts
            self.closing.append("")

    def _end(self, tag: Any) -> None:
        closing = self.closing.pop() if self.closing else ""
        if tag == "Image" and closing and self.alternative is not None:
            self.out.append(text("".join(self.alternative)))
            self.alternative = None
        elif tag == "TableHead":
            self.is_head = False
        elif tag == "CodeBlock" and self.code is not None:
            self.out.append(self._code_drawn("".join(self.code)))
            self.code = None
        self.out.append(closing)

    def _place(self, position: int) -> int:
        """Where in the document's source something stands."""
        return self.first + self.made.origin(position)

    def _line(self, position: int) -> int:
        return bisect_right(self.line_starts, self._place(position)) - 1

    def _line_attributes(
        self, start: int, end: int, *, is_heading: bool = False, is_code: bool = False, is_sided: bool = False
    ) -> str:
        """The lines a block stands on, its anchor where it is a heading, and whether it was asked for."""
        first = self._line(start)
        after = max(bisect_left(self.line_starts, self._place(max(end - 1, start)) + 1), first + 1)
        is_asked = self.asked is not None and first < self.asked.end and self.asked.start < after
        return self.seal.attribute(
            id=self.anchors.get(first) if is_heading else None,
            data_lines=Span(first, after).outside(),
            class_="asked" if is_asked else None,
            tabindex="0" if is_code else None,
            dir="auto" if is_sided and self.is_sided else None,
        )


def _formula(words: str, *, is_block: bool) -> Markup:
    """A formula as it is written; the page's script draws it."""
    return tag("code", words.strip(), class_=f"{FORMULA} block" if is_block else FORMULA)
