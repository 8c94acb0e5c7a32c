"""The open libraries of a process, each under the name of its folder, with their watchers and who listens to changes.

Doors that stay open (MCP, HTTP, the page) share one of these; `lsp` has one for each project that an editor opens. Its
calls block: `freshness` and `pool` make them in threads.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from pinakes.config import settings_stamp
from pinakes.errors import ConfigError, PinakesError, StoreStrange
from pinakes.index import ignore_progress
from pinakes.library import Library, open_library
from pinakes.ports import Progress
from pinakes.records import DOCS, CorpusName, Query, Ref
from pinakes.render import safe
from pinakes.search import load_synonyms
from pinakes.serve.known_documents import DocumentState, KnownDocuments
from pinakes.serve.library_names import LibraryChange, Listener, ignore_note, meant_name, seen_names
from pinakes.serve.library_watcher import LibraryWatcher, WatchResult
from pinakes.serve.other_writers import OtherWriters, ServedPlaces

_LOG = logging.getLogger("pinakes")

PREPARED_S = 0.3
"""How long an end waits for what is being made ready; what is left of it, the next start makes."""
CLOSED_S = 60.0
"""How long a library stays open after its settings were replaced."""
LAG_S = 20.0
"""How long maps may choose what to show by the ranks from before a change; computing them holds up everybody else."""


def ignore_result(library: str, result: WatchResult) -> None:
    """For those who listen to changes only."""


class Libraries:
    """Open libraries by name, the first one being the one meant when none is named."""

    def __init__(
        self, roots: Sequence[Path], arguments: Mapping[str, object] | None = None, *, is_searched: bool = True
    ) -> None:
        """Where nobody searches, words, vectors and models are not made ready."""
        self._is_searched = is_searched
        self._arguments = arguments or {}
        self._libraries: dict[str, Library] = {}
        self._stamps: dict[str, object] = {}
        """Of the files with settings, as last read."""
        self._refused: dict[str, str] = {}
        """Why the changed settings of a library are not used."""
        self._on_result: Callable[[str, WatchResult], None] = ignore_result
        self._is_thorough = False
        for root in roots:
            stamp = settings_stamp(Path(os.path.realpath(root)))
            opened = open_library(root, arguments)
            opened.answer_sooner(LAG_S)
            name = safe(opened.root.name) or "root"  # as it may stand in every log, terminal and answer
            self._stamps[name] = stamp
            if name in self._libraries:
                raise ConfigError(f"Two roots are called “{name}”.", "Serve them one by one, or rename a folder.")
            self._libraries[name] = opened
        self._locks = {name: threading.Lock() for name in self._libraries}
        self._known = KnownDocuments()
        self._listeners: list[Listener] = []
        self._watching: dict[str, LibraryWatcher] = {}
        self._prepared: dict[str, int] = {}
        """The generation that vectors were last begun for."""
        self._preparing: dict[str, threading.Thread] = {}
        self._beginning = threading.Lock()
        self._others = OtherWriters(self._places, self._hear_other)
        self._warn: Callable[[str], None] = ignore_note
        self._warned: set[str] = set()

    @property
    def names(self) -> tuple[str, ...]:
        """Those that the present request may see; outside of one, all."""
        return seen_names(self._libraries)

    @property
    def store_url(self) -> str:
        """The database that holds the index, that of the first library; empty where that is in a folder."""
        return next(iter(self._libraries.values())).config.store_url

    @property
    def open_names(self) -> tuple[str, ...]:
        """Those of `names` that are open: all, where each has a folder."""
        return self.names

    def why_not_ready(self) -> str:
        """Why no question can be answered yet; empty when one can. Whoever asks is told no names. It blocks."""
        return "" if all(one.is_indexed for one in self._libraries.values()) else "An index is being made."

    def is_synced_elsewhere(self, name: str) -> bool:
        """Whether others compare a library with its files; then they have just been told to. It blocks."""
        return False

    def name_or_default(self, name: str = "") -> str:
        """The name of the library that is meant, the first one's for no name; raises `NotFound` for one that is not
        here, or not for the present request."""
        return meant_name(name, self.names)

    def get(self, name: str = "") -> Library:
        """The library of that name; the first one for no name."""
        return self._libraries[self.name_or_default(name)]

    def has_new_settings(self, name: str = "") -> bool:
        """Whether a file with settings of a library has changed since it was read; never waits for long."""
        own = self.name_or_default(name)
        return settings_stamp(self._libraries[own].root) != self._stamps[own]

    def settings_note(self, name: str = "") -> str:
        """Why the changed settings of a library are not used; nothing when they are."""
        return self._refused.get(self.name_or_default(name), "")

    def renew(self, name: str = "", *, wait_s: float = -1) -> bool:
        """Take up the changed settings of a library: it is opened again by them, and watched as before. Settings that
        are not valid are not used: the old ones go on, and `settings_note` says why.

        A refresh that is under way is waited for, or for `wait_s` at most; returns whether there was time.
        """
        own = self.name_or_default(name)
        if not self._locks[own].acquire(timeout=wait_s):
            return False
        try:
            before = self._libraries[own]
            stamp = settings_stamp(before.root)
            if stamp == self._stamps[own]:
                return True
            self._stamps[own] = stamp
            try:
                after = open_library(before.root, self._arguments)
                load_synonyms(before.root)
            except PinakesError as error:
                self._refused[own] = f"The changed settings are not used: {error}"
                self._log(self._refused[own])
                return True
            self._refused.pop(own, None)
            after.answer_sooner(LAG_S)
            self._libraries[own] = after
            self._known.forget(own)
            for known in (self._prepared, self._preparing):
                known.pop(own, None)
            watching = self._watching.pop(own, None)
        finally:
            self._locks[own].release()
        self._log(f"The settings of {own} have changed and are used from now on.")
        if watching is not None:
            watching.close()
            self._watch(own)
        self._close_later(before)
        return True

    def _close_later(self, library: Library) -> None:
        """Whoever is being answered may still use it."""
        closing = threading.Timer(CLOSED_S, library.close)
        closing.daemon = True
        closing.start()

    def hear_others(self) -> None:
        """Tell listeners, from now on, also of what other processes write, where an index is in a database."""
        self._others.start()

    def _places(self) -> ServedPlaces:
        return {
            (name, corpus): library.corpus(corpus).place
            for name, library in self._libraries.items()
            for corpus in library.corpora
        }

    def _hear_other(self, name: str, corpus: CorpusName) -> None:
        watching = self._watching.get(name)
        if watching is not None and watching.has_refreshed:
            watching.hear(corpus)
        elif corpus == DOCS:
            with self._locks[name]:
                before = self._known.last(name, self._libraries[name])
                after = self._known.look(name, self._libraries[name], before)
            self._tell_difference(name, before, after)

    def _tell_difference(self, name: str, before: DocumentState, after: DocumentState) -> None:
        if paths := after.changed_since(before):
            self.tell(LibraryChange(name, after.generation, paths))

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Be told of changes until what is returned is called, however often."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def refresh(self, name: str = "", corpus: CorpusName = "", *, progress: Progress = ignore_progress) -> str:
        """Compare the documents of a library with their folder, or one corpus with its source, and tell listeners which
        documents changed.

        Returns a sentence when answers may be older than the folder, else nothing.
        """
        own = self.name_or_default(name)
        library = self._libraries[own]
        if corpus:
            try:
                return library.refresh(corpora=(corpus,), progress=progress) if library.corpus(corpus).is_live else ""
            except StoreStrange as error:  # who asks for it alone meets it again; the others answer
                return f"{corpus}: {error}"
        watching = self._watching.get(own)
        if watching is not None and watching.has_refreshed:
            return watching.refresh(progress)
        with self._locks[own]:
            before = self._known.last(own, library)
            note = library.refresh(progress=progress)
            after = self._known.look(own, library, before)
        if watching is not None:
            watching.allow_start()
        self._tell_difference(own, before, after)
        return note

    def prepare(self, name: str = "") -> None:
        """Have words, vectors and models ready before somebody searches; returns at once.

        Vectors that are missing since the documents last changed are made in the background. A question that nobody
        waits for is asked in a thread, once: whatever the first answer would have to make or load is made then.
        """
        if not self._is_searched:
            return
        own = self.name_or_default(name)
        library = self._libraries[own]
        with self._beginning, suppress(PinakesError):  # a thread that is known has begun, or `close` could not wait
            if self._prepared.get(own) != (generation := library.generation):
                self._prepared[own] = generation
                self._make_the_rest(library)
            if own not in self._preparing:
                thread = threading.Thread(target=_ask, args=(library,), name="pinakes-prepare", daemon=True)
                thread.start()
                self._preparing[own] = thread

    def _make_the_rest(self, library: Library) -> None:
        """Have keywords and vectors made that nobody waits for."""
        library.models.embed_in_background()

    def _log(self, note: str) -> None:
        _LOG.warning("%s", safe(note))

    def repair(self, name: str = "", *, progress: Progress = ignore_progress) -> str:
        """An answer met damage: build every damaged index anew, whatever a watcher says of the folder."""
        own = self.name_or_default(name)
        library = self._libraries[own]
        with self._locks[own]:
            self._known.forget(own)
            notes = [library.refresh(progress=progress)]
            notes += [library.refresh(corpora=(corpus,), progress=progress) for corpus in library.damaged]
        return " ".join(dict.fromkeys(filter(None, notes)))

    def tell(self, changed: LibraryChange) -> None:
        """Tell all listeners; a watcher calls it, too."""
        for listener in tuple(self._listeners):
            listener(changed)

    def watch(
        self,
        on_result: Callable[[str, WatchResult], None] = ignore_result,
        *,
        warn: Callable[[str], None] = ignore_note,
        is_thorough: bool = False,
    ) -> None:
        """Watch every library from now on, in the background, and tell listeners what changes.

        `on_result` hears of every refresh with the library's name, in its thread; `warn` hears once of everything
        that cannot be watched, and why. `is_thorough` makes all keywords and vectors as well, which servers leave for
        later.
        """
        self._warn, self._on_result, self._is_thorough = warn, on_result, is_thorough
        for name in self._libraries:
            self._watch(name)

    def _watch(self, name: str) -> None:
        library = self._libraries[name]
        if name not in self._watching and (library.config.watch.enabled or self._is_thorough):
            hear = partial(self._heard, name)
            self._watching[name] = LibraryWatcher(
                library, hear, is_thorough=self._is_thorough, is_searched=self._is_searched
            )
            self._watching[name].start()

    def is_current(self, name: str = "") -> bool:
        """Whether a library is watched and agrees with its folder this very moment; never waits."""
        watching = self._watching.get(self.name_or_default(name))
        return watching is not None and watching.is_current()

    def problem(self, name: str = "") -> str:
        """Why a watched library may be older than its folder; nothing when it is not, or is not watched."""
        watching = self._watching.get(self.name_or_default(name))
        return watching.problem if watching is not None else ""

    def is_watched(self, name: str = "") -> bool:
        """Whether a library's watchers are at work."""
        watching = self._watching.get(self.name_or_default(name))
        return watching is not None and watching.has_refreshed

    def is_exactly_watched(self, name: str = "") -> bool:
        """Whether a library's watchers are at work and hear of every change as it happens."""
        watching = self._watching.get(self.name_or_default(name))
        return watching is not None and watching.is_exact

    def notes(self, name: str = "") -> tuple[str, ...]:
        """Sentences about what cannot be watched in a library, and why."""
        watching = self._watching.get(self.name_or_default(name))
        return watching.notes if watching is not None else ()

    def close(self) -> None:
        """Stop watching and close every index, except where a refresh does not end: it goes on in its thread."""
        self._others.close()
        busy = {name for name, watching in self._watching.items() if not watching.close()}
        with self._beginning:
            preparing = tuple(self._preparing.items())
        for name, thread in preparing:
            thread.join(PREPARED_S)
            if thread.is_alive():
                busy.add(name)
        for name, library in self._libraries.items():
            if name not in busy:
                library.close()

    def _heard(self, name: str, result: WatchResult) -> None:
        if self._is_thorough and self.has_new_settings(name):  # servers look before they answer
            threading.Thread(target=self.renew, args=(name,), name="pinakes-settings", daemon=True).start()
        for note in self.notes(name):
            if note not in self._warned:
                self._warned.add(note)
                self._warn(note)
        if result.paths:
            labels = tuple(Ref(result.corpus, path).label for path in result.paths)
            self.tell(LibraryChange(name, result.generation, labels))
        self._on_result(name, result)


def _ask(library: Library) -> None:
    # Whatever is wrong, whoever asks in earnest is told.
    with suppress(PinakesError, sqlite3.Error, OSError):
        library.search(Query("what is this about", limit=1, profile=library.config.search.profile))
