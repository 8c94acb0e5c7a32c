"""The link graph as something to draw: where each document stands, and which lead to which."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dot:
    """A document in the picture."""

    path: str
    title: str
    x: float
    y: float
    """Both from 0, in the picture's own units."""
    cited: int
    """How many sections of other documents link to it or into it."""
    community: int
    """0 for the largest community of the picture; -1 for a document without links."""


@dataclass(frozen=True, slots=True)
class Picture:
    """The documents of a corpus and the links between them, laid out."""

    width: float
    height: float
    dots: tuple[Dot, ...]
    """The most cited first."""
    arcs: tuple[tuple[int, int], ...]
    """From and to, as positions in `dots`; each pair once, sorted."""
    left_out: int
    """Documents that exist but are not drawn."""
