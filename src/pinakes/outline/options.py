"""What can be asked of a map, and how much of a repository's detail fits into it."""

from __future__ import annotations

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True)
class MapDetail:
    """What is printed of a section besides its heading, size and count of links to it."""

    keywords: int
    """At most so many."""
    references: bool
    shapes: bool
    summaries: bool


LADDER = (
    MapDetail(keywords=12, references=True, shapes=True, summaries=True),
    MapDetail(keywords=2, references=True, shapes=True, summaries=False),
    MapDetail(keywords=2, references=False, shapes=True, summaries=False),
    MapDetail(keywords=0, references=False, shapes=False, summaries=False),
)
"""From everything down to bare headings. Twelve keywords are more than any text section has; drawings can have more."""
