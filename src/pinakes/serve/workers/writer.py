"""The writer: the process that watches the folders of a server, refreshes its indexes, and tells the workers.

It answers three questions of the workers: how the libraries stand (`look`), what a refresh came to (`make`), and what
all processes say of themselves (`reports`). It tells them of every change and of its progress.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from msgspec import convert, to_builtins

from pinakes.errors import PinakesError
from pinakes.index.background import THROTTLE
from pinakes.processors import resident_bytes
from pinakes.records import Event
from pinakes.serve.ending import leave
from pinakes.serve.freshness import Freshness, FreshnessOptions
from pinakes.serve.http.crew import ProcessReport
from pinakes.serve.http.metrics import Metrics
from pinakes.serve.http.streams import TELL_S
from pinakes.serve.libraries import Libraries
from pinakes.serve.library_names import LibraryChange
from pinakes.serve.workers.children import Child
from pinakes.serve.workers.line import LONGEST, ProcessLine
from pinakes.serve.workers.states import LibraryState

REPORT_S = 1.0
"""How long a worker may take to say how it is."""
WRITER = "writer"


class WritingProcess:
    """The libraries of a server and the lines to its workers."""

    def __init__(self, libraries: Libraries, options: FreshnessOptions) -> None:
        self._libraries = libraries
        self._freshness = Freshness(libraries, options, on_progress=self._tell_progress)
        self._lines: set[ProcessLine] = set()
        self._told: dict[tuple[str, str], float] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, child: Child) -> None:
        """Serve the workers until the supervisor ends or says so."""
        self._loop = loop = asyncio.get_running_loop()
        ending = asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, ending.set)
        loop.add_reader(child.life, ending.set)
        server = await asyncio.start_unix_server(self._serve, sock=child.own_socket, limit=LONGEST)
        stop = self._libraries.listen(self._tell_change)
        for name in self._libraries.open_names:
            self._freshness.start(name)
        child.say_ready()
        await ending.wait()
        stop()
        server.close()
        self._freshness.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def relay(what: str, given: object) -> None:
            self._spread(what, given, but=line)

        line = ProcessLine(reader, writer, self._answer, relay)
        self._lines.add(line)
        try:
            await line.run()
        except asyncio.CancelledError:  # at the end of the loop, which would print it
            return
        finally:
            self._lines.discard(line)

    async def _answer(self, what: str, given: Any) -> Any:
        if what == "look":
            return await self._look()
        if what == "make":
            name, corpus = convert(given, tuple[str, str])
            await self._freshness.renew(self._libraries.name_or_default(name))
            return await self._freshness.make(name, corpus)
        if what == "reports":
            return to_builtins(await self._reports())
        raise PinakesError(f"The writer does not know “{what}”.")

    async def _look(self) -> Mapping[str, object]:
        THROTTLE.note_question()  # whoever looks is about to answer somebody
        for name in self._libraries.names:
            await self._freshness.renew(name)
        return {name: to_builtins(self._state(name)) for name in self._libraries.names}

    def _state(self, name: str) -> LibraryState:
        libraries = self._libraries
        return LibraryState(
            is_current=libraries.is_current(name) and not libraries.has_new_settings(name),
            is_exact=libraries.is_exactly_watched(name),
            is_watched=libraries.is_watched(name),
            is_refreshing=self._freshness.is_refreshing(name),
            compared=self._freshness.compared(name),
            problem=libraries.problem(name),
            notes=libraries.notes(name),
            background=libraries.get(name).models.background_work(),
        )

    async def _reports(self) -> tuple[ProcessReport, ...]:
        own = ProcessReport(resident_bytes(), metrics=Metrics(WRITER).text({}))
        asked = [asyncio.wait_for(line.ask("report"), REPORT_S) for line in self._lines]
        found = await asyncio.gather(*asked, return_exceptions=True)
        return own, *(convert(one, ProcessReport) for one in found if not isinstance(one, BaseException))

    def _tell_change(self, changed: LibraryChange) -> None:
        self._tell_soon("changed", to_builtins(changed))

    def _tell_progress(self, library: str, event: Event) -> None:
        now, part = time.monotonic(), (library, event.phase.value)
        if event.done == event.total or now - self._told.get(part, 0.0) >= TELL_S:
            self._told[part] = now
            self._tell_soon("progress", [library, to_builtins(event)])

    def _tell_soon(self, what: str, given: object) -> None:
        """From any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._spread, what, given)

    def _spread(self, what: str, given: object, but: ProcessLine | None = None) -> None:
        for line in self._lines - {but}:
            with suppress(ConnectionError):
                line.tell(what, given)


def run_writer(child: Child, libraries: Libraries, options: FreshnessOptions) -> None:
    """Be the writer until the end of the process."""
    asyncio.run(WritingProcess(libraries, options).run(child))
    if child.is_orphan:  # it was killed, and could not tidy up
        shutil.rmtree(os.path.dirname(child.paths[0]), ignore_errors=True)
    leave(libraries.close)
