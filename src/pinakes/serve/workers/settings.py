"""What the processes of a server are started with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from pinakes.serve.http import ServeOptions


class ServerSettings(Struct, frozen=True):
    """What every process of a server is started with."""

    roots: Sequence[Path]
    arguments: dict[str, object]
    """Settings from the command line."""
    options: ServeOptions
    do_watch: bool
    warn: Callable[[str], None]
    """Hears what cannot be watched, and why."""
