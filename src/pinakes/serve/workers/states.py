"""What a worker has to know of a library that the writer keeps current."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from pinakes.records import CorpusName


class LibraryState(Struct, frozen=True):
    """How a library stands in the writer."""

    is_current: bool = False
    """Whether it is watched and agrees with its folder at this moment."""
    is_exact: bool = False
    """Whether its watchers hear of every change as it happens."""
    is_watched: bool = False
    is_refreshing: bool = False
    compared: tuple[float, str] | None = None
    """When it was last compared with its folder, on the system's clock, and what was to be said of it."""
    problem: str = ""
    notes: tuple[str, ...] = ()
    """What cannot be watched, and why."""
    background: Mapping[CorpusName, tuple[bool, bool]] = {}
    """By corpus, whether keywords and whether vectors are being made."""
