"""OpenDocument text as Markdown: headings, paragraphs, lists, tables and links.

Bytes enter; `MadeText` leaves, in which the bookmarks of the document are places.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from pinakes.conversion.archive import member, opened
from pinakes.conversion.writing import Writer, heading, plain, table
from pinakes.conversion.xml_tree import attribute, local, parsed
from pinakes.errors import Unfit
from pinakes.records.made_text import MadeText

_MOST_CELLS = 200_000
_MOST_REPEATS = 1_000
_SILENT = frozenset(("annotation", "tracked-changes", "tracked-deletions", "note-citation"))


def odt_text(data: bytes, name: str, base: str) -> MadeText:
    """The text of a document; raises `Unfit` for what is none, or is locked."""
    del name, base
    archive = opened(data)
    if b"encryption-data" in member(archive, "META-INF/manifest.xml"):
        raise Unfit("is locked with a password.", "Save it without one.")
    content = member(archive, "content.xml")
    if not content:
        raise Unfit("is no OpenDocument text: its content is missing.", "Get it again.")
    body = next((one for one in parsed(content).iter() if local(one) == "text" and "office" in one.tag), None)
    if body is None:
        raise Unfit("is no OpenDocument text.", "Take in its text instead.")
    writer = Writer()
    _Blocks(writer).read(body)
    meta = member(archive, "meta.xml")
    title = next(("".join(one.itertext()) for one in parsed(meta).iter() if local(one) == "title"), "") if meta else ""
    return MadeText(writer.text(), tuple(writer.places), title=" ".join(title.split()))


class _Blocks:
    """Writes the blocks of a document."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._cells = 0

    def read(self, parent: Element) -> None:
        for element in parent:
            name = local(element)
            if name in ("h", "p"):
                self._paragraph(element, is_heading=name == "h")
            elif name == "list":
                self._writer.block("\n".join(_items(element, 0)))
            elif name == "table":
                self._table(element)
            elif name in ("section", "index-body", "frame", "text-box", "table-of-content"):
                self.read(element)

    def _paragraph(self, element: Element, *, is_heading: bool) -> None:
        for one in element.iter():
            if local(one) in ("bookmark", "bookmark-start"):
                self._writer.place(attribute(one, "name"))
        text = _inline(element)
        level = attribute(element, "outline-level")
        if is_heading and text.strip():
            self._writer.block(heading(int(level) if level.isdigit() and len(level) < 3 else 1, text))
        else:
            self._writer.block(text if "](" in text else plain(text))

    def _table(self, element: Element) -> None:
        rows = []
        for row in element.iter():
            if local(row) != "table-row":
                continue
            cells: list[str] = []
            for cell in row:
                if local(cell) == "table-cell":
                    times = attribute(cell, "number-columns-repeated")
                    repeats = min(int(times), _MOST_REPEATS) if times.isdigit() and len(times) < 9 else 1
                    text = " ".join(_inline(one) for one in cell.iter() if local(one) in ("p", "h"))
                    cells += [text] * (repeats if text else 1)
            self._cells += len(cells)
            if self._cells > _MOST_CELLS:
                break
            if any(cells):
                rows.append(cells)
        if rows:
            self._writer.block(table(rows))


def _items(element: Element, depth: int) -> Iterator[str]:
    """The lines of a list; lists inside of it are indented."""
    for item in element:
        if local(item) not in ("list-item", "list-header"):
            continue
        is_first = True
        for block in item:
            if local(block) == "list":
                yield from _items(block, depth + 1)
            elif local(block) in ("p", "h"):
                text = " ".join(_inline(block).split())
                if text:
                    yield f"{'  ' * depth}{'- ' if is_first else '  '}{text}"
                    is_first = False


def _inline(element: Element) -> str:
    """The text in an element, with its links; notes of the margin and deleted text are left out."""
    parts = [element.text or ""]
    for child in element:
        name = local(child)
        if name == "a" and (target := attribute(child, "href")):
            shown = _inline(child)
            parts.append(f"[{shown}]({target})" if " " not in target and ")" not in target else shown)
        elif name in ("s", "tab", "line-break"):
            parts.append("\n" if name == "line-break" else " ")
        elif name not in _SILENT:
            parts.append(_inline(child))
        parts.append(child.tail or "")
    return "".join(parts)
