"""What a model wants changed: blocks of an answer, and what they come to."""

from __future__ import annotations

from msgspec import Struct


class EditBlock(Struct, frozen=True):
    """One change, as it stands in an answer."""

    path: str
    """From the root, as it was written."""
    find: str
    """The text that stands there now, and only there; empty for a new file."""
    put: str
    """The text that shall stand there instead."""
    fault: str = ""
    """Why the block cannot be understood for sure, with the next step. One that has a fault is never carried out."""


class RefusedEdit(Struct, frozen=True):
    """A block that cannot be carried out."""

    block: EditBlock
    reason: str
    nearest: str = ""
    """The text of the file that is most like the one to find."""
    line: int = 0
    """The number of its first line; 0 where there is none."""


class FileChange(Struct, frozen=True):
    """A file before and after."""

    path: str
    before: bytes | None
    """None for a file that does not exist yet."""
    after: bytes | None
    """None for a file that goes."""


class EditPlan(Struct, frozen=True):
    """What the blocks of an answer come to; nothing is written yet."""

    changes: tuple[FileChange, ...] = ()
    """One for each file, in the order in which the answer names them."""
    refused: tuple[RefusedEdit, ...] = ()


class FileText(Struct, frozen=True):
    """A file as an editor opens it."""

    path: str
    text: str
    """With `\n` at the end of every line, and without a byte order mark."""
    digest: str
    """Of the bytes on disk, for the save to come."""
