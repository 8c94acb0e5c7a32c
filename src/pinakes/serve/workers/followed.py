"""The libraries of a worker: it answers from indexes that the writer keeps current, and refreshes none itself.

The policy of `freshness` holds as in a single process. What it asks of a watcher here is what the writer said last,
and every question has the writer say it anew; a refresh is one that the writer makes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from msgspec import convert
from msgspec.structs import replace

from pinakes.errors import PinakesError
from pinakes.library import Library
from pinakes.ports import Progress
from pinakes.records import CorpusName, Event
from pinakes.serve.freshness import DOCUMENTS, Freshness, FreshnessOptions, RunningRefresh, Tell
from pinakes.serve.http.crew import ProcessReport
from pinakes.serve.libraries import Libraries
from pinakes.serve.pool import Pool
from pinakes.serve.workers.line import LONGEST, Hear, ProcessLine, Reply
from pinakes.serve.workers.states import LibraryState

LOOK_S = 1.0
"""How long a question waits to hear whether the index is current; then it is taken for old, and compared."""
AGAIN_S = 0.1
"""How often a writer that is not there is called."""


class WriterLine:
    """The worker's line to the writer, opened again whenever the writer was started again."""

    def __init__(self, path: str, answer: Reply, hear: Hear) -> None:
        """`path` is of the writer's socket; `answer` answers what the writer asks of this worker, and `hear` takes what
        it tells."""
        self._path = path
        self._answer = answer
        self._hear = hear
        self._line: ProcessLine | None = None
        self._is_there = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._next_look: asyncio.Task[None] | None = None
        self.states: Mapping[str, LibraryState] = {}
        """By library, as the writer said last; nothing while there is no writer."""
        self.is_heard = False
        """Whether it answered the last look in time."""

    async def run(self) -> None:
        """Keep the line open until cancelled."""
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_unix_connection(self._path, limit=LONGEST)
                self._line = line = ProcessLine(reader, writer, self._answer, self._hear)
                self._is_there.set()
                try:
                    await line.run()
                finally:
                    self._is_there.clear()
                    self._line, self.states = None, {}
                    line.close()
            await asyncio.sleep(AGAIN_S)

    async def look(self) -> None:
        """Hear how the libraries stand now. Questions that come while one look is under way share the next one."""
        if self._next_look is None:
            self._next_look = asyncio.ensure_future(self._look_after(self._looking))
        await asyncio.shield(self._next_look)

    async def make(self, name: str, corpus: CorpusName) -> str:
        """Have the writer refresh a corpus, or all documents for none, however long it takes; a writer that dies over
        it is asked once more when it is there again. Returns what `Freshness.make` does, and raises what it raises."""
        while True:
            await self._is_there.wait()
            assert self._line is not None
            with suppress(ConnectionError):
                return str(await self._line.ask("make", [name, corpus]))

    async def reports(self) -> tuple[ProcessReport, ...]:
        """What every process says of itself; none when the writer is not there."""
        if self._line is None:
            return ()
        with suppress(ConnectionError):
            return convert(await self._line.ask("reports"), tuple[ProcessReport, ...])
        return ()

    def tell(self, what: str, given: object) -> None:
        """Tell the writer; what it cannot hear now is lost."""
        if self._line is not None:
            with suppress(ConnectionError):
                self._line.tell(what, given)

    async def _look_after(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        self._looking, self._next_look = self._next_look, None
        self.is_heard = False
        if self._line is not None:
            with suppress(TimeoutError, ConnectionError, PinakesError):
                async with asyncio.timeout(LOOK_S):
                    self.states = convert(await self._line.ask("look"), dict[str, LibraryState])
                    self.is_heard = True
        if not self.is_heard:
            self.states = {name: replace(state, is_current=False) for name, state in self.states.items()}


class FollowedLibraries(Libraries):
    """Libraries that the writer watches. They are only read here, and made ready to be asked."""

    line: WriterLine
    """To the writer; there before anything is asked."""

    def is_current(self, name: str = "") -> bool:
        return self._state(name).is_current

    def is_exactly_watched(self, name: str = "") -> bool:
        return self._state(name).is_exact

    def is_watched(self, name: str = "") -> bool:
        return self._state(name).is_watched

    def problem(self, name: str = "") -> str:
        return self._state(name).problem

    def notes(self, name: str = "") -> tuple[str, ...]:
        return self._state(name).notes

    def _state(self, name: str) -> LibraryState:
        return self.line.states.get(self.name_or_default(name), LibraryState())

    def _hear_other(self, name: str, corpus: CorpusName) -> None:
        """The writer hears of it, too, and tells. That replicas have to be that far is known by now."""

    def _make_the_rest(self, library: Library) -> None:
        """The writer does."""

    def _log(self, note: str) -> None:
        """The writer does."""


class FollowingFreshness(Freshness):
    """The policy of `Freshness` over libraries that the writer refreshes."""

    def __init__(
        self,
        libraries: FollowedLibraries,
        options: FreshnessOptions,
        pool: Pool,
        on_progress: Callable[[str, Event], None],
    ) -> None:
        super().__init__(libraries, options, pool, on_progress)
        self._line = libraries.line
        self._events: dict[str, Event] = {}
        """How far the writer's refresh of a library is."""

    async def refresh(
        self,
        name: str,
        corpora: Iterable[str] = (),
        addresses: Iterable[str] = (),
        *,
        first_s: float = float("inf"),
        tell: Tell | None = None,
    ) -> str:
        await self.look()
        return await super().refresh(name, corpora, addresses, first_s=first_s, tell=tell)

    async def look(self) -> None:
        await self._line.look()
        if not self._line.is_heard:
            self._compared.clear()  # nobody knows what happened since
            return
        states = self._line.states
        for name, state in ((one, states[one]) for one in self.libraries.names if one in states):
            if state.compared and state.compared[0] > self._compared.get(name, (0.0, ""))[0]:
                self._compared[name] = state.compared
            self.libraries.get(name).models.follow_background_work(state.background)

    def is_refreshing(self, name: str) -> bool:
        state = self._line.states.get(name)
        return super().is_refreshing(name) or (state is not None and state.is_refreshing)

    def progress(self, name: str) -> Event | None:
        return self._events.get(name) if self.is_refreshing(name) else None

    def _begin(self, own: str, corpus: CorpusName = DOCUMENTS) -> RunningRefresh:
        running = super()._begin(own, corpus)
        running.is_kept = True  # the writer goes on with it, whoever still waits here
        return running

    def _submit(self, own: str, corpus: CorpusName, progress: Progress) -> asyncio.Future[str]:
        return asyncio.ensure_future(self._line.make(own, corpus))

    def hear_progress(self, name: str, event: Event) -> None:
        """The writer says how far it is with the documents of a library."""
        self._events[name] = event
        if running := self._running.get((name, DOCUMENTS)):
            running.event = event
        self._on_progress(name, event)
