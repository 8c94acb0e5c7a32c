"""Commits in a line or two, on top of `kits.git`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kits.git import Repo
from kits.trees import write_tree


def repository(folder: Path) -> Path:
    """A new repository."""
    return Repo(folder).folder


def git(folder: Path, *words: str, at: str = "2026-01-01T00:00:00Z") -> str:
    """Run git there and return what it says."""
    when = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    return _opened(folder).git(*words, env=when)


def commit(folder: Path, files: Mapping[str, str | bytes | None], message: str = "Change", day: int = 1) -> str:
    """Write files (None removes one), commit all of it on that day of January, and return the hash."""
    write_tree(folder, {path: content for path, content in files.items() if content is not None})
    for path in (path for path, content in files.items() if content is None):
        (folder / path).unlink()
    return _opened(folder).commit(message, date=f"2026-01-{day:02}T00:00:00Z")


def _opened(folder: Path) -> Repo:
    return Repo(folder)  # making one where there is one changes nothing
