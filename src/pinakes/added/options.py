"""What a user may decide about added documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AddedOptions:
    """Where documents may be fetched from."""

    fetch: bool = True
    """Whether anything is fetched at all; without it only files and text can be added."""
    allow: tuple[str, ...] = ()
    """Hosts and networks (`wiki.local`, `10.1.0.0/16`) that may be fetched from although they are private."""
