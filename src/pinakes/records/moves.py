"""Moves: documents, folders and headings under another name, with everything that points at them.

`Library.plan_move(source, target)` and `Library.plan_rename(address, name)` return a `MovePlan` and write nothing.
`Library.apply(plan)` carries one out as a whole or not at all and returns a `MoveResult`; `Library.undo_move()` takes
the last one back. Whoever shows a plan in an editor needs `files` (edits, by file, against the bytes of the file as it
is now) and `moves` (carried out after all edits, in their order).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from pinakes.records.address import Ref, Span


class TextEdit(Struct, frozen=True):
    """One stretch of a file and what takes its place."""

    span: Span
    """Bytes of the file as it is now."""
    old: str
    """What stands there."""
    new: str


def apply_edits(source: bytes, edits: Iterable[TextEdit]) -> bytes:
    """A text with edits made, which are in reading order."""
    pieces, reached = [], 0
    for edit in edits:
        pieces += [source[reached : edit.span.start], edit.new.encode("utf-8", "surrogateescape")]
        reached = edit.span.end
    return b"".join([*pieces, source[reached:]])


class FileEdits(Struct, frozen=True):
    """The edits of one file."""

    ref: Ref
    """The file as it is called now, before any move; its corpus is that of the documents or ``memories``."""
    digest: str
    """Of the bytes that the edits were made for; another content is refused."""
    edits: tuple[TextEdit, ...]
    """In reading order; no two overlap."""

    def finds_old_texts(self, data: bytes) -> bool:
        """Whether the edits find the text that they replace."""
        found = (data[edit.span.start : edit.span.end] for edit in self.edits)
        return all(
            old == edit.old.encode("utf-8", "surrogateescape") for old, edit in zip(found, self.edits, strict=True)
        )

    def applied_to(self, data: bytes) -> bytes:
        """The file with the edits made. `data` must be the bytes of which `digest` is."""
        return apply_edits(data, self.edits)

    def turned_around(self, digest: str) -> FileEdits:
        """The edits that take these back in the file that they led to, which has this digest."""
        edits, shift = [], 0
        for edit in self.edits:
            start, length = edit.span.start + shift, len(edit.new.encode("utf-8", "surrogateescape"))
            edits.append(TextEdit(Span(start, start + length), edit.new, edit.old))
            shift += length - edit.span.length
        return FileEdits(self.ref, digest, tuple(edits))


class FileMove(Struct, frozen=True):
    """A file or folder that gets another path; nothing is at the new one."""

    old: Ref
    new: Ref
    is_folder: bool = False
    """Whether everything below it moves along, files that are not indexed too."""


class MovePlan(Struct, frozen=True):
    """What a move or a rename would change."""

    old: Ref
    """What is moved or renamed: a document, folder, file or section."""
    new: Ref
    """Its address afterwards."""
    files: tuple[FileEdits, ...]
    """Sorted by corpus and path; only files that change."""
    moves: tuple[FileMove, ...]
    """Carried out after the edits."""
    notes: tuple[str, ...] = ()
    """What cannot be kept right and must be looked at by hand, a sentence each."""
    carried: tuple[FileEdits, ...] = ()
    """Documents that move and have no edits: like those in `files`, they must not have changed meanwhile."""

    @property
    def edits(self) -> int:
        """How many stretches of text change."""
        return sum(len(one.edits) for one in self.files)


class MoveState(StrEnum):
    """How far a plan came."""

    PLANNED = "planned"
    DONE = "done"
    UNDONE = "undone"
    """It was carried out and taken back; the plan of the answer is the one that led back."""


class MoveResult(Struct, frozen=True):
    """A plan and what became of it."""

    plan: MovePlan
    state: MoveState
