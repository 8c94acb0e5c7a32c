"""One library that is watched: each corpus by a watcher of its own, and looked at again when that says so.

Paths to look at enter from the watchers, what came of looking leaves to whoever wants to be told. A question need not
wait for the quiet period: `refresh` looks at once at what is waiting.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pinakes.errors import NotFound, PinakesError, StoreReadOnly
from pinakes.index import ignore_progress
from pinakes.index.background import Cancelled
from pinakes.library import Library
from pinakes.library.corpus import Corpus
from pinakes.ports import Progress
from pinakes.records import HISTORY, MEMORIES, CorpusName, Event, Report
from pinakes.sources import FolderSource
from pinakes.sources.watch import EVERYTHING, NOTHING, ChangedPaths, FolderScope, RefScope, Watcher

REFS_QUIET_S = 5.0
"""A rebase moves branches many times."""
LATER_S = 5.0
"""When a look that came to nothing is tried again."""
END_S = 1.0
"""How long watchers may take to end."""
START_S = 1.0
"""How long a library that has an index is left alone at first: a client is waiting for its first answer."""
WAIT_S = 10.0
"""How long somebody else may write before a look is put off."""


@dataclass(frozen=True, slots=True)
class WatchResult:
    """What came of looking at a corpus again."""

    corpus: CorpusName
    generation: int
    report: Report
    paths: tuple[str, ...]
    """Documents that are no longer what they were when last looked at, whoever took them in."""
    problem: str = ""
    """Why it could not be looked at now; it will be tried again."""


@dataclass(slots=True)
class _CorpusWatcher:
    """A corpus, its watcher, and what is known of it."""

    corpus: Corpus
    watcher: Watcher
    looking: threading.Lock = field(default_factory=threading.Lock)
    generation: int = -1
    """At the last look; another one means that somebody else has written."""
    digests: dict[str, str] = field(default_factory=dict)
    problem: str = ""
    """Why the last look came to nothing."""


class LibraryWatcher:
    """The watchers of one library. Nothing happens before `start`."""

    def __init__(self, library: Library, told: Callable[[WatchResult], None], *, is_thorough: bool = False) -> None:
        """`is_thorough` also makes all keywords and vectors after each look, in the watchers' threads."""
        self._library = library
        self._on_result = told
        self._is_thorough = is_thorough
        self._is_asked = threading.Event()
        self._ending = threading.Event()
        self._starting = threading.Thread(target=self._start, name="pinakes-watching", daemon=True)
        self._watched = {one.corpus.name: one for one in self._all()}

    def start(self) -> None:
        """Begin to watch, in the background: a moment from now, or once there is an index."""
        self._starting.start()

    def asked(self) -> None:
        """Somebody has compared the library with its folder, so there is no reason to hold back."""
        self._is_asked.set()

    def close(self) -> bool:
        """Stop watching, a look under way at its next step; returns whether all has ended, after a second at most."""
        self._ending.set()
        self._is_asked.set()
        until = time.monotonic() + END_S
        self._starting.join(END_S)
        for one in self._watched.values():
            one.watcher.end()
        return all([one.watcher.has_ended(until - time.monotonic()) for one in self._watched.values()])

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what is not watched and why."""
        return tuple(dict.fromkeys(one.watcher.note for one in self._watched.values() if one.watcher.note))

    @property
    def has_looked(self) -> bool:
        """Whether all documents have been looked at; before that, somebody else has to compare."""
        return all(one.generation >= 0 for one in self._documents())

    @property
    def is_exact(self) -> bool:
        """Whether all documents have been looked at, and every change since is heard of as it happens."""
        return self.has_looked and all(one.watcher.is_exact for one in self._documents())

    def is_current(self) -> bool:
        """Whether all that happened to documents is in the index. Never waits."""
        if not self.is_exact:
            return False
        # In this order: what is taken is taken under the lock.
        return not any(one.watcher.is_waiting() or one.looking.locked() for one in self._documents())

    def refresh(self, progress: Progress = ignore_progress) -> str:
        """Look at once at what is waiting; returns a sentence when answers may be older than the folder."""
        for one in self._documents():
            if not one.watcher.is_exact:
                one.watcher.again(EVERYTHING)
            self._look(one, 0.0, progress)
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
        self._is_asked.wait(START_S if self._library.is_indexed else None)
        for one in self._watched.values():
            if not self._ending.is_set():
                one.watcher.start()

    def _due(self, corpus: CorpusName) -> Callable[[], None]:
        def due() -> None:
            one = self._watched[corpus]
            with suppress(Cancelled, PinakesError):  # what is missing now is made after the next look
                is_first = one.generation < 0
                looked = self._look(one, WAIT_S, self._check_cancelled)
                if looked is not None and looked.problem:
                    return
                if self._is_thorough:
                    one.corpus.complete(progress=partial(self._check_news, one))
                if looked is not None and (looked.paths or is_first):
                    one.corpus.embed_in_background()

        return due

    def _check_cancelled(self, event: Event) -> None:
        if self._ending.is_set():
            raise Cancelled

    def _check_news(self, one: _CorpusWatcher, event: Event) -> None:
        """What was just saved comes first; the rest of the keywords and vectors is made after it."""
        if self._ending.is_set() or one.watcher.is_waiting():
            raise Cancelled

    def _look(self, one: _CorpusWatcher, wait_s: float, progress: Progress) -> WatchResult | None:
        """Look at what waits for it; None when nothing does."""
        with one.looking:
            told = one.watcher.take()
            if told == NOTHING:
                return None
            corpus = one.corpus
            report, one.problem = Report(), ""
            began: int | None = None
            is_unfinished = True
            try:
                has_failed = False
                try:
                    if not corpus.is_indexed:
                        corpus.close()  # what is open is not there any more
                    if corpus.source.exists or corpus.is_indexed:
                        done = corpus.refresh(told, wait_s=wait_s, progress=progress)
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
                    one.watcher.again(told, LATER_S)
            looked = WatchResult(corpus.name, one.generation, report, paths, one.problem)
        self._on_result(looked)
        self._renew_repositories(one, told)
        return looked

    def _renew_repositories(self, one: _CorpusWatcher, told: ChangedPaths) -> None:
        """A repository that comes or goes is one more, or one less, whose branches are watched."""
        history = self._watched.get(HISTORY)
        if history is not None and one is not history and told and any(_is_git(path) for path in told):
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
    """What differs from when it was last looked at, whoever changed it; the first time, what the report says."""
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
