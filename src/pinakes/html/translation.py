"""A document of another format on its way to Markdown: what a translator writes with, line by line.

The document enters; a text in Markdown leaves that remembers where each piece stood, with the document's own links
where the parser found them. What a heading or a list is, each format's translator knows.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

from pinakes.html.clean import OwnMarkup
from pinakes.html.containers import box
from pinakes.html.traced_text import TracedText
from pinakes.records import Document, Link, LinkForm

_SHOWN = (LinkForm.LINK, LinkForm.IMAGE, LinkForm.PATH, LinkForm.WIKILINK)
_BRACKETS = re.compile(r"([\[\]\\])")
_LONGEST_FENCE = re.compile(rb"`{3,}")

_LONGEST = 5_000
"""Bytes of a row in which signs are looked for."""

Inline = Callable[[str], str]
"""Words in the format's own signs to the same in Markdown's."""


class Translation:
    """The rows of one document and what was made of them so far."""

    def __init__(self, document: Document, seal: OwnMarkup, inline: Inline) -> None:
        self.made = TracedText()
        self._seal = seal
        self.inline = inline
        body = document.source[document.body :]
        self.body = body
        self.rows = body.splitlines(keepends=True)
        self.starts = [0]
        for row in self.rows:
            self.starts.append(self.starts[-1] + len(row))
        self.headings = self._headings(document)
        first = document.body
        self._links = sorted(
            ((link.span.start - first, link) for link in document.links if link.form in _SHOWN and link.span.length),
            key=lambda each: each[0],
        )
        self._link_starts = [start for start, _ in self._links]

    def _headings(self, document: Document) -> dict[int, tuple[int, str]]:
        """Level and title by the row that a heading begins on."""
        before = document.source[: document.body].count(b"\n")
        return {one.lines.start - before: (one.level, one.title) for one in document.sections[1:]}

    def text(self, row: int) -> str:
        """A row without its end."""
        return self.rows[row].decode("utf-8", "replace").rstrip() if row < len(self.rows) else ""

    def line(self, words: str, row: int, pad: str = "") -> None:
        """A line of Markdown that stands for a row."""
        at = self.starts[min(row, len(self.rows))]
        self.made.add(f"{pad}{words}\n".encode("utf-8", "surrogatepass"), at)

    def heading(self, row: int, shift: int = 0) -> None:
        """The heading that begins on a row."""
        level, title = self.headings[row]
        at = self.starts[row]
        self.made.add(f"\n{'#' * max(1, min(level + shift, 6))} ".encode(), at)
        self.made.add(f"{escaped(title)}\n\n".encode("utf-8", "surrogatepass"), at)

    def words(self, row: int, skip: int = 0, pad: str = "", tail: str = "", less: int = 0) -> None:
        """The words of a row from column `skip` on and without the `less` last bytes, with the links in them."""
        start = self.starts[row] + skip
        end = self.starts[row] + len(self.rows[row].rstrip()) - less
        self.made.add(pad.encode(), start)
        reached = start
        for at, link in self._between(start, end):
            if at < reached:
                continue
            stop = at + link.span.length
            self._said(reached, at)
            self.made.add(_as_markdown(link).encode("utf-8", "surrogatepass"), at)
            reached = max(reached, stop)
        self._said(reached, end)
        self.made.add(f"{tail}\n".encode(), max(end, reached))

    def is_inside_link(self, row: int) -> bool:
        """Whether a link that began on an earlier row reaches over the beginning of this one."""
        place = bisect_left(self._link_starts, self.starts[row]) - 1
        return place >= 0 and self._links[place][0] + self._links[place][1].span.length > self.starts[row]

    def code(self, rows: Iterable[int], language: str, pad: str = "") -> None:
        """Rows as a block of code, without the indent that all of them have."""
        listed = list(rows)
        while listed and not self.text(listed[-1]).strip():
            listed.pop()
        while listed and not self.text(listed[0]).strip():
            listed.pop(0)
        if not listed:
            return
        kept = [row for row in listed if self.text(row).strip()]
        indent = min(len(self.rows[row]) - len(self.rows[row].lstrip(b" ")) for row in kept)
        longest = max((len(found) for row in kept for found in _LONGEST_FENCE.findall(self.rows[row])), default=2)
        fence = "`" * max(3, longest + 1)
        self.line(f"\n{pad}{fence}{language}", listed[0], pad="")
        for row in listed:
            self.made.add(
                pad.encode() + self.rows[row][indent:].rstrip() + b"\n",
                self.starts[row] + min(indent, len(self.rows[row])),
            )
        self.line(f"{fence}\n", listed[-1], pad)

    def boxed(self, row: int, kind: str, title: str, pad: str = "") -> str:
        """Open a box at a row; gives the line that closes it."""
        opening, closing = box(self._seal, kind, title)
        self.line(f"\n{pad}{opening}\n", row)
        return f"\n{pad}{closing}\n"

    def table(self, row: int, head: Sequence[str], rows: Iterable[Sequence[str]], pad: str = "") -> None:
        """A table; its cells are in the format's own signs."""
        self.line("", row)
        self.line(_cells([self.inline(cell) for cell in head]), row, pad)
        self.line(_cells(["---"] * len(head)), row, pad)
        for cells in rows:
            shown = [self.inline(cell) for cell in cells][: len(head)]
            self.line(_cells([*shown, *[""] * (len(head) - len(shown))]), row, pad)
        self.line("", row)

    def _between(self, start: int, end: int) -> Sequence[tuple[int, Link]]:
        return self._links[bisect_left(self._link_starts, start) : bisect_left(self._link_starts, end)]

    def _said(self, start: int, end: int) -> None:
        if start < end:
            written = self.body[start:end].decode("utf-8", "replace")
            words = self.inline(written) if end - start <= _LONGEST else escaped(written)
            self.made.add(words.encode("utf-8", "surrogatepass"), start)


def escaped(words: str) -> str:
    """Words that Markdown would read as signs, as they are."""
    return re.sub(r"([\\`*_\[\]<])", r"\\\1", words)


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _as_markdown(link: Link) -> str:
    target = link.target.replace(">", "%3E").replace("<", "%3C").replace("\n", " ")
    label = _BRACKETS.sub(r"\\\1", " ".join(link.text.split()) or link.target)
    return f"{'!' if link.form is LinkForm.IMAGE else ''}[{label}](<{target}>)"
