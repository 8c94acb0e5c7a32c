"""How an answer came about: what speaks for there being one, and what each step of a search did."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field


class Evidence(Struct, frozen=True):
    """What speaks for there being an answer at all, on scales that mean the same in every corpus."""

    coverage: float
    """Share of the question, by how rare its words are, that the best hits hold."""
    strength: float
    """The best score by words for each unit that a perfect match could have."""
    unseen: float
    """Share of the question's words that occur nowhere."""
    closeness: float
    """How far the best cosine stands above the embedder's noise, in units of it; 0 without an embedder."""
    belief: float
    """All of it in one number from 0 to 1. It decides whether to answer and says nothing about a single hit."""


class Stage(Struct, frozen=True):
    """What one step of a search did."""

    name: str
    came_in: int
    went_out: int
    seconds: float
    note: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many candidates it left out, by reason, where there are several."""
