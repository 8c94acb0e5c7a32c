"""Boxes and tabs of site generators, which the Markdown engine does not know, as elements around Markdown.

The body of a document enters, the same body leaves with elements of ours in place of the lines that open and close a
container, and without the indent of what is inside. MkDocs (``!!!``, ``???``, ``===``, ``///``), Docusaurus, VitePress
and MyST (``:::``), Hugo's shortcodes and components of MDX are understood; an unknown container shows what is in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pinakes.html.clean import OwnMarkup
from pinakes.html.container_lines import Boundary, boundary, inline_shown
from pinakes.html.markup import text
from pinakes.html.traced_text import TracedText

_STEP = 4
"""Columns by which MkDocs indents what is inside."""
_FENCE = re.compile(rb"[ \t]*(?:(?:[-*+>]|[0-9]{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*\Z)|~{3,})")
_SIGNS = re.compile(rb"!!!|\?\?\?|===|:::|///|\{\{[<%]|</?[A-Z]|:(?:material|octicons|fontawesome|simple)-")
_TONES = {
    "tip": "good",
    "hint": "good",
    "success": "good",
    "check": "good",
    "done": "good",
    "warning": "care",
    "caution": "care",
    "attention": "care",
    "important": "care",
    "deprecated": "care",
    "danger": "stop",
    "error": "stop",
    "failure": "stop",
    "fail": "stop",
    "bug": "stop",
}
"""How a kind of box looks; others look like a note."""
_DEEPEST = 12


@dataclass(slots=True)
class _Open:
    """A container that is open: how it began, and what ends it."""

    family: str
    """indent, colons, slashes, shortcode or component."""
    name: str
    indent: int
    closing: str
    is_pane: bool = False
    is_group: bool = False


def has_containers(body: bytes) -> bool:
    """Whether `with_containers` may find anything."""
    return _SIGNS.search(body) is not None


def with_containers(body: bytes, seal: OwnMarkup) -> TracedText:
    """The body with elements for its containers."""
    return _Containers(seal).run(body)


def box(seal: OwnMarkup, kind: str, title: str, *, folds: bool = False, is_open: bool = True) -> tuple[str, str]:
    """How a box opens and closes."""
    looks = f"box {_TONES.get(kind.lower(), 'note')}"
    if folds:
        opening = f"<details{seal.attribute(class_=looks, open=is_open)}><summary>{text(title)}</summary>"
        return opening, "</details>"
    return f"<div{seal.attribute(class_=looks)}><p{seal.attribute(class_='box-title')}>{text(title)}</p>", "</div>"


class _Containers:
    """One pass over the lines of a body."""

    def __init__(self, seal: OwnMarkup) -> None:
        self.seal = seal
        self.made = TracedText()
        self.open: list[_Open] = []
        self.at = 0

    def run(self, body: bytes) -> TracedText:
        fence = b""
        for line in body.splitlines(keepends=True):
            bare = line.lstrip(b" ")
            indent = len(line) - len(bare)
            found = None
            if bare.strip():
                found = None if fence else boundary(line)
                if self._leave_indents(indent, found):
                    fence = b""
            marker = _FENCE.match(line) if b"```" in line or b"~~~" in line else None
            if fence:
                if marker and marker[1].startswith(fence) and not line[marker.end() :].strip():
                    fence = b""
                self._line(line, indent)
            elif marker:
                fence = marker[1]
                self._line(line, indent)
            elif found is None or not self._boundary(found, indent):
                self._line(line, indent, is_prose=True)
            self.at += len(line)
        while self.open:
            self._close()
        return self.made

    def _depth(self) -> int:
        return sum(1 for one in self.open if one.family == "indent" and not one.is_group)

    def _line(self, line: bytes, indent: int, *, is_prose: bool = False) -> None:
        cut = min(indent, _STEP * self._depth())
        if self.open and self.open[-1].family == "component" and not self._depth():
            cut = min(indent, self.open[-1].indent + 2 * len(self.open))  # MDX has no code by indent
        shown = inline_shown(line[cut:]) if is_prose else [(line[cut:], 0)]
        for piece, offset in shown:
            self.made.add(piece, self.at + cut + offset)

    def _leave_indents(self, indent: int, found: Boundary | None) -> bool:
        """Close what ends because a line stands further left; whether anything did."""
        left = False
        while self.open and (top := self.open[-1]).family == "indent":
            is_next_tab = found is not None and found.is_pane and found.family == "indent" and indent == top.indent
            if top.is_group:
                if is_next_tab:
                    break
            elif indent >= top.indent + _STEP:
                break
            self._close()
            left = True
        return left

    def _boundary(self, found: Boundary, indent: int) -> bool:
        """Open or close what a line says; whether it did."""
        if found.is_end:
            return self._end(found)
        if len(self.open) >= _DEEPEST:
            return False
        if found.is_pane:
            self._open_pane(found, indent)
        elif found.is_group:
            self._push(found, indent, f"<div{self.seal.attribute(class_='tabs')}>", "</div>", is_group=True)
        else:
            opening, closing = box(self.seal, found.kind, found.title, folds=found.folds, is_open=found.is_open)
            self._push(found, indent, opening, closing)
        return True

    def _open_pane(self, found: Boundary, indent: int) -> None:
        top = self.open[-1] if self.open else None
        if found.family == "indent" and not (top and top.is_group and top.family == "indent" and top.indent == indent):
            self._push(found, indent, f"<div{self.seal.attribute(class_='tabs')}>", "</div>", is_group=True)
        name = f"<p{self.seal.attribute(class_='tab-name')}>{text(found.title)}</p>"
        self._push(found, indent, f"<div{self.seal.attribute(class_='tab')}>{name}", "</div>", is_pane=True)

    def _push(
        self,
        found: Boundary,
        indent: int,
        opening: str,
        closing: str,
        *,
        is_pane: bool = False,
        is_group: bool = False,
    ) -> None:
        self._element(opening, indent)
        self.open.append(_Open(found.family, found.name, indent, closing, is_pane, is_group))

    def _end(self, found: Boundary) -> bool:
        """Close the container of that name, and what is open inside of it."""
        matches: Callable[[_Open], bool] = lambda one: one.family == found.family and one.name == found.name  # noqa: E731
        if not any(matches(one) for one in self.open):
            return found.family not in ("colons", "slashes")  # the end of what was never understood says nothing
        while self.open:
            top = self.open[-1]
            self._close()
            if matches(top):
                return True
        return True

    def _close(self) -> None:
        top = self.open.pop()
        self._element(top.closing, top.indent)

    def _element(self, element: str, indent: int) -> None:
        """A line of its own for an element, in the list that the container stands in."""
        pad = b" " * max(0, indent - _STEP * self._depth()) if self._in_list(indent) else b""
        self.made.add(b"\n" + pad + element.encode() + b"\n\n", self.at)

    def _in_list(self, indent: int) -> bool:
        return indent > _STEP * self._depth()
