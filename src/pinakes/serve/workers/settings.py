"""What the processes of a server are started with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from pinakes.serve.http import ServeOptions
from pinakes.serve.libraries import Libraries


class ServerSettings(Struct, frozen=True):
    """What every process of a server is started with."""

    roots: Sequence[Path]
    """None for all libraries of a database."""
    arguments: dict[str, object]
    """Settings from the command line."""
    options: ServeOptions
    do_watch: bool
    warn: Callable[[str], None]
    """Hears what cannot be watched, and why."""
    store_url: str = ""
    """The database whose libraries are served, where there are no roots."""

    def libraries(self) -> Libraries:
        """Those that this process brings up to date itself, watched where that is wanted."""
        libraries = self.served() or Libraries(self.roots, self.arguments)
        if self.do_watch:
            libraries.watch(warn=self.warn)
        libraries.hear_others()
        return libraries

    def served(self) -> Libraries | None:
        """The libraries of the database, for a process of its own; None where folders are served."""
        if not self.store_url:
            return None
        from pinakes.serve.served_libraries import ServedLibraries

        return ServedLibraries(self.store_url)
