"""What the library answers with, besides maps and findings."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from pinakes.records.address import CorpusName, Ref
from pinakes.records.graph import Edge
from pinakes.records.jobs import QueueState
from pinakes.records.sync import Counts, Failure


class Connections(Struct, frozen=True):
    """What a document or section points at and what points at it."""

    ref: Ref
    outgoing: tuple[Edge, ...]
    incoming: tuple[Edge, ...]
    around: tuple[str, ...] = ()
    """The words around each link, outgoing links first; empty when they were not asked for."""

    def with_context(self) -> tuple[tuple[tuple[Edge, str], ...], tuple[tuple[Edge, str], ...]]:
        """The outgoing and the incoming links, each with the words around it."""
        words = self.around or ("",) * (len(self.outgoing) + len(self.incoming))
        cut = len(self.outgoing)
        outgoing = zip(self.outgoing, words[:cut], strict=True)
        return tuple(outgoing), tuple(zip(self.incoming, words[cut:], strict=True))


class FileState(StrEnum):
    """The state of a file in the index."""

    INDEXED = "indexed"
    FAILED = "failed"
    """Could not be read; an older version may still be indexed."""
    ASSET = "asset"
    """Known as a target of links, never read."""
    LEFT_OUT = "left_out"
    """Ignored, excluded or not there."""


class FileStatus(Struct, frozen=True):
    """One file, its state and the reason for it."""

    path: str
    state: FileState
    reason: str


class CorpusState(Struct, frozen=True):
    """What is indexed of one corpus besides the documents of the root."""

    corpus: CorpusName
    generation: int
    documents: int
    failures: tuple[Failure, ...]


class Upgrade(Struct, frozen=True):
    """How far a finer embedder has replaced the vectors of the quick one."""

    model: str
    """The name of the finer model."""
    done: int = 0
    """Passages that have its vectors."""
    total: int = 0
    """All passages."""
    is_running: bool = False
    """Whether this process is embedding."""
    problem: str = ""
    """Why the upgrade has stopped, and what to do; empty while it can go on."""
    seconds_left: int = 0
    """About how long the rest will take; 0 when that is not known."""

    @property
    def is_whole(self) -> bool:
        return 0 < self.total == self.done


class Status(Struct, frozen=True):
    """What is indexed, what failed and why."""

    root: str
    store: str
    corpus: CorpusName
    generation: int
    counts: Counts
    failures: tuple[Failure, ...]
    warnings: tuple[tuple[Ref, str], ...]
    keywords: str
    """One sentence: whether keywords are on, finished, or how many documents still wait for them."""
    keywords_available: bool
    """Whether keywords are on and the model that makes them can be loaded."""
    keywords_message: str
    """What a reader should know about keywords; empty when all are there."""
    embedder: str
    """The model that turns text to vectors, or why there is none; two while one replaces the other."""
    store_bytes: int
    """What the index takes of this machine's disk, words and vectors left out; 0 where it lies in a database."""
    is_read_only: bool
    anchors: str = "github"
    """By whose rules links find sections, and why: the generators of the sites that are made of the documents."""
    others: tuple[CorpusState, ...] = ()
    """Memories, commits, added documents and further roots, those that are indexed."""
    healed: tuple[str, ...] = ()
    """A sentence for each index that was found damaged and built anew, as long as the damaged one is kept."""
    upgrade: Upgrade | None = None
    """Progress of the finer embedder on the documents of the root; None when no finer model is configured."""
    jobs: QueueState | None = None
    """What there is to do in the database that the index lies in; None for a folder."""

    @property
    def all_failures(self) -> tuple[Failure, ...]:
        """Those of the documents of the root, then those of every other corpus."""
        return (*self.failures, *(failure for one in self.others for failure in one.failures))


class Diagnosis(Struct, frozen=True):
    """The result of one check by `doctor`."""

    topic: str
    is_sound: bool
    finding: str
    next_step: str = ""
