"""What somebody wrote about a folder, for whoever gets a document out of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

CONTEXT_FILE = "_context.md"
"""The file in a folder whose text is the note of that folder."""


class FolderNote(Struct, frozen=True):
    """A note that holds for a folder and all that is below it, unless a folder there has its own."""

    folder: str
    """Its path; empty for the root."""
    note: str
    """On one line."""


def folders_above(path: str) -> Iterator[str]:
    """The folders that a path lies in, the nearest first, the root (empty) last."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def note_above(path: str, notes: Sequence[FolderNote]) -> FolderNote | None:
    """The note of the nearest folder that has one."""
    known = {one.folder: one for one in notes}
    return next((known[folder] for folder in folders_above(path) if folder in known), None)
