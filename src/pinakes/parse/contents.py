"""What a parser notes down while it reads a body: plain positions, no records."""

from __future__ import annotations

from dataclasses import dataclass, field

from pinakes.records import LinkForm, Shape


@dataclass(slots=True)
class Contents:
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
    tables: list[tuple[int, int]] = field(default_factory=list)
    """Start and end of tables that may hold blank lines, of notations that are not Markdown."""
    blocks: list[int] = field(default_factory=list)
    """Start, end and `BlockKind`, by turns."""
    gaps: list[int] = field(default_factory=list)
    """Start and end, by turns and rising, of everything between two stretches of visible text but blank lines."""
    hidden: list[tuple[int, int]] = field(default_factory=list)
    """Start and end of what no reader sees within the visible stretches, in any order."""
    verbatim: list[int] = field(default_factory=list)
    """Start and end, by turns and rising, of code among words."""
    formulas: list[tuple[int, int]] = field(default_factory=list)
    """Start and end of what else is no prose, in any order."""
