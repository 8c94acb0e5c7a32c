"""What a search works with: the tools it is handed and the plan it makes of a question."""

from __future__ import annotations

from dataclasses import dataclass, field

from pinakes.ports import Embedder, Reader, VectorIndex, WordIndex
from pinakes.records import Query, QuestionKind, Scope
from pinakes.words import Asked


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a question is answered when it does not say otherwise."""

    limit: int = 10
    """Hits in an answer."""
    profile: str = "balanced"
    """Which steps are taken: fast (words alone) or balanced."""
    per_document: int = 0
    """At most this many hits from one document; 0 for no limit."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a search may use. It can read and not write; a retriever that is missing is told of in the answer."""

    reader: Reader
    words: WordIndex | None = None
    vectors: VectorIndex | None = None
    embedder: Embedder | None = None
    missing: tuple[str, ...] = ()
    """What could not be had, and why."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each retriever counts; words and meaning add up to 1."""

    words: float
    meaning: float


@dataclass(frozen=True, slots=True)
class Plan:
    """A question, understood."""

    query: Query
    asked: Asked
    """Its terms, phrases, exclusions and filters, taken apart."""
    kind: QuestionKind
    scope: Scope | None
    """Where to look; None for everywhere."""
    weights: Weights
    missing: list[str] = field(default_factory=list)
    """Parts that failed on the way, for the answer to tell."""
