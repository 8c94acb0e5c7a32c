"""A worker: it takes connections from the supervisor and answers them from indexes that the writer keeps current."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from msgspec import convert, to_builtins
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from pinakes.errors import PinakesError
from pinakes.records import Event
from pinakes.serve.ending import leave
from pinakes.serve.freshness import Freshness, FreshnessOptions
from pinakes.serve.http import ServeOptions, create_app
from pinakes.serve.http.crew import Crew, ProcessReport
from pinakes.serve.http.guard import Guard
from pinakes.serve.http.server import HttpServer
from pinakes.serve.libraries import Libraries
from pinakes.serve.library_names import LibraryChange
from pinakes.serve.pool import Pool
from pinakes.serve.workers.board import WorkerShares
from pinakes.serve.workers.children import Child
from pinakes.serve.workers.followed import FollowedLibraries, FollowingFreshness, WriterLine
from pinakes.serve.workers.sessions import SessionRouter
from pinakes.serve.workers.settings import ServerSettings


class _WorkerCrew(Crew):
    """The other processes, as a worker reaches them: by its line to the writer, and by their sockets."""

    def __init__(self, child: Child) -> None:
        self.name = child.name
        self.shares = WorkerShares(child.board, child.number)
        self._child = child
        self.line = WriterLine(child.paths[-1], self._answer, self._hear)
        self._report: Callable[[], Awaitable[ProcessReport]] | None = None
        self._count_wrong: Callable[[str], object] = str
        self._freshness: FollowingFreshness | None = None
        self._libraries: Libraries | None = None

    def freshness(
        self,
        libraries: Libraries,
        options: FreshnessOptions,
        pool: Pool,
        on_progress: Callable[[str, Event], None],
    ) -> Freshness:
        self._libraries = libraries
        if not isinstance(libraries, FollowedLibraries):  # there is nothing that the writer could refresh
            return Freshness(libraries, options, pool, on_progress)
        self._freshness = FollowingFreshness(libraries, options, pool, on_progress)
        return self._freshness

    def with_sessions(self, app: ASGIApp) -> ASGIApp:
        return SessionRouter(app, self._child.number, self._child.paths[:-1])

    def join(self, report: Callable[[], Awaitable[ProcessReport]], count_wrong: Callable[[str], object]) -> None:
        self._report, self._count_wrong = report, count_wrong

    def tell_wrong_token(self, peer: str) -> None:
        self.line.tell("wrong token", peer)

    async def reports(self, own: ProcessReport) -> Sequence[ProcessReport]:
        return await self.line.reports() or (own,)

    async def _answer(self, what: str, given: Any) -> Any:
        if what == "report" and self._report is not None:
            return to_builtins(await self._report())
        raise PinakesError(f"A worker does not know “{what}”.")

    def _hear(self, what: str, given: Any) -> None:
        if what == "changed" and self._libraries is not None:
            self._libraries.tell(convert(given, LibraryChange))
        elif what == "progress" and self._freshness is not None:
            self._freshness.hear_progress(*convert(given, tuple[str, Event]))
        elif what == "wrong token":
            self._count_wrong(str(given))


class _WorkerServer(HttpServer):
    """uvicorn, fed by the supervisor instead of a port."""

    def __init__(self, app: Guard, options: ServeOptions, child: Child, line: WriterLine) -> None:
        super().__init__(app, options.limits, child.say_ready, WorkerShares(child.board, child.number))
        self._guard = app
        self._child = child
        self._writer_line = line
        self._tasks: set[asyncio.Future[Any]] = set()
        self.slots.on_change = self._count

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        loop.add_reader(self._child.life, self._end)
        self._keep(self._writer_line.run())
        await loop.create_unix_server(self._private_protocol, sock=self._child.own_socket)
        await super().startup([])
        self._child.handed.settimeout(0)
        loop.add_reader(self._child.handed, self._take)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._child.handed)
        loop.remove_reader(self._child.life)
        await super().shutdown([])
        for task in self._tasks:
            task.cancel()

    def _end(self) -> None:
        """The supervisor has ended, whatever became of it."""
        asyncio.get_running_loop().remove_reader(self._child.life)
        self.should_exit = True

    def _take(self) -> None:
        """Take one connection; the loop calls again while there are more."""
        try:
            _, descriptors, _, _ = socket.recv_fds(self._child.handed, 1, 1)
        except (BlockingIOError, InterruptedError):
            return
        for descriptor in descriptors:
            connection = socket.socket(fileno=descriptor)
            with suppress(OSError):  # it may have ended already
                connection.settimeout(0)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._keep(asyncio.get_running_loop().connect_accepted_socket(self.protocol, connection))
        self._child.board.take(self._child.number, len(descriptors))

    def _count(self, connections: int, waiting: int) -> None:
        self._child.board.set_connections(self._child.number, connections, waiting)

    def _private_protocol(self) -> H11Protocol:
        """For what other workers hand on: it was checked there."""
        protocol = H11Protocol(self.config, self.server_state, self.lifespan.state)
        protocol.app = self._guard.handed_on
        return protocol

    def _keep(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception) and not isinstance(error, OSError):
            raise error


def run_worker(settings: ServerSettings, child: Child) -> None:
    """Be a worker until the end of the process."""
    crew = _WorkerCrew(child)
    libraries = settings.served() or FollowedLibraries(settings.roots, settings.arguments)
    if isinstance(libraries, FollowedLibraries):
        libraries.line = crew.line
    libraries.hear_others()
    app = create_app(libraries, settings.options, crew=crew)
    _WorkerServer(app, settings.options, child, crew.line).run(sockets=[])
    leave(libraries.close)
