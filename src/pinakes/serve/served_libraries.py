"""The libraries of a database, as a server without any folder has them.

They come and go while it runs: a thread looks every two seconds which there are. Each is opened when it is first asked.
No folder is watched and nothing is compared: whoever has the files of a library keeps its index current, and every
question is answered from what the database holds then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from pinakes.errors import NotFound, PinakesError, StoreError
from pinakes.index import ignore_progress
from pinakes.library import Library
from pinakes.library.queued.libraries import DatabaseLibraries
from pinakes.library.served import open_served, require_served, served_corpora
from pinakes.ports import Progress
from pinakes.records import DOCS, CorpusName
from pinakes.render import safe
from pinakes.serve.libraries import LAG_S, Libraries, ignore_result
from pinakes.serve.library_names import ignore_note, seen_names
from pinakes.serve.library_watcher import WatchResult
from pinakes.serve.other_writers import ServedPlaces
from pinakes.write_log import log_writes

LOOK_S = 2.0
MOST_OPEN = 200
"""Libraries that are open at once; each holds what its answers were made from."""


class ServedLibraries(Libraries):
    """All of a database, or as many as the present request may see."""

    def __init__(self, url: str, most_open: int = MOST_OPEN) -> None:
        """Raises `StoreError` where the database cannot be used."""
        self._url = url
        self._most_open = most_open
        self._changing = threading.Lock()
        self._corpora: Mapping[str, tuple[CorpusName, ...]] = {}
        self._ending = threading.Event()
        self._hears = self._is_heard = False
        self._heard_of: set[str] = set()
        """Open libraries whose documents are known, so that a write can be told by what it changed."""
        super().__init__(())
        require_served(self._url)
        self._look()
        self._looking = threading.Thread(target=self._look_again, name="pinakes-libraries", daemon=True)
        self._looking.start()

    @property
    def names(self) -> tuple[str, ...]:
        return seen_names(self._corpora)

    @property
    def store_url(self) -> str:
        return self._url

    @property
    def open_names(self) -> tuple[str, ...]:
        return seen_names(tuple(self._libraries))

    def get(self, name: str = "") -> Library:
        own = self.name_or_default(name)
        with self._changing:
            if own not in self._libraries:
                opened = open_served(self._url, own, self._corpora.get(own, ()))
                opened.answer_sooner(LAG_S)
                self._locks[own] = threading.Lock()
                self._libraries[own] = opened
            library = self._libraries[own] = self._libraries.pop(own)  # the last one was asked for last
            self._forget([*self._libraries][: max(len(self._libraries) - self._most_open, 0)])
            return library

    def why_not_ready(self) -> str:
        try:
            require_served(self._url)
            self._look()
        except StoreError:
            return "The database cannot be used."
        return "" if self._corpora else "No library of the database has an index yet."

    def is_synced_elsewhere(self, name: str) -> bool:
        """Raises `Unfit` where nobody is there who could be told."""
        library = self.get(name)
        try:
            DatabaseLibraries(self._url).begin([name])
            log_writes("sync", [(name, "begun")], library.root)
        except NotFound:  # not one from git: somebody indexes a folder
            library.refuse_change()
        return True

    def has_new_settings(self, name: str = "") -> bool:
        return False

    def renew(self, name: str = "", *, wait_s: float = -1) -> bool:
        return True

    def refresh(self, name: str = "", corpus: CorpusName = "", *, progress: Progress = ignore_progress) -> str:
        return ""

    def repair(self, name: str = "", *, progress: Progress = ignore_progress) -> str:
        return "The index is damaged. Whoever keeps it current has to make it again."

    def prepare(self, name: str = "") -> None:
        """The first question makes ready what it needs."""

    def watch(
        self,
        on_result: Callable[[str, WatchResult], None] = ignore_result,
        *,
        warn: Callable[[str], None] = ignore_note,
        is_thorough: bool = False,
    ) -> None:
        """There is no folder."""

    def is_current(self, name: str = "") -> bool:
        return True

    def hear_others(self) -> None:
        self._hears = True

    def close(self) -> None:
        self._ending.set()
        super().close()

    def _places(self) -> ServedPlaces:
        with self._changing:
            opened = dict(self._libraries)
        return {(name, corpus): one.corpus(corpus).place for name, one in opened.items() for corpus in one.corpora}

    def _hear_other(self, name: str, corpus: CorpusName) -> None:
        with suppress(KeyError):  # it was closed just now
            super()._hear_other(name, corpus)

    def _look_again(self) -> None:
        while not self._ending.wait(LOOK_S):
            with suppress(PinakesError):  # `why_not_ready` tells; until the database answers again, these are known
                self._look()
                self._hear_of_new()

    def _hear_of_new(self) -> None:
        """Have what was opened since the last look be heard of, too."""
        with self._changing:
            new = self._libraries.keys() - self._heard_of if self._hears else ()
        if new and not self._is_heard:
            self._is_heard = True
            self._others.start()
        for name in new:
            self._heard_of.add(name)
            self._hear_other(name, DOCS)

    def _look(self) -> None:
        """See which libraries there are now. One that went is closed, and so is one with other corpora."""
        found = {safe(name): corpora for name, corpora in served_corpora(self._url).items() if safe(name) == name}
        with self._changing:
            before, self._corpora = self._corpora, found
            self._forget([name for name in self._libraries if found.get(name) != before.get(name)])

    def _forget(self, names: Sequence[str]) -> None:
        """Close libraries; the next question opens them again."""
        for name in names:
            self._close_later(self._libraries.pop(name))
            self._known.forget(name)
            self._heard_of.discard(name)
