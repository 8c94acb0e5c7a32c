"""What a user may decide about added documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AddedOptions:
    """Where documents may be fetched from."""

    fetch: bool = True
    """Whether `add` may fetch URLs; otherwise it takes only files and text."""
    allow: tuple[str, ...] = ()
    """Private hosts and networks (`wiki.local`, `10.1.0.0/16`) that `add` may fetch from."""
