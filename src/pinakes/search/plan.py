"""What a search works with: options, the numbers it weighs by, the tools it is handed, the plan it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pinakes.ports import ActiveVectors, Reader, Reranker, WordIndex
from pinakes.records import ParsedQuestion, Query, QuestionKind, Scope
from pinakes.search.expansion import Vocabulary
from pinakes.search.slice_cache import SliceCache
from pinakes.search.synonyms import Synonyms


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a question is answered when it does not say otherwise."""

    limit: int = 10
    """Hits in an answer."""
    profile: str = "balanced"
    """Which steps are taken: fast (words alone), balanced, or thorough."""
    per_document: int = 0
    """At most this many hits from one document; 0 for no limit."""
    duplicate_cosine: float = 0.0
    """Hits whose vectors are at least this alike are folded into one; 0 goes by words alone."""
    fusion: str = "convex"
    """How lists become one: convex (by score) or rrf (by rank)."""
    leave_out: tuple[str, ...] = ()
    """Retrievers and stages to do without, by the names `--explain` shows."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """The numbers a search weighs by; each was chosen by evaluation (docs/search.md), and `eval --tune` can choose
    others for a library."""

    dense: float = 0.0
    """Share of meaning when it is fused with words; 0 takes the embedder's own."""
    factual_words: float = 1.3
    """Words count so many times more when the question names something."""
    navigational_links: float = 1.5
    """Links count so many times more when the question asks for a place."""
    exploratory_meaning: float = 1.0
    """Meaning counts so many times more for all other questions."""
    flat_floor: float = 0.6
    """Share of its weight that a list with flat scores keeps."""
    page_support: float = 0.2
    """Share of its page's best sections that a section gains."""
    links: float = 0.5
    """Weight of neighbours, by reciprocal rank."""
    community: float = 1.1
    """Factor for what belongs to the same community as the leaders."""
    centrality: float = 0.05
    """The most that a section can gain by being central."""
    expansion: float = 0.0
    """Weight of the corpus's own words near those of the question, in the profile thorough; 0 asks for none."""
    synonyms: float = 0.7
    """Weight of a word from the user's list beside the word asked for."""
    rerank: float = 0.5
    """Share of the reranker's order in the leading places."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a search may use. It can read and not write; a retriever that is missing is told of in the answer."""

    reader: Reader
    words: WordIndex | None = None
    meaning: ActiveVectors | None = None
    reranker: Reranker | None = None
    vocabulary: Vocabulary | None = None
    """The corpus's own terms with their vectors; None when a profile does not expand questions."""
    synonyms: Synonyms = field(default_factory=Synonyms)
    ranks: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """By path, how central each section is; empty when a profile does not ask."""
    communities: Mapping[str, int] = field(default_factory=dict)
    """By path, which community a document belongs to; empty when a profile does not ask."""
    missing: tuple[str, ...] = ()
    """What could not be had, and why."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each retriever counts; words and meaning add up to 1."""

    words: float
    meaning: float
    links: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """A question, understood."""

    query: Query
    question: ParsedQuestion
    """Its terms, phrases, exclusions and filters, with synonyms and near terms of the corpus."""
    kind: QuestionKind
    scope: Scope | None
    """Where to look; None for everywhere."""
    weights: Weights
    weighing: Weighing
    options: SearchOptions
    counts: Mapping[str, int]
    """Its terms and in how many chunks each occurs; empty when the word index cannot be asked."""
    slices: SliceCache
    """The texts fetched so far."""
    missing: list[str] = field(default_factory=list)
    """Parts that failed on the way, for the answer to tell."""
