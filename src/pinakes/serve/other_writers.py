"""Writes to indexes by other processes, on this machine or another one, for whoever serves these indexes.

Places enter; each write to one of them is told to `hear` by the name of its library here. There is one thread, and one
connection, for each database that announces writes. What was written while there was no connection is told after it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

from pinakes.errors import PinakesError
from pinakes.index.place import IndexPlace
from pinakes.records import CorpusName

AGAIN_S = 0.5
"""How soon a connection that was lost is tried again."""

ServedPlaces = Mapping[tuple[str, CorpusName], IndexPlace]


class OtherWriters:
    """The threads that hear of writes."""

    def __init__(self, places: Callable[[], ServedPlaces], hear: Callable[[str, CorpusName], None]) -> None:
        """`places` gives those that are served now, and `hear` is told in a thread."""
        self._places = places
        self._hear = hear
        self._ending = threading.Event()

    def start(self) -> None:
        """Begin to hear, in the background."""
        for announcer in {place.announcer for place in self._places().values()} - {""}:
            threading.Thread(target=self._follow, args=(announcer,), name="pinakes-hearing", daemon=True).start()

    def close(self) -> None:
        """Hear no more; the threads end within a second or two."""
        self._ending.set()

    def _follow(self, announcer: str) -> None:
        while not self._ending.is_set():
            with suppress(PinakesError):  # whoever asks meanwhile is told why
                self._listen(announcer)
            self._ending.wait(AGAIN_S)

    def _listen(self, announcer: str) -> None:
        place = next(iter(self._announced_by(announcer).values()), None)
        if place is None:
            return
        for count, write in enumerate(place.announced()):
            if self._ending.is_set():
                return
            for (library, corpus), one in self._announced_by(announcer).items():
                if not count or (write is not None and one.is_meant(write)):
                    with suppress(PinakesError):
                        self._hear(library, corpus)

    def _announced_by(self, announcer: str) -> ServedPlaces:
        return {name: place for name, place in self._places().items() if place.announcer == announcer}
