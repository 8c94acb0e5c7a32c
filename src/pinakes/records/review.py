"""What was changed since a commit, or between two, to be looked over before it is committed."""

from __future__ import annotations

from msgspec import Struct

from pinakes.records.edits import FileChange


class UnseenChange(Struct, frozen=True):
    """A file that was changed and whose text is not shown."""

    path: str
    reason: str
    """“is no text”, “is larger than 1,000,000 bytes”, “is hidden”."""


class Review(Struct, frozen=True):
    """What was changed."""

    range: str
    """As it was asked for; empty for everything since the commit that is checked out."""
    changes: tuple[FileChange, ...] = ()
    """By path."""
    unseen: tuple[UnseenChange, ...] = ()
    """By path; they can be committed like the others."""
