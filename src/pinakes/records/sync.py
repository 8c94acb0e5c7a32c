"""What making the store agree with the sources needs and reports."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from pinakes.records.address import Ref
from pinakes.records.document import Stamp
from pinakes.records.graph import Edge, Entry


class Phase(StrEnum):
    """The steps of a sync, in order."""

    SCANNING = "scanning"
    READING = "reading"
    LINKING = "linking"
    EMBEDDING = "embedding"
    KEYWORDS = "keywords"
    FINISHING = "finishing"
    PUBLISHING = "publishing"
    """Not of a sync, but of what may follow it; the next one neither."""
    WEB_LINKS = "web links"
    PAGES = "pages"


class Event(Struct, frozen=True):
    """How far a sync has come."""

    phase: Phase
    done: int
    total: int
    """0 while it is not known."""
    path: str = ""


class Failure(Struct, frozen=True):
    """A file that could not be taken in, why, and what to do about it."""

    ref: Ref
    version: str
    """The version that failed; it is tried again when this changes."""
    reason: str
    next_step: str = ""

    @property
    def reason_alone(self) -> str:
        """The reason, for whoever has named the file already."""
        return self.reason.removeprefix(f"{self.ref} ")


class Scan(Struct, frozen=True):
    """What a source has right now."""

    stamps: tuple[Stamp, ...]
    """Every file, documents and assets, sorted by path."""
    failures: tuple[Failure, ...] = ()
    """What could not even be looked at: unreadable folders, links that leave the root."""
    within: tuple[str, ...] | None = None
    """The paths that were looked at, each with what is below it; None for everything."""


class StoredFile(Struct, frozen=True):
    """What the store remembers of a file: its stamp and, for documents, the digest of what was parsed."""

    stamp: Stamp
    digest: str
    """Empty for assets and for files that never parsed."""


class Change(Struct, frozen=True):
    """One transaction: all of it becomes visible, or nothing does."""

    put: tuple[Entry, ...] = ()
    """Documents to write, replacing what was at their address."""
    drop: tuple[Ref, ...] = ()
    """Documents and assets to forget."""
    touch: tuple[Stamp, ...] = ()
    """Documents whose version changed though their content did not."""
    assets: tuple[Stamp, ...] = ()
    """Files that exist but are not read."""
    failures: tuple[Failure, ...] = ()
    """Files that failed; their last good version stays. A put, touch or drop of the same address clears its failure."""
    edges: tuple[Edge, ...] = ()
    """Links read (again); they replace what was known of the same link."""
    keywords: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """Per document digest, the keywords of each of its sections, made under the fingerprint in the setting `keywords`.
    They stand beside the parsed document: where a section's are empty, its parser's (a drawing's labels) stay."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Facts about the index itself to remember, such as fingerprints; an empty value forgets the fact, and for
    `keywords` all keywords with it."""


class Report(Struct, frozen=True):
    """What a sync did."""

    put: tuple[Ref, ...] = ()
    moved: tuple[tuple[Ref, Ref], ...] = ()
    """From where to where; these are not in `put` or `dropped`."""
    dropped: tuple[Ref, ...] = ()
    unchanged: int = 0
    failed: tuple[Failure, ...] = ()
    """Every file that is failing now, including those that failed before and have not changed."""
    warnings: tuple[tuple[Ref, str], ...] = ()
    """What was odd about the documents put."""
    seconds: float = 0.0
    base_generation: int = 0
    """The store's generation before this sync wrote anything."""


class Counts(Struct, frozen=True):
    """How much the store holds."""

    documents: int
    sections: int
    links: int
    assets: int
    failures: int
    pending_links: int
    """Links not looked up yet."""
    pending_keywords: int
    """Documents whose keywords are not made yet."""
    source_bytes: int
