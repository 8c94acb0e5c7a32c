"""The promises rooms make to each other. Engines keep them; nothing here does any work.

Array types are named for the type checker only, so that importing a promise loads no numerics.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from pinakes.records import (
    Change,
    Chunk,
    ChunkId,
    CorpusName,
    Counts,
    Document,
    Edge,
    Event,
    Failure,
    Feed,
    Filter,
    FilterValues,
    Link,
    Listed,
    Name,
    NumberedDocument,
    Outcome,
    Outline,
    ParsedQuestion,
    Raw,
    Ref,
    Scan,
    Scope,
    Scored,
    Slice,
    Stamp,
    StoredFile,
    Traits,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Parser = Callable[[Raw], Document]
"""Any bytes become a document; a parser never raises because of content."""

Progress = Callable[[Event], None]


class Source(Protocol):
    """Where the text of a corpus comes from."""

    corpus: CorpusName

    @property
    def fingerprint(self) -> str:
        """Names the settings that decide what can be read; when it changes, failed files are tried again."""
        ...

    @property
    def exists(self) -> bool:
        """Whether there is anything to scan: a folder, a repository."""
        ...

    def snapshot(self) -> str:
        """A token that stays the same while a scan would find the same, where that can be told without one; else
        nothing."""
        ...

    def scan(self, paths: Collection[str] | None = None) -> Scan:
        """Everything there is now, without reading contents; or only what is at or below `paths`, with what else it
        depends on. A source may always look at more than it was asked for."""
        ...

    def read(self, stamp: Stamp) -> Raw:
        """The bytes behind a stamp; raises `Unreadable` when they cannot or must not be had."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    name: str
    """Names the weights and every setting that shapes the vectors: equal names give equal vectors."""
    traits: Traits
    """How far search may rely on it."""

    @property
    def dimensions(self) -> int:
        """Numbers of a vector; a model that lies elsewhere may have to be asked."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of length 1 (or 0 where a text holds nothing the model knows)."""
        ...


class Reranker(Protocol):
    """Reads a question and a passage together, which is slower and finer than comparing their vectors."""

    name: str
    """Names the weights."""

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """One number per passage, greater for better answers; comparable within one question only."""
        ...


class Reader(Protocol):
    """A store as seen by those who only ask. All answers are ordered by path, then position."""

    @property
    def generation(self) -> int:
        """Grows with every write; equal generations mean equal answers."""
        ...

    def setting(self, name: str) -> str:
        """A fact about the index kept by `Change.settings`; empty when unknown."""
        ...

    def counts(self, corpus: CorpusName) -> Counts: ...

    def files(self, corpus: CorpusName, within: Collection[str] | None = None) -> Mapping[str, StoredFile]:
        """By path, every file the store keeps, documents and assets, or those at or below some paths. Files that only
        ever failed are in `failures`."""
        ...

    def failures(self, corpus: CorpusName) -> Sequence[Failure]: ...

    def warnings(self, corpus: CorpusName) -> Sequence[tuple[Ref, str]]: ...

    def tags(self, corpus: CorpusName) -> Mapping[str, int]:
        """Every tag and how many documents have it, by tag."""

    def filter_values(self, refs: Sequence[Ref]) -> Mapping[Ref, FilterValues]:
        """What filters find these documents by; those that are not kept are left out."""

    def document(self, ref: Ref) -> Document | None:
        """The whole document, or None; an anchor in `ref` is ignored."""
        ...

    def chunks(self, ref: Ref) -> Sequence[Chunk]: ...

    def listing(self, corpus: CorpusName, under: str = "") -> Sequence[Listed]:
        """All documents, or those at or below `under`, by path, with next to nothing about them."""
        ...

    def outlines(self, corpus: CorpusName, under: str = "", paths: Sequence[str] | None = None) -> Iterator[Outline]:
        """All documents, or the one at path `under`, or those in the folder `under`, or those at `paths`, in any
        order."""
        ...

    def edges(
        self, corpus: CorpusName, origin: Ref | None = None, to: Ref | None = None, outcomes: Sequence[Outcome] = ()
    ) -> Iterator[Edge]:
        """Links as understood. `origin` and `to` may name a document (with all its sections) or one section;
        `outcomes` limits to those. Links not looked up yet and those that are `NO_FILE` are left out."""
        ...

    def names(self, corpus: CorpusName, keys: Iterable[str] | None = None) -> Iterator[Name]:
        """The names under `keys`, or all of them: every file's path, every folder that holds files, and what entries
        answer to besides."""
        ...

    def anchors(self, ref: Ref) -> Mapping[str, str]:
        """Every anchor of a document and the canonical anchor of the section it leads to."""
        ...

    def pending_links(self, corpus: CorpusName, limit: int) -> Sequence[tuple[Ref, Link]]:
        """Links waiting to be looked up, with their document's address."""
        ...

    def pending_keywords(self, corpus: CorpusName, limit: int, since: int = 0) -> Sequence[Ref]:
        """Documents without keywords made under the fingerprint in `setting("keywords")`; none while that is empty.
        With `since` only those that changed after that generation."""
        ...

    def feed(self, since: int) -> Feed:
        """What changed after generation `since`; 0 asks for everything there is. Keywords and versions do not count."""
        ...

    def documents_by_number(self, numbers: Sequence[int]) -> Iterator[NumberedDocument]:
        """Documents as they were put, without keywords made later, by their numbers and in that order; those no longer
        kept are left out. Links that wait to be looked up again still count as what they last were."""
        ...

    def slices(self, chunks: Sequence[ChunkId]) -> Mapping[ChunkId, Slice]:
        """Chunks with their texts and what is needed to cite them; those no longer kept are left out."""
        ...

    def places(self, refs: Sequence[Ref]) -> Mapping[Ref, ChunkId]:
        """The first chunk of each of these documents or sections; those that have none are left out."""
        ...

    def scope(self, where: Filter) -> Scope | None:
        """The documents and sections a filter lets through; None when it lets everything through."""
        ...

    def newest(self, where: Filter, limit: int) -> Sequence[ChunkId]:
        """The first chunks of the documents a filter lets through, newest first by their own dates; documents without a
        date are left out."""
        ...

    def derived(self, name: str) -> bytes | None:
        """A part computed from the whole store and kept beside it, unless it was made from another generation."""
        ...

    def last_derived(self, name: str) -> tuple[int, bytes] | None:
        """Such a part with the generation it was made from, whichever that is; `feed` tells what happened since."""
        ...


class Store(Reader, Protocol):
    """A place where a library is kept."""

    @property
    def is_read_only(self) -> bool:
        """Whether every write would raise `StoreReadOnly`."""
        ...

    def writing(self, wait_s: float = 30.0) -> AbstractContextManager[None]:
        """Hold the store for writing: one process at a time; raises `StoreBusy` naming the holder after `wait_s`."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Writes inside become visible together at the end, or not at all when an error leaves the block."""
        ...

    def write(self, change: Change) -> None:
        """Apply a change, all or nothing; the only door in. Links of the documents put become pending. So do links
        elsewhere whose key is that of a name (file, folder or entry name) that appeared or vanished, or any key of a
        document whose anchors changed."""
        ...

    def keep_derived(self, name: str, payload: bytes) -> None:
        """Keep a part computed from the present generation; does not start a new one."""
        ...

    def close(self) -> None: ...


class WordIndex(Protocol):
    """A word index derived from a store, as it was at one moment."""

    @property
    def size(self) -> int:
        """About how many chunks it holds."""
        ...

    @property
    def languages(self) -> Sequence[str]:
        """The languages besides English whose stems chunks are found by."""
        ...

    def match(self, question: ParsedQuestion, scope: Scope | None, limit: int) -> Sequence[Scored]:
        """Section-level chunks by how well they hold the question's words, best first.

        Phrases must be there and exclusions must not. `scope` stands for the question's filters.
        """
        ...

    def scores(self, question: ParsedQuestion, chunks: Sequence[ChunkId]) -> Mapping[ChunkId, float]:
        """Of those chunks that hold any of the words; words that stay together count more, phrases for nothing."""
        ...

    def best_scores(self, others: Sequence[WordIndex], question: ParsedQuestion) -> Sequence[float]:
        """About what `match` gives the best chunk of each of several indexes, asked together; it may be too low."""
        ...

    def terms(self, question: ParsedQuestion) -> Mapping[str, int]:
        """The question's terms and in how many chunks each occurs; 0 for words never seen."""
        ...

    def corrections(self, words: Sequence[str]) -> Mapping[str, str]:
        """For words that occur nowhere, the known word that was probably meant; those without one are left out."""
        ...

    def completions(self, start: str, most: int) -> Sequence[str]:
        """The most frequent words that begin like this and go on."""
        ...

    def longer(self, word: str, most: int) -> Sequence[str]:
        """The most frequent words that a short one may stand for, by its letters: each begins with it or, where it has
        no vowel, holds its letters in order."""
        ...

    def holders(self, term: str, scope: Scope | None, limit: int, *, besides: bool) -> Mapping[ChunkId, int] | None:
        """Chunks whose visible text holds a term in any form, and the position of each one's section; None when there
        are more of them than `limit`. `besides`: also those that are found by it otherwise, the headings above them
        left out."""
        ...


class Cosines(Protocol):
    """Vectors of chunks to compare a question with, all made by one embedder; exact."""

    @property
    def generation(self) -> int: ...

    @property
    def embedder(self) -> str:
        """The name of the embedder that made the vectors, which must encode the questions too; empty for none."""
        ...

    def nearest(self, vector: Vectors, scope: Scope | None, limit: int) -> Sequence[Scored]:
        """Section-level chunks by cosine: the mean of a section's own and that of its best passage."""
        ...

    def scores(self, vector: Vectors, chunks: Sequence[ChunkId]) -> Mapping[ChunkId, float]:
        """What `nearest` would score certain chunks; those without vectors are left out."""
        ...

    def best_cosine(self, vector: Vectors) -> float:
        """About the cosine of the nearest vector, quicker than to look for its section; 0 where there is none."""
        ...

    def section_vectors(self, chunks: Sequence[ChunkId]) -> Vectors:
        """One row for each section-level chunk: its own vector, of length 1, or zeros where there is none."""
        ...


class FinerVectors(Struct, frozen=True):
    """Vectors of a slower, better embedder, which has not come to every section yet."""

    vectors: Cosines
    embedder: Embedder
    share: float
    """How much of everything it has come to, above 0 and below 1."""


class ActiveVectors(Struct, frozen=True):
    """The vectors that compare meanings now, with the embedder that encodes questions for them."""

    vectors: Cosines
    embedder: Embedder
    finer: FinerVectors | None = None
    """Judges the sections it has in place of `vectors`, which have all of them."""

    @property
    def traits(self) -> Traits:
        """How far meaning may be relied on: between both embedders' traits while one upgrades the other."""
        own = self.embedder.traits
        return own if self.finer is None else own.toward(self.finer.embedder.traits, self.finer.share)
