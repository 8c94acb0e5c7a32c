"""What can be asked of a map, and the parts of a line that it may have or do without."""

from __future__ import annotations

from enum import Flag, auto

from msgspec import Struct


class MapOptions(Struct, frozen=True):
    """How maps are drawn by default."""

    budget_tokens: int = 8000
    """At most this many tokens; 0 prints everything."""


class MapRequest(Struct, frozen=True):
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
    MORE_LABELS = auto()
    """Of a drawing, in which nothing else can be read: more than the first few."""


KEYWORD_DETAILS = (Detail.KEYWORDS, Detail.MORE_LABELS, Detail.ALL_KEYWORDS)
"""Each says what the one before says, and more."""
NOTHING = Detail(0)
EVERYTHING = ~NOTHING
FEW_KEYWORDS = 2
MORE_LABELS = 8
