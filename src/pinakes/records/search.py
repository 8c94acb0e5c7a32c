"""What search asks and answers: questions, votes, rankings, hits that can explain themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from operator import attrgetter
from typing import NamedTuple, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from pinakes.records.account import Evidence, Stage
from pinakes.records.address import CorpusName, Ref, Span
from pinakes.records.document import Kind, Shape
from pinakes.records.folder_notes import FolderNote


class ChunkId(NamedTuple):
    """A chunk as ranking sees it: two small numbers instead of an address and a text.

    Numbers are given by the store and stay with a document for as long as it is kept; what they stand for is fetched
    late, for the few dozen still in the running.
    """

    document: int
    """The store's number of the document."""
    ordinal: int
    """`Chunk.ordinal` within it."""


class Filter(Struct, frozen=True):
    """What a hit must be; empty fields ask for nothing. All are applied before the best are chosen."""

    corpora: tuple[CorpusName, ...] = ()
    paths: tuple[str, ...] = ()
    """Globs over the path (``docs/api/**``) or folder names; any of them may match."""
    tags: tuple[str, ...] = ()
    """All of them must be there."""
    kinds: tuple[Kind, ...] = ()
    categories: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Languages of code blocks, any of them."""
    written_in: tuple[str, ...] = ()
    """Natural languages of documents, any of them, as codes such as ``de``."""
    author: str = ""
    after: str = ""
    """ISO date; by the document's own dates, never the file's time."""
    before: str = ""
    linked_to: Ref | None = None
    """Only sections that link to this document or section."""
    project: str = ""
    """Only documents added to this project."""
    files: tuple[str, ...] = ()
    """Globs over the files that a commit changed (``src/**``) or folder names; any of them may match any file."""

    def within_corpus(self) -> Filter:
        """What is asked of the index of one corpus: `corpora` has chosen it, and a project is a folder of its files."""
        if not self.project:
            return replace(self, corpora=())
        paths = tuple(f"{self.project}/{path}" for path in self.paths or ("**",))
        return replace(self, corpora=(), project="", paths=paths)


class HitDetail(StrEnum):
    """How much of a hit is told."""

    IDS = "ids"
    """Its address alone."""
    SNIPPET = "snippet"
    """The passage that answers best."""
    SECTION = "section"
    """The whole section, as far as one chunk goes."""


class Query(Struct, frozen=True):
    """A question with everything that shapes its answer."""

    text: str
    where: Filter = Filter()
    limit: int = 10
    profile: str = "balanced"
    hypothesis: str = ""
    """A guess of the answer, embedded instead of the question."""
    max_tokens: int = 0
    """Hard limit for all hits together; 0 for none."""
    detail: HitDetail = HitDetail.SECTION
    pack: bool = False
    """Whether to answer with the fewest passages that cover the question, in reading order."""
    min_score: float = 0.0
    """Leaves out what scores less; 0 for no threshold."""
    min_share: float = 0.0
    """Leaves out what scores less than this share of the best hit; 0 for no threshold."""
    group: bool = False
    """Whether hits of one page stand together, at the place of the best of them."""
    duplicates: bool = False
    """Whether near duplicates are hits of their own; they are folded into the first one otherwise."""
    diverse: bool = False
    """Whether to prefer hits that differ from each other."""
    typing: bool = False
    """Whether the last word is still being typed, so that words that begin like it are asked for."""
    as_spelled: tuple[str, ...] = ()
    """Words for which no other spelling is searched, even where they occur nowhere."""
    abstain: bool = True
    """Whether to answer nothing when the evidence speaks against any answer."""
    recent: bool = False
    """Whether to lift what was written lately, for corpora that age."""


class ParsedQuestion(Struct, frozen=True):
    """The text of a question, taken apart into what word indexes look for."""

    text: str
    """What it says, without filters, exclusions and quotation marks."""
    terms: tuple[str, ...]
    """Words as asked, in lower case, each once; empty words only where there are no others."""
    parts: tuple[str, ...]
    """Those of the terms that are only parts of words as asked, such as `user` of `getUserById`."""
    phrases: tuple[tuple[str, ...], ...]
    """Words that must stand together in this order."""
    excluded: tuple[tuple[str, ...], ...]
    """Words or phrases that must not be there."""
    where: Filter
    """The filters written in the text itself."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Words that follow each other when the empty ones between them are left out."""
    languages: tuple[str, ...] = ()
    """Natural languages besides English that the index has stems of: a word stands for its stem in each."""
    extra_terms: Mapping[str, float] = field(default_factory=dict)
    """Words that were not asked for and mean the same or nearly, and how much each counts."""
    unfinished: str = ""
    """The beginning of a word that is still being typed; `extra_terms` has what it may become."""
    corrections: Mapping[str, str] = field(default_factory=dict)
    """Words that occur nowhere, and the terms that stand for them: what was probably meant."""
    foreign: str = ""
    """The natural language it is written in, where no document is."""


class Scope(Struct, frozen=True):
    """A filter worked out: the only places where a retriever may look."""

    documents: frozenset[int]
    """The store's numbers of the documents that qualify."""
    sections: frozenset[tuple[int, int]] | None = None
    """Document number and section position, when the filter speaks of sections; None for all of `documents`."""


class Scored(NamedTuple):
    """One row of a retriever's list."""

    chunk: ChunkId
    score: float


class QuestionKind(StrEnum):
    """What somebody who asks like this wants."""

    FACTUAL = "factual"
    """Something that has a name: an identifier, a flag, a quotation, a version."""
    NAVIGATIONAL = "navigational"
    """A place: a page, a section, a guide."""
    EXPLORATORY = "exploratory"
    """Everything else."""


class Vote(Struct, frozen=True, gc=False):
    """One retriever's or prior's reason for a candidate."""

    retriever: str
    rank: int
    """From 1; 0 for priors, which have no list of their own."""
    score: float
    """In the retriever's own scale; for priors the factor."""
    by: str = ""
    """The model that said so, as `pinakes model list` names it; empty where none was asked."""


class Candidate(Struct, frozen=True, gc=False):
    """A chunk still in the running."""

    chunk: ChunkId
    score: float
    votes: tuple[Vote, ...]


Ranking = tuple[Candidate, ...]
"""Best first."""
_Rated = TypeVar("_Rated", Scored, Candidate)
_CHUNK, _SCORE = attrgetter("chunk"), attrgetter("score")


def best_first(found: Iterable[_Rated]) -> list[_Rated]:
    """By score; equal ones in the order of document and ordinal, so that the same question has the same answer."""
    # Two sorts by what is there take half the time of one by a pair made for each.
    rows = sorted(found, key=_CHUNK)
    rows.sort(key=_SCORE, reverse=True)
    return rows


class Match(StrEnum):
    """What brought a hit up."""

    KEYWORD = "keyword"
    """It holds words of the question."""
    SEMANTIC = "semantic"
    """It means something similar."""
    BOTH = "both"
    NONE = "none"
    """Neither: it was listed and not searched for."""


class Passage(Struct, frozen=True, gc=False):
    """A verbatim slice of a document with its address."""

    ref: Ref
    title: str
    """Of the document."""
    trail: tuple[str, ...]
    """Headings from the top down to the section; empty for a whole document."""
    kind: Kind
    lines: Span
    span: Span
    """Bytes of the document's source; the slice equals `text`."""
    text: str
    digest: str
    """Of the document it was cut from."""

    @property
    def headings(self) -> tuple[str, ...]:
        """The title of the document and the headings down to the section; a title that the first of them holds once."""
        holds_title = self.trail and f" {self.title} " in f" {self.trail[0]} "
        return self.trail if holds_title or self.title in self.trail else (self.title, *self.trail)


class Hit(Passage, frozen=True):
    """An answer: a passage with the reasons it is here."""

    matches: tuple[Span, ...]
    """Bytes of the document's source that matched, inside `span`."""
    score: float
    """Orders results; it is no probability."""
    votes: tuple[Vote, ...]
    modified: str = ""
    also_in: tuple[Ref, ...] = ()
    """Duplicates folded into this one."""
    origin: str = ""
    """The path or URL that an added document came from; empty for all others."""
    memories: int = 0
    """How many memories point at its document."""
    tokens: int = 0
    """What its text costs a language model, also where only its address is shown."""
    hidden: bytes = b""
    """`Structure.hidden` of its document."""
    before: str = ""
    """What a reader needs to see above it: the first row of the table it begins in, the labels of a drawing."""

    @property
    def page(self) -> object:
        """Equal for hits of one page."""
        return self.ref.document

    @property
    def home(self) -> object:
        """Equal for hits of one index."""
        return self.ref.corpus

    @property
    def match(self) -> Match:
        """Whether it was found by its words, by its meaning, or by both: who voted for it says so."""
        for_it = {vote.retriever for vote in self.votes if vote.score > 0}
        if {"words", "meaning"} <= for_it:
            return Match.BOTH
        if "words" in for_it:
            return Match.KEYWORD
        return Match.SEMANTIC if "meaning" in for_it else Match.NONE


class Slice(Passage, frozen=True):
    """A chunk as a passage, with the address of its section."""

    chunk: ChunkId
    section: int
    """Position of the section it stands in."""
    passages: tuple[Span, ...]
    """Bytes of the source where the chunk's passages are; none when it is short."""
    modified: str
    """The document's own date, else the day it says it was written, else nothing."""
    shapes: tuple[Shape, ...]
    """What its section contains besides prose."""
    hidden: bytes = b""
    """`Structure.hidden` of its document."""
    labels: tuple[str, ...] = ()
    """The labels of its section of a drawing."""
    language: str = ""
    """`Metadata.language` of its document."""

    def hit(self, score: float, votes: tuple[Vote, ...], matches: tuple[Span, ...], also_in: tuple[Ref, ...]) -> Hit:
        """It as an answer."""
        shared = {name: getattr(self, name) for name in Passage.__struct_fields__}
        return Hit(
            **shared,
            matches=matches,
            score=score,
            votes=votes,
            modified=self.modified,
            also_in=also_in,
            hidden=self.hidden,
            before="\n".join(self.labels),
        )


class Results(Struct, frozen=True):
    """An answer with its account."""

    query: Query
    kind: QuestionKind
    hits: tuple[Hit, ...]
    stages: tuple[Stage, ...]
    missing: tuple[str, ...] = ()
    """Parts that could not answer, each with what was done about it."""
    unknown: tuple[str, ...] = ()
    """Words of the question that occur nowhere."""
    corrections: Mapping[str, str] = field(default_factory=dict)
    """Words of the question that occur nowhere, and the known words that were searched for instead."""
    evidence: Evidence | None = None
    """What was believed and why; None when there was nothing to judge by."""
    abstained: str = ""
    """Why there are no hits although something was found; empty when there are, or when nothing was."""
    nearest: tuple[Ref, ...] = ()
    """Where to look when nothing answers: the sections that came nearest."""
    doubt: str = ""
    """Why the hits may be no answer, in a sentence; empty when they are believed, or when there are none."""
    folders: tuple[FolderNote, ...] = ()
    """What is noted of the folders that hits lie in, once for each folder."""

    def pages(self) -> tuple[tuple[Hit, ...], ...]:
        """The hits, those of one page together where the query asks for that, else each by itself."""
        held: dict[object, list[Hit]] = {}
        for place, hit in enumerate(self.hits):
            held.setdefault(hit.page if self.query.group else place, []).append(hit)
        return tuple(map(tuple, held.values()))
