"""Several roots in one process: each is a library under a name, and whoever wants to know is told what changes.

Doors that stay open (MCP, HTTP, the page) share one of these. Its calls block, so a door with an event loop makes them
in a thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pinakes.errors import ConfigError, NotFound
from pinakes.index import ignore_progress
from pinakes.library import Library, open_library
from pinakes.ports import Progress

FRESH_S = 2.0
"""How long a comparison with the folder is good for: many questions in a row compare once."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A library's documents are no longer what they were."""

    library: str
    generation: int
    paths: tuple[str, ...]
    """Documents that were put, changed or went."""


Listener = Callable[[Changed], None]
"""Hears of every change, in the thread that made it; it must not wait."""


class Libraries:
    """Open libraries by name, the first one being the one meant when none is named."""

    def __init__(self, roots: Sequence[Path], arguments: Mapping[str, object] | None = None) -> None:
        self._libraries: dict[str, Library] = {}
        for root in roots or (Path.cwd(),):
            opened = open_library(root, arguments)
            name = opened.root.name or "root"
            if name in self._libraries:
                raise ConfigError(f"Two roots are called “{name}”.", "Serve them one by one, or rename a folder.")
            self._libraries[name] = opened
        self._locks = {name: threading.Lock() for name in self._libraries}
        self._compared = dict.fromkeys(self._libraries, float("-inf"))
        self._known: dict[str, tuple[int, Mapping[str, str]]] = {}
        """Generation and digests by path, as last seen."""
        self._listeners: list[Listener] = []

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._libraries)

    def get(self, name: str = "") -> Library:
        """The library of that name; the first one for no name."""
        wanted = name or self.names[0]
        if wanted not in self._libraries:
            raise NotFound(f"There is no library “{name}” here.", f"There are {', '.join(self.names)}.")
        return self._libraries[wanted]

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Be told of changes until what is returned is called."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def refresh(self, name: str = "", *, progress: Progress = ignore_progress) -> str:
        """Compare a library with its folder unless that was just done, and tell listeners what changed.

        Returns a sentence when answers may be older than the folder, else nothing.
        """
        library = self.get(name)
        own = name or self.names[0]
        with self._locks[own]:
            if time.monotonic() - self._compared[own] < FRESH_S:
                return ""
            before = self._known.get(own) or (library.generation, library.digests())
            note = library.refresh(progress=progress)
            self._compared[own] = time.monotonic()
            after = before if library.generation == before[0] else (library.generation, library.digests())
            self._known[own] = after
        paths = {path for path, _ in before[1].items() ^ after[1].items()}
        if paths:
            self.tell(Changed(own, after[0], tuple(sorted(paths))))
        return note

    def tell(self, changed: Changed) -> None:
        """Tell all listeners; a watcher calls it, too."""
        for listener in tuple(self._listeners):
            listener(changed)

    def close(self) -> None:
        for library in self._libraries.values():
            library.close()
