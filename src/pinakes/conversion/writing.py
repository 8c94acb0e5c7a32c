"""Pieces of Markdown that converters write: text in which nothing is markup by accident, headings and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pinakes.records.made_text import MadeText

_MARKUP = re.compile(
    r"(?m)^([ \t]*)(#{1,6}(?=[ \t]|$)|>|`{3,}|~{3,}|[-+*](?=[ \t])|=+[ \t]*$|-+[ \t]*$|\d{1,9}(?=[.)][ \t]))"
)
_ANYWHERE = re.compile(r"<(?=[A-Za-z/!?])|\[(?=[^\]\n]{0,200}\]:)")
_LIST = re.compile(r"[-+*]\Z")
_IN_CELLS = str.maketrans({"|": r"\|", "\\": r"\\", "\n": " ", "\r": " ", "<": "&lt;"})


def plain(text: str) -> str:
    """Text as a paragraph shows it, with nothing that Markdown would take for a heading, a fence or HTML.

    Lists stay lists, because that is what they are.
    """
    shown = _MARKUP.sub(lambda found: found[1] + (found[2] if _is_list(found[2]) else f"\\{found[2]}"), text)
    return _ANYWHERE.sub(lambda found: f"\\{found[0]}", shown)


def _is_list(sign: str) -> bool:
    return _LIST.match(sign) is not None or sign.isdigit()


def heading(level: int, title: str) -> str:
    """A heading on one line."""
    return f"{'#' * min(max(level, 1), 6)} {plain(' '.join(title.split())).lstrip()}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table; its first row is its head."""
    width = max(map(len, rows), default=0)
    lines = [
        "| " + " | ".join([cell.translate(_IN_CELLS).strip() for cell in row] + [""] * (width - len(row))) + " |"
        for row in rows
    ]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


class Writer:
    """Blocks of Markdown one after the other, and the places that begin with them."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._line = 0
        self.places: list[tuple[int, str]] = []

    def block(self, text: str) -> None:
        """Add a block; nothing for an empty one."""
        text = text.strip("\n")
        if text.strip():
            self._blocks.append(text)
            self._line += text.count("\n") + 2

    def place(self, name: str) -> None:
        """What is added next comes from this place in the file."""
        self.places.append((self._line, name))

    def add(self, made: MadeText) -> None:
        """Add a text that was made, with its places."""
        text = made.text.lstrip("\n")
        cut = made.text.count("\n") - text.count("\n")
        self.places += [(self._line + max(0, line - cut), name) for line, name in made.places]
        self.block(text)

    def text(self) -> str:
        """All of it."""
        return "\n\n".join(self._blocks) + "\n" if self._blocks else ""
