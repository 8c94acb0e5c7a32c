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
