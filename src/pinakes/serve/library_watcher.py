"""The watchers of one library: each corpus has one, and is refreshed when its watcher hears of a change.

Changed paths enter from the watchers, a `WatchResult` for each refresh leaves to a callback. A question need not wait
until the folder is quiet: `refresh` takes in at once what the watchers have heard of.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from msgspec import Struct

from pinakes.errors import NotFound, PinakesError, StoreReadOnly
from pinakes.index import ignore_progress
from pinakes.index.background import Cancelled
from pinakes.library import Library
from pinakes.library.corpus import Corpus
from pinakes.ports import Progress
from pinakes.records import HISTORY, MEMORIES, CorpusName, Event, Report
from pinakes.serve.watch_socket import WatchSocket
from pinakes.sources import FolderSource
from pinakes.sources.watch.notices import EVERYTHING, NOTHING, ChangedPaths
from pinakes.sources.watch.scope import FolderScope, RefScope
from pinakes.sources.watch.watcher import Watcher

REFS_QUIET_S = 5.0
"""A rebase moves branches many times."""
LATER_S = 5.0
"""When a refresh that failed is tried again."""
END_S = 1.0
"""How long watchers may take to end."""
START_S = 1.0
"""How long a library that has an index is left alone at first: a client is waiting for its first answer."""
WAIT_S = 10.0
"""How long somebody else may write before a refresh is put off."""


class WatchResult(Struct, frozen=True):
    """What a refresh of a watched corpus came to."""

    corpus: CorpusName
    generation: int
    report: Report
    paths: tuple[str, ...]
    """Documents that changed since the last refresh, whichever process took them in."""
    problem: str = ""
    """Why the refresh failed; it will be tried again."""


@dataclass(slots=True)
class _CorpusWatcher:
    """A corpus, its watcher, and what is known of it."""

    corpus: Corpus
    watcher: Watcher
    lock: threading.Lock = field(default_factory=threading.Lock)
    generation: int = -1
    """After the last refresh; another one means that somebody else has written."""
    digests: dict[str, str] = field(default_factory=dict)
    problem: str = ""
    """Why the last refresh failed."""


class LibraryWatcher:
    """The watchers of one library. Nothing happens before `start`."""

    def __init__(
        self,
        library: Library,
        on_result: Callable[[WatchResult], None],
        *,
        is_thorough: bool = False,
        is_searched: bool = True,
    ) -> None:
        """`is_thorough` also makes all keywords and vectors after each refresh, in the watchers' threads; where nothing
        is searched, no vectors are made in the background."""
        self._is_searched = is_searched
        self._library = library
        self._on_result = on_result
        self._is_thorough = is_thorough
        self._may_start = threading.Event()
        self._ending = threading.Event()
        self._starting = threading.Thread(target=self._start, name="pinakes-watching", daemon=True)
        self._watched = {one.corpus.name: one for one in self._all()}
        self._socket = WatchSocket(library, self._becomes_current)

    def start(self) -> None:
        """Begin to watch, in the background: a moment from now, or once there is an index."""
        self._starting.start()

    def allow_start(self) -> None:
        """Somebody has refreshed the library, so there is no reason to hold back."""
        self._may_start.set()

    def close(self) -> bool:
        """Stop watching, a refresh at its next step; returns whether all has ended, after a second at most."""
        self._ending.set()
        self._may_start.set()
        until = time.monotonic() + END_S
        if self._starting.is_alive():
            self._starting.join(END_S)
        self._socket.close()
        for one in self._watched.values():
            one.watcher.end()
        return all([one.watcher.has_ended(until - time.monotonic()) for one in self._watched.values()])

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what is not watched and why."""
        return tuple(dict.fromkeys(one.watcher.note for one in self._watched.values() if one.watcher.note))

    @property
    def has_refreshed(self) -> bool:
        """Whether the watchers have compared all documents once; before that, somebody else has to."""
        return all(one.generation >= 0 for one in self._documents())

    @property
    def is_exact(self) -> bool:
        """Whether they have, and hear of every change since as it happens."""
        return self.has_refreshed and all(one.watcher.is_exact for one in self._documents())

    def is_current(self) -> bool:
        """Whether all that happened to documents is in the index. Never waits."""
        if not self.is_exact:
            return False
        # In this order: what is taken is taken under the lock.
        return not any(
            one.watcher.is_waiting() or one.lock.locked() or one.corpus.is_replaced for one in self._documents()
        )

    def _becomes_current(self) -> bool:
        """Whether that is so once what waits is taken in: what commands are told."""
        if self.is_exact and not self.is_current():
            self.refresh(self._check_cancelled)
        return self.is_current() and not self.problem

    def refresh(self, progress: Progress = ignore_progress) -> str:
        """Take in what the watchers have heard of; returns a sentence when answers may be older than the folder."""
        for one in self._documents():
            if not one.watcher.is_exact or one.corpus.is_replaced:
                one.watcher.again(EVERYTHING)
            self._refresh(one, 0.0, progress)
        return self.problem

    def hear(self, corpus: CorpusName) -> None:
        """Another process has written to the index of a corpus: tell what became of it."""
        one = self._watched.get(corpus)
        if one is None:
            return
        with one.lock:
            generation = one.corpus.generation
            if one.generation in (-1, generation):
                return
            paths = _compared(one, Report())
            one.generation = generation
        if paths:
            self._on_result(WatchResult(corpus, generation, Report(), paths, one.problem))

    @property
    def problem(self) -> str:
        """A sentence while the last refresh of some documents failed; it is tried again."""
        return " ".join(dict.fromkeys(one.problem for one in self._documents() if one.problem))

    def _documents(self) -> Iterable[_CorpusWatcher]:
        return tuple(one for corpus, one in self._watched.items() if corpus not in (HISTORY, MEMORIES))

    def _all(self) -> Iterable[_CorpusWatcher]:
        library = self._library
        options = library.config.watch
        for name in library.corpora:
            corpus = library.corpus(name)
            source = corpus.source
            if isinstance(source, FolderSource):
                scope = FolderScope(source.root, source.options, excluded_folders=(library.config.store,))
                watcher = Watcher(scope, options, self._due(name))
            else:
                refs = RefScope(lambda: _repositories(library))
                watcher = Watcher(refs, options, self._due(name), quiet_s=REFS_QUIET_S)
            yield _CorpusWatcher(corpus, watcher)

    def _start(self) -> None:
        self._may_start.wait(START_S if self._library.is_indexed else None)
        for one in self._watched.values():
            if not self._ending.is_set():
                one.watcher.start()
        if not self._ending.is_set():
            self._socket.start()

    def _due(self, corpus: CorpusName) -> Callable[[], None]:
        def due() -> None:
            one = self._watched[corpus]
            with suppress(Cancelled, PinakesError):  # what is missing now is made after the next refresh
                is_first = one.generation < 0
                result = self._refresh(one, WAIT_S, self._check_cancelled)
                if result is not None and result.problem:
                    return
                if self._is_thorough:
                    one.corpus.complete(progress=partial(self._check_news, one))
                if self._is_searched and result is not None and (result.paths or is_first):
                    one.corpus.embed_in_background()

        return due

    def _check_cancelled(self, event: Event) -> None:
        if self._ending.is_set():
            raise Cancelled

    def _check_news(self, one: _CorpusWatcher, event: Event) -> None:
        """What was just saved comes first; the rest of the keywords and vectors is made after it."""
        if self._ending.is_set() or one.watcher.is_waiting():
            raise Cancelled

    def _refresh(self, one: _CorpusWatcher, wait_s: float, progress: Progress) -> WatchResult | None:
        """Refresh a corpus where its watcher has heard of changes; None when it has heard of none."""
        with one.lock:
            paths_heard = one.watcher.take()
            if paths_heard == NOTHING:
                return None
            corpus = one.corpus
            report, one.problem = Report(), ""
            began: int | None = None
            is_unfinished = True
            try:
                has_failed = False
                try:
                    if corpus.source.exists or corpus.is_indexed:
                        done = corpus.refresh(paths_heard, wait_s=wait_s, progress=progress)
                        if done.report is None:
                            assert done.trouble is not None
                            raise done.trouble
                        report, began = done.report, done.report.base_generation
                    elif isinstance(corpus.source, FolderSource) and not corpus.source.is_optional:
                        one.problem = f"The folder {corpus.source.root} is not there."
                except (PinakesError, OSError) as trouble:
                    one.problem = _problem(corpus, trouble)
                    has_failed = not isinstance(trouble, StoreReadOnly | NotFound)  # whose coming back is told
                paths: tuple[str, ...] = ()
                if corpus.is_indexed or not one.problem:
                    paths = _reported(one, report) if began == one.generation else _compared(one, report)
                    one.generation = corpus.generation
                is_unfinished = has_failed
            finally:
                if is_unfinished:  # whatever went wrong, it is not forgotten
                    one.watcher.again(paths_heard, LATER_S)
            result = WatchResult(corpus.name, one.generation, report, paths, one.problem)
        self._on_result(result)
        self._renew_repositories(one, paths_heard)
        return result

    def _renew_repositories(self, one: _CorpusWatcher, paths_heard: ChangedPaths) -> None:
        """A repository that comes or goes is one more, or one less, whose branches are watched."""
        history = self._watched.get(HISTORY)
        if history is not None and one is not history and paths_heard and any(_is_git(path) for path in paths_heard):
            history.watcher.renew()


def _problem(corpus: Corpus, trouble: PinakesError | OSError) -> str:
    if isinstance(trouble, PinakesError):
        return str(trouble)
    return f"{corpus.folder}: {trouble.strerror or trouble}."


def _reported(one: _CorpusWatcher, report: Report) -> tuple[str, ...]:
    """What a report says, noted."""
    gone = {ref.path for ref in (*report.dropped, *(origin for origin, _ in report.moved))}
    here = {ref.path for ref in (*report.put, *(target for _, target in report.moved))}
    for path in gone:
        one.digests.pop(path, None)
    one.digests |= one.corpus.digests(here)
    return tuple(sorted(gone | here))


def _compared(one: _CorpusWatcher, report: Report) -> tuple[str, ...]:
    """What differs from the last refresh, whoever changed it; the first time, what the report says."""
    if one.generation < 0:
        paths = _reported(one, report)
        one.digests = one.corpus.digests()
        return paths
    before, one.digests = one.digests, one.corpus.digests()
    return tuple(sorted({path for path, _ in before.items() ^ one.digests.items()}))


def _is_git(path: str) -> bool:
    return path == ".git" or path.endswith("/.git")


def _repositories(library: Library) -> list[Path]:
    from pinakes.sources.git.repositories import find

    roots = [library.corpus(corpus).source for corpus in library.corpora]
    folders = [str(one.root.resolve()) for one in roots if isinstance(one, FolderSource) and not one.is_optional]
    return [Path(repository.folder) for repository, _ in find(folders).repositories]
