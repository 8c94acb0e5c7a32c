"""Is an index fresh enough to answer? Decided here for every door that stays open: HTTP, MCP, the page and editors.

    watched, and nothing waits            answer
    compared less than `fresh_s` ago      answer
    compared less than `stale_s` ago      compare in a thread, wait `hurry_s` for it, then answer
    a change waits, or longer ago         compare in a thread, wait `patience_s` for it, then answer
    removed or rebuilt by somebody        compare in a thread, wait `patience_s` for it, then answer
    never compared, no index              compare in a thread, wait until there is something to answer from or as long
                                          as the door does, else `StillIndexing`

Commits, memories and added documents are refreshed when a question names them. Questions that come while an index is
refreshed wait for the same refresh, unless it has gone on for long. A command refreshes by itself (`cli.frame`).
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct

from pinakes.errors import NotFound, StoreDamaged
from pinakes.index.background import Cancelled
from pinakes.ports import Progress
from pinakes.records import DOCS, HISTORY, CorpusName, Event
from pinakes.serve.libraries import Libraries
from pinakes.serve.pool import Lane, Overloaded, Pool
from pinakes.serve.requests.corpora import other_corpora

T = TypeVar("T")
Tell = Callable[[Event], Awaitable[None]]
"""Tells a caller of progress."""
HasIndex = Callable[[], Awaitable[bool]]
"""Whether there is something to answer from."""

DOCUMENTS: CorpusName = ""
"""All documents of a library, those of further roots and those that were added included."""
_DAMAGED: CorpusName = "damaged"
"""All documents of a library, when an answer met damage in their index; no corpus is called so."""
_LATE = "The folder is still being compared with the index; this answer may be from before the last changes."


class FreshnessOptions(Struct, frozen=True):
    """How old an answer may be, and how long it may wait to be younger."""

    fresh_s: float = 2.0
    """How long a comparison is good for: many questions in a row compare once."""
    stale_s: float = 10.0
    """After a pause as long as this, an answer waits with more patience."""
    hurry_s: float = 0.2
    """Enough to compare ten thousand files on a quiet machine."""
    patience_s: float = 2.0
    """What is waited for a change that was just saved, after a pause, and for other corpora."""
    told_s: float = 20.0
    """How long a caller who is told of progress waits for a whole index when a part of it could answer."""
    look_s: float = 0.25
    """How often one looks whether a first index has something to answer from."""
    tell_s: float = 0.1
    """How often a caller who waits is told of progress."""


class StillIndexing(Overloaded):
    """There is nothing to answer from yet: the first index of a corpus is being made."""

    def __init__(self, library: str, corpus: CorpusName) -> None:
        what = f"the {corpus} of {library}" if corpus else library
        problem = (
            "The commits are being read for the first time."
            if corpus == HISTORY
            else f"The index of {what} is being made."
        )
        super().__init__(problem, "/events tells how far it is.")
        self.corpus = corpus


@dataclass(slots=True)
class RunningRefresh:
    """One refresh of one corpus, under way or through."""

    future: asyncio.Future[str] = field(init=False)
    event: Event | None = None
    """How far it is."""
    began: float = field(default_factory=time.monotonic)
    waiters: int = 0
    is_kept: bool = False  # it goes on when nobody waits for it any more
    is_cancelled: bool = False


def _ignore(library: str, event: Event) -> None:
    """For doors that tell nobody of progress."""


class Freshness:
    """The open libraries of a process, refreshed before they answer. Used from one event loop."""

    def __init__(
        self,
        libraries: Libraries,
        options: FreshnessOptions | None = None,
        pool: Pool | None = None,
        on_progress: Callable[[str, Event], None] = _ignore,
    ) -> None:
        """`on_progress` hears of every refresh with the library's name, in the thread that makes it."""
        self.libraries = libraries
        self.pool = pool or Pool()
        # Documents and commits of each library may take long at once; other corpora are quick.
        self._threads = ThreadPoolExecutor(2 + 2 * len(libraries.names), "pinakes-refresh")
        self._busy: set[Future[Any]] = set()
        self._options = options or FreshnessOptions()
        self._on_progress = on_progress
        self._running: dict[tuple[str, CorpusName], RunningRefresh] = {}
        self._compared: dict[str, tuple[float, str]] = {}
        """When the documents of a library were last compared, and what was to be said of it."""

    async def refresh(
        self,
        name: str,
        corpora: Iterable[str] = (),
        addresses: Iterable[str] = (),
        *,
        first_s: float = math.inf,
        tell: Tell | None = None,
    ) -> str:
        """Bring the documents of a library up to date, and the other corpora that are named or that addresses lie in.

        Returns a sentence when the answer may be older than its source. Raises `StillIndexing` when there is no index
        after `first_s`, and what went wrong with a refresh that was waited for. A caller with `tell` hears of progress,
        and waits as long for the first comparison since the start and for the first index of another corpus.
        """
        own = self.libraries.name_or_default(name)
        await self.renew(own)
        library = self.libraries.get(own)
        notes = [self.libraries.settings_note(own)]
        for corpus in (DOCUMENTS, *other_corpora(library, corpora, addresses)):
            patience_s = self._options.patience_s if corpus else self._patience_s(own)
            if not patience_s:
                is_current = self.libraries.is_current(own)  # by its watcher, whatever was said before
                notes.append(self.libraries.problem(own) if is_current else self._compared.get(own, (0.0, ""))[1])
                continue
            while (running := self._begin(own, corpus)).is_cancelled:
                await asyncio.wait({running.future})
            is_long = time.monotonic() - running.began > self._options.stale_s  # what is there answers
            await self._wait(running, 0.0 if is_long else patience_s, tell)
            if not running.future.done() and await self._is_first(own, corpus, is_told=tell is not None):
                has_index = partial(self._has_index, own, corpus)
                await self._wait(running, 0.0 if corpus and tell is None else first_s, tell, has_index)
                if not (running.future.done() or await has_index()):
                    raise StillIndexing(own, corpus)
            notes.append(running.future.result() if running.future.done() else _LATE)
        notes.append(await self.pool.run(library.news))  # it reads files
        return " ".join(filter(None, notes))

    async def look(self) -> None:
        """Know how the libraries stand now. Where they are refreshed by this process, that is always so."""

    async def renew(self, own: str) -> None:
        """Take up the changed settings of a library, if there is time for it now; else at a later question."""
        renew = partial(self.libraries.renew, own, wait_s=0.0)
        if self.libraries.has_new_settings(own) and await self.pool.run(renew):
            self._compared.pop(own, None)

    async def _is_first(self, own: str, corpus: CorpusName, *, is_told: bool) -> bool:
        """Whether there is nothing to answer from; for a caller who is told of progress, nor anything compared yet."""
        if is_told and not corpus and own not in self._compared:
            return True
        return not await self._has_index(own, corpus)

    async def _has_index(self, own: str, corpus: CorpusName) -> bool:
        """Whether there is anything to answer from: an index that is being built has, after its first batch."""
        home = self.libraries.get(own).corpus(corpus or DOCS)
        return bool(await self.pool.run(lambda: home.generation and home.store.counts(home.name).documents))

    def _patience_s(self, own: str) -> float:
        """How long an answer from the documents waits for a comparison; 0 when it needs none."""
        if self.libraries.get(own).is_replaced:
            return self._options.patience_s
        if self.libraries.is_current(own):
            return 0.0
        if self.libraries.is_exactly_watched(own):  # what a watcher heard of is little, and may have just been saved
            return self._options.patience_s
        age = time.monotonic() - self._compared.get(own, (-math.inf, ""))[0]
        if age < self._options.fresh_s:
            return 0.0
        return self._options.hurry_s if age < self._options.stale_s else self._options.patience_s

    def start(self, name: str) -> None:
        """Begin to refresh the documents of a library unless they are fresh."""
        own = self.libraries.name_or_default(name)
        if self._patience_s(own):
            self._keep(own)

    def begin(self, name: str) -> None:
        """Begin to refresh the documents of a library, also where they seem fresh."""
        self._keep(self.libraries.name_or_default(name))

    async def make(self, name: str, corpus: CorpusName = DOCUMENTS) -> str:
        """Bring a corpus of a library up to date and wait for it, however long it takes; the documents, if none is
        named. Raises what went wrong, and returns a sentence when the index may still be older than its source."""
        running = self._keep(self.libraries.name_or_default(name), corpus)
        await asyncio.wait({running.future})
        return running.future.result()

    async def run_long(self, call: Callable[[], T]) -> T:
        """What `call` returns, made in a thread for work that nobody waits for at a door."""
        try:
            future = self._threads.submit(call)
        except RuntimeError:
            raise Overloaded("The server is ending.", "Come back when it runs again.") from None
        self._busy.add(future)
        future.add_done_callback(self._busy.discard)
        return await asyncio.wrap_future(future)

    def outdate(self, name: str) -> None:
        """Forget when a library was last compared, because somebody says that its folder has changed since."""
        self._compared.pop(self.libraries.name_or_default(name), None)

    async def answer(
        self,
        name: str,
        call: Callable[[], T],
        lane: Lane = Lane.QUICK,
        *,
        deadline_s: float | None = None,
        notes: list[str] | None = None,
        is_repeatable: bool = True,
    ) -> T:
        """What `call` returns, made in a thread. Where it meets an index that is damaged, or was removed just now, that
        is built anew and `call` is made once more; what is to be said of it is added to `notes` before. A call that
        writes is not repeatable: the index is built anew all the same, and what `call` did the first time stands."""
        own = self.libraries.name_or_default(name)
        library = self.libraries.get(own)
        try:
            found = await self.pool.run(call, lane, deadline_s=deadline_s)
        except (NotFound, StoreDamaged) as error:
            is_damaged = isinstance(error, StoreDamaged)
            if not (is_damaged or library.is_replaced):
                raise
            running = self._keep(own, _DAMAGED if is_damaged else DOCUMENTS)
            if not is_repeatable:
                raise
        else:
            if not library.damaged:
                return found
            if not is_repeatable:
                with suppress(Overloaded):  # a server that is ending leaves the damage to the next one
                    self._keep(own, _DAMAGED)
                return found
            running = self._keep(own, _DAMAGED)
        await self._wait(running, self._options.told_s if deadline_s is None else deadline_s, None)
        if running.future.done() and notes is not None:
            notes += filter(None, (running.future.result(), await self.pool.run(library.news)))
        return await self.pool.run(call, lane, deadline_s=deadline_s)

    @property
    def is_idle(self) -> bool:
        """Whether no thread answers or refreshes, not even for a caller who has gone."""
        return self.pool.is_idle and not self._busy

    def close(self) -> None:
        """Start nothing more; what runs goes on in its thread."""
        self.pool.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def is_refreshing(self, name: str) -> bool:
        return (name, DOCUMENTS) in self._running

    def has_refreshed(self, name: str) -> bool:
        """Whether the documents of a library have been compared with their folder since the start."""
        own = self.libraries.name_or_default(name)
        return own in self._compared or self.libraries.is_watched(own)

    def compared(self, name: str) -> tuple[float, str] | None:
        """When the documents of a library were last compared, on the system's clock, and what was to be said of it."""
        return self._compared.get(name)

    def progress(self, name: str) -> Event | None:
        """How far the refresh under way is; None when there is none."""
        running = self._running.get((name, DOCUMENTS))
        return running.event if running is not None else None

    def _begin(self, own: str, corpus: CorpusName = DOCUMENTS) -> RunningRefresh:
        """The refresh of a corpus that is under way, or a new one."""
        if (own, corpus) not in self._running:
            running = RunningRefresh()

            def progress(event: Event) -> None:
                if running.is_cancelled:
                    raise Cancelled
                running.event = event
                self._on_progress(own, event)

            running.future = self._submit(own, corpus, progress)
            running.future.add_done_callback(partial(self._end, own, corpus))
            self._running[own, corpus] = running
        return self._running[own, corpus]

    def _submit(self, own: str, corpus: CorpusName, progress: Progress) -> asyncio.Future[str]:
        """Have a thread refresh a corpus."""
        work = self.libraries.repair if corpus == _DAMAGED else partial(self.libraries.refresh, corpus=corpus)
        try:
            future = self._threads.submit(work, own, progress=progress)
        except RuntimeError:
            raise Overloaded("The server is ending.", "Come back when it runs again.") from None
        self._busy.add(future)
        future.add_done_callback(self._busy.discard)
        return asyncio.wrap_future(future)

    def _keep(self, own: str, corpus: CorpusName = DOCUMENTS) -> RunningRefresh:
        """As `_begin`; the refresh goes on when nobody waits for it."""
        running = self._begin(own, corpus)
        running.is_kept = True
        return running

    def _end(self, own: str, corpus: CorpusName, future: asyncio.Future[str]) -> None:
        del self._running[own, corpus]
        # A refresh that failed with nobody waiting fails again for whoever asks next.
        if not future.cancelled() and future.exception() is None and not corpus:
            self._compared[own] = time.monotonic(), future.result()
            with suppress(RuntimeError):  # the server is ending
                self._threads.submit(self.libraries.prepare, own)

    async def _wait(
        self, running: RunningRefresh, seconds: float, tell: Tell | None, has_index: HasIndex | None = None
    ) -> None:
        """Until a refresh is through, for so long, or until there is something to answer from, which a caller who is
        told of progress does not content himself with at once. A caller who goes and was the last one takes the
        refresh along."""
        began = time.monotonic()
        running.waiters += 1
        try:
            while not running.future.done() and (left := began + seconds - time.monotonic()) > 0:
                pause = min(left, self._options.tell_s if tell else left, self._options.look_s if has_index else left)
                await asyncio.wait({running.future}, timeout=None if math.isinf(pause) else pause)
                if tell is not None and running.event is not None:
                    await tell(running.event)
                is_late = tell is None or time.monotonic() - began >= self._options.told_s
                if has_index is not None and is_late and await has_index():
                    return
        except asyncio.CancelledError:
            running.is_cancelled = running.waiters == 1 and not running.is_kept
            raise
        finally:
            running.waiters -= 1
