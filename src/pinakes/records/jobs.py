"""Libraries from git, and the work that is done for them: jobs, those that were set aside, and how many wait."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class GitLibrary(Struct, frozen=True):
    """A repository under a name of the user's."""

    name: str
    address: str
    """Of the repository: https, or a folder."""
    ref: str = ""
    """The branch, tag or commit that is asked; empty for what the repository has checked out."""
    path: str = ""
    """The folder of the documents, with a slash at the end; empty for all of it."""
    commit: str = ""
    """What `ref` meant when it was last fetched."""
    synced: str = ""
    """When the index last agreed with what was fetched."""


class JobKind(StrEnum):
    """The steps from a repository to an index that answers, in their order."""

    FETCH = "fetch"
    """Mirror the repository, and see what its ref means now."""
    SCAN = "scan"
    """Compare the index with the commit, and take in what differs."""
    READ = "read"
    """Do a part for whoever scans: parse some of many files, or make their quick vectors."""
    EMBED = "embed"
    """Make the finer vectors of some of many documents."""
    RANK = "rank"
    """Make keywords and finer vectors whole."""


class SetAside(Struct, frozen=True):
    """A job that failed too often to be tried again by itself."""

    library: str
    kind: JobKind
    attempts: int
    reason: str
    next_step: str
    since: str


class QueueState(Struct, frozen=True):
    """What there is to do in a database, and who does it."""

    workers: tuple[str, ...] = ()
    """Those that are there, by name."""
    waiting: int = 0
    running: int = 0
    set_aside: tuple[SetAside, ...] = ()
