"""What can be asked of a map, and the parts of a line that it may have or do without."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto


@dataclass(frozen=True, slots=True)
class MapOptions:
    """How maps are drawn by default."""

    budget_tokens: int = 8000
    """At most this many tokens; 0 prints everything."""


@dataclass(frozen=True, slots=True)
class MapRequest:
    """One map, as asked for."""

    budget_tokens: int = 0
    """A hard limit; 0 draws everything."""
    summary: bool = False
    """Add the first sentence of each section."""
    tokens: bool = False
    """Add sizes in tokens beside lines."""


class Detail(Flag):
    """What a map can say of a section besides its heading, or of a file besides its name."""

    TITLE = auto()
    """Of a file, where no heading says it."""
    KEYWORDS = auto()
    """The first few."""
    ALL_KEYWORDS = auto()
    FACTS = auto()
    """Kind, shapes, size and how many sections link here."""
    SUMMARY = auto()
    REFERENCES = auto()


NOTHING = Detail(0)
EVERYTHING = ~NOTHING
FEW_KEYWORDS = 2
