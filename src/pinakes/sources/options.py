"""What a user may decide about a folder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FolderOptions:
    """Which files of a folder are documents."""

    include: tuple[str, ...] = ()
    """Patterns as in a .gitignore file; when there are any, only files that match are documents. The others still
    exist for links that point at them."""
    exclude: tuple[str, ...] = ()
    """Patterns as in a .gitignore file; what matches is left out as if it did not exist. They win over ignore files."""
    max_file_bytes: int = 10_000_000
    """Larger documents are reported as failed and not read."""


@dataclass(frozen=True, slots=True)
class RootOptions:
    """Which folders belong to a library besides its root."""

    more: tuple[str, ...] = ()
    """Further roots, each `name=folder`, seen from the root; `api=../api-docs` becomes the corpus `docs@api`."""


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """Whether commits are part of the library."""

    enabled: bool = True
    """Whether git repositories below the roots are read."""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """How changes on disk are noticed while a server or `pinakes watch` runs."""

    enabled: bool = True
    """Whether servers watch; without it they compare before they answer."""
    quiet_ms: int = 500
    """How long nothing must happen before what happened is looked at."""
    longest_ms: int = 5000
    """How long to wait at most when something happens all the time."""
    reconcile_interval: int = 3600
    """Seconds between comparisons of everything, which catch what was missed; 0 for never."""
    poll_s: int = 30
    """Seconds between comparisons where the system cannot tell of changes."""
