"""Memories: notes that people and agents leave, what they point at, and what became of it since."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from pinakes.records.address import Ref
from pinakes.records.document import LinkForm, Relation
from pinakes.records.graph import Outcome


class MemoryType(StrEnum):
    """What a memory is."""

    PLAN = "plan"
    JOURNAL = "journal"
    FACT = "fact"
    OBSERVATION = "observation"
    REFLECTION = "reflection"


class MemoryStatus(StrEnum):
    """Whether it is to be recalled."""

    ACTIVE = "active"
    ARCHIVED = "archived"


class Note(Struct, frozen=True):
    """A memory that is to be written."""

    text: str
    title: str = ""
    """Empty takes the first heading or line of the text."""
    type: MemoryType = MemoryType.OBSERVATION
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """What it is about, besides what the text links to."""
    review_by: str = ""
    """ISO date."""
    supersedes: tuple[str, ...] = ()
    """Ids of memories that it takes the place of."""


class Revision(Struct, frozen=True):
    """What is to change in a memory; None leaves a field as it is."""

    text: str | None = None
    title: str | None = None
    type: MemoryType | None = None
    status: MemoryStatus | None = None
    tags: tuple[str, ...] | None = None
    links: tuple[str, ...] | None = None
    review_by: str | None = None
    is_verified: bool = False
    """Whether somebody compared it with what it points at and found it still true."""


class Pointer(Struct, frozen=True):
    """A link of a memory, as understood among documents and memories."""

    target: str
    """As written."""
    to: Ref | None
    """The section, document, file or memory it leads to; None for a loose end."""
    outcome: Outcome
    form: LinkForm
    relation: Relation
    line: int
    """Line it stands on, from 0."""
    around: str
    """About a hundred characters of its paragraph; empty for links in the frontmatter."""

    @property
    def is_loose(self) -> bool:
        return self.outcome not in (Outcome.FOUND, Outcome.EXTERNAL)


class MarkKind(StrEnum):
    """Why a memory should be looked at before it is believed."""

    VERIFY = "verify"
    """What it points at has changed since it was written or last verified."""
    GONE = "gone"
    """What it points at is no longer there."""
    DUE = "due"
    """The day it was to be reviewed by has passed."""
    SUPERSEDED = "superseded"
    """Another memory took its place."""


class Mark(Struct, frozen=True):
    """One reason for care."""

    kind: MarkKind
    reason: str
    ref: Ref | None = None
    """What changed or vanished, or the memory that took its place."""


class Memory(Struct, frozen=True):
    """A memory as it is kept."""

    ref: Ref
    title: str
    type: MemoryType
    status: MemoryStatus
    tags: tuple[str, ...]
    created_at: str
    """ISO date or date and time; empty when nobody wrote it down."""
    updated_at: str
    review_by: str
    supersedes: tuple[str, ...]
    text: str
    """Without the frontmatter."""
    links: tuple[Pointer, ...] = ()
    marks: tuple[Mark, ...] = ()
    warnings: tuple[str, ...] = ()
    """What was odd about the file."""
    seen: Mapping[str, str] = field(default_factory=dict)
    """Addresses it points at, and a digest of what stood there when it was written or last verified."""

    @property
    def id(self) -> str:
        """Its file's name without the ending."""
        return self.ref.path.removesuffix(".md")

    @property
    def date(self) -> str:
        """When it was last touched, by its own words."""
        return self.updated_at or self.created_at

    @property
    def loose_ends(self) -> tuple[Pointer, ...]:
        return tuple(link for link in self.links if link.is_loose)


class Recalled(Struct, frozen=True):
    """One memory that answers a question."""

    memory: Memory
    passage: str
    """The part that answers; the beginning of the text when nothing was asked."""
    score: float = 0.0
    """Orders answers; it is no probability. 0 when nothing was asked."""


class Recollection(Struct, frozen=True):
    """What was recalled, and what should be known about the answer."""

    question: str
    found: tuple[Recalled, ...]
    hidden: int = 0
    """Memories left out because they are archived or superseded."""
    notes: tuple[str, ...] = ()
    """Parts that could not answer, or why the answer may be old."""
    abstained: str = ""
    """Why there is no answer although something was found."""
    nearest: tuple[Ref, ...] = ()
    doubt: str = ""
    """Why what was recalled may be no answer."""


class MemoryList(Struct, frozen=True):
    """Memories, and how many there are of each kind."""

    memories: tuple[Memory, ...]
    """Those asked for, the newest first."""
    by_type: Mapping[str, int]
    """Of those asked for."""
    by_tag: Mapping[str, int]
    total: int
    """Memories there are in all, archived ones too."""


class Trashed(Struct, frozen=True):
    """A memory that was forgotten and can be restored."""

    id: str
    """What `restore` takes."""
    title: str
    type: MemoryType
    forgotten_at: str
