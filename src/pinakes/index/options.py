"""How a sync works, for those who decide about it, and who watches none."""

from __future__ import annotations

from msgspec import Struct

from pinakes.records import Event

WORTHWHILE = 400
"""Documents to read before workers pay for themselves."""


class SyncOptions(Struct, frozen=True):
    """How a sync works."""

    workers: int = 0
    """How many processes parse; 0 lets Pinakes choose as many as save time."""
    background_minutes: int = 60
    """Minutes of each hour that servers may spend on keywords and on the vectors of a better model; with 0, only `sync`
    and `model upgrade` make them."""


def ignore_progress(event: Event) -> None:
    """For callers who do not watch."""
