"""What a user may decide about memories."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """Where memories are kept."""

    storage: str = "project"
    """`project`: in `.memories/` of the root, where they can be shared. `user`: in your own data folder."""
