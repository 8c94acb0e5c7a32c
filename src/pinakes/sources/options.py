"""What a user may decide about a folder."""

from __future__ import annotations

from msgspec import Struct


class FolderOptions(Struct, frozen=True):
    """Which files of a folder are documents."""

    include: tuple[str, ...] = ()
    """Patterns as in a .gitignore file; when there are any, only matching files are documents. Links may still lead
    to the others."""
    exclude: tuple[str, ...] = ()
    """Patterns as in a .gitignore file; matching files are treated as if they did not exist. These patterns win over
    ignore files."""
    max_file_bytes: int = 10_000_000
    """Larger documents are reported as failed and not read."""


class RootOptions(Struct, frozen=True):
    """Which folders belong to a library besides its root."""

    more: tuple[str, ...] = ()
    """Further roots, each `name=folder`, relative to the root; `api=../api-docs` becomes the corpus `docs@api`."""


class CodeOptions(Struct, frozen=True):
    """Whether source code is part of the library."""

    enabled: bool = False
    """Whether Pinakes reads the source code below the root, as the corpus `code`."""
    exclude: tuple[str, ...] = ()
    """Patterns as in a .gitignore file; matching files are not read as code."""
    max_file_bytes: int = 1_000_000
    """Larger files of source code are generated or data, and are not read."""


class HistoryOptions(Struct, frozen=True):
    """Whether commits are part of the library."""

    enabled: bool = True
    """Whether Pinakes reads git repositories below the roots."""


class WatchOptions(Struct, frozen=True):
    """How changes on disk are noticed while a server or `pinakes watch` runs."""

    enabled: bool = True
    """Whether servers watch; otherwise they compare before they answer."""
    quiet_ms: int = 500
    """How long it must be quiet before Pinakes looks at the changes."""
    longest_ms: int = 5000
    """The longest wait when changes do not stop."""
    reconcile_interval: int = 3600
    """Seconds between full comparisons, which find missed changes; 0 for never."""
    poll_s: int = 30
    """Seconds between comparisons of folders that the system cannot watch."""
