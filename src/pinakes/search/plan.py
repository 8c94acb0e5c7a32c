"""What a search works with: options, the numbers it weighs by, the tools it is handed, the plan it makes of a question.

A plan carries the texts of the leading candidates, fetched once and late (`SliceCache`). `Account` notes what each
stage did and how long it took, for `--explain`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from msgspec import Struct

from pinakes.ports import ActiveVectors, Embedder, Reader, Reranker, WordIndex
from pinakes.records import Candidate, ChunkId, ParsedQuestion, Query, QuestionKind, Scope, Slice, Stage
from pinakes.search.expansion import Synonyms

_FETCHED = 12
"""Slices fetched at first: a little more than a usual answer shows, so that most questions fetch once."""
_REFILLED = 4
"""Slices fetched at a time after that; twice as many each time: where a few do not do, a few more seldom do."""


@dataclass(slots=True)
class Step:
    """A stage under way; whoever runs it says what came out."""

    came_in: int = 0
    went_out: int = 0
    note: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Account:
    """The stages that were taken, in order."""

    stages: list[Stage] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str, came_in: int = 0) -> Iterator[Step]:
        """Time what is done inside and keep it, also when it fails."""
        step = Step(came_in)
        started = time.perf_counter()
        try:
            yield step
        finally:
            seconds = time.perf_counter() - started
            self.stages.append(Stage(name, step.came_in, step.went_out, seconds, step.note, step.left_out))


class SliceCache:
    """Slices by chunk, read from the store when first asked for, many at a time."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._held: dict[ChunkId, Slice | None] = {}

    def fetch(self, chunks: Iterable[ChunkId]) -> None:
        """Read these in one go."""
        wanted = [chunk for chunk in dict.fromkeys(chunks) if chunk not in self._held]
        if wanted:
            self._held.update(dict.fromkeys(wanted))
            self._held.update(self._reader.slices(wanted))

    def find(self, chunk: ChunkId) -> Slice | None:
        """A chunk's slice; None when the store no longer has it (a derived part may lag behind)."""
        if chunk not in self._held:
            self.fetch((chunk,))
        return self._held[chunk]

    def available(self, ranking: Sequence[Candidate]) -> Iterator[tuple[Candidate, Slice]]:
        """Candidates that are still in the store, in order, fetched by the dozen: a refill is small at first."""
        start, size, following = 0, _FETCHED, _REFILLED
        while leading := ranking[start : start + size]:
            self.fetch([candidate.chunk for candidate in leading])
            for candidate in leading:
                if (found := self._held[candidate.chunk]) is not None:
                    yield candidate, found
            start, size, following = start + size, following, 2 * following


class SearchOptions(Struct, frozen=True):
    """How a question is answered when it does not say otherwise."""

    limit: int = 10
    """The number of hits in an answer."""
    profile: str = "balanced"
    """Which steps search takes: fast (words alone), balanced, or thorough."""
    per_document: int = 0
    """At most this many hits from one document; 0 for no limit."""
    min_share: float = 0.4
    """Hits that score less than this share of the best are left out, unless a limit is asked for; 0 keeps them."""
    duplicates: float = 0.7
    """Hits that share this part of their runs of three words are folded into one; 0 folds none."""
    duplicate_cosine: float = 0.0
    """Hits with at least this cosine are folded into one; 0 compares words alone."""
    mmr_lambda: float = 0.7
    """Share of nearness to the question where diverse hits are asked for; the rest is difference from earlier hits."""
    recent: tuple[str, ...] = ("memories",)
    """Corpora in which recent documents are lifted, by name."""
    recency_days: int = 7
    """Days for which a document counts as recent; for four times as long it gains half as much."""
    fusion: str = "convex"
    """How the lists of words and meaning are combined: convex (by score) or rrf (by rank)."""
    leave_out: tuple[str, ...] = ()
    """Retrievers and stages to switch off. An unknown name is refused."""

    def query(self, text: str) -> Query:
        """A question that says nothing else."""
        return Query(text, limit=self.limit, profile=self.profile, min_share=self.min_share)


class Weighing(Struct, frozen=True):
    """The weights of search, chosen by evaluation (docs/search.md); `eval --tune` can choose others for a library."""

    dense: float = 0.0
    """Share of meaning when it is combined with words; 0 means the embedder's own value."""
    factual_words: float = 1.3
    """Factor for words when the question names something."""
    exploratory_meaning: float = 1.0
    """Factor for meaning in all other questions."""
    flat_floor: float = 0.6
    """Share of its weight that a list with nearly equal scores keeps."""
    page_support: float = 0.2
    """Share of the scores of its page's best sections that a section gains."""
    changelog: float = 0.8
    """Factor for change logs and release notes, unless the question asks for changes."""
    link_list: float = 0.8
    """Factor for sections that are lists of links, such as “What's next”."""
    expansion: float = 0.5
    """Weight of the long forms of shortened words, such as “authentication” for “auth”; 0 adds none."""
    synonyms: float = 0.7
    """Weight of a word from the list of synonyms, compared with the word of the question."""
    recency: float = 1.2
    """Factor for recent documents, where they are lifted."""
    rerank: float = 0.5
    """Share of the reranker's order among the first hits; docs-rerank is taken at its word by 0.5."""


class Tools(Struct, frozen=True):
    """What a search may use. It can read and not write; a retriever that is missing is told of in the answer."""

    reader: Reader
    words: WordIndex | None = None
    meaning: ActiveVectors | None = None
    reranker: Reranker | None = None
    speller: Embedder | None = None
    """Which compares single words; None when long forms of words are not asked for."""
    synonyms: Synonyms = Synonyms()
    missing: tuple[str, ...] = ()
    """What could not be had, and why."""
    is_partial: bool = False
    """Whether words are still to come, so that none is known to occur nowhere."""


class RetrieverWeights(Struct, frozen=True):
    """How much each retriever counts; words and meaning add up to 1."""

    words: float
    meaning: float


class SearchPlan(Struct, frozen=True):
    """A question, understood."""

    query: Query
    question: ParsedQuestion
    """Its terms, phrases, exclusions and filters, with synonyms and near terms of the corpus."""
    kind: QuestionKind
    scope: Scope | None
    """Where to look; None for everywhere."""
    weights: RetrieverWeights
    weighing: Weighing
    options: SearchOptions
    counts: Mapping[str, int]
    """Its terms and in how many chunks each occurs; empty when the word index cannot be asked."""
    slices: SliceCache
    """The texts fetched so far."""
    forms: Mapping[str, Mapping[str, float]] = {}
    """Words of the question that others stand for as well: their long forms, the nearest first."""
    rare: frozenset[ChunkId] = frozenset()
    """The chunks that hold its rarest word, where few sections do."""
    missing: list[str] = []
    """Parts that failed on the way, for the answer to tell."""
