"""The process that `pinakes serve` starts when there are several: it binds the port, forks the others, and hands each
connection to the worker that has the fewest. It opens no index and has no threads, so that it can fork at any time.

A process that dies is started again: at once the first time, later when it keeps dying. Its sockets outlive it, so
nobody is refused meanwhile. When the supervisor ends, however it ends, the others do.
"""

from __future__ import annotations

import gc
import os
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from pinakes.errors import PinakesError
from pinakes.render import safe
from pinakes.serve.workers.board import Board
from pinakes.serve.workers.children import Child
from pinakes.serve.workers.writer import WRITER

END_S = 1.85
"""How long the others may take to end; a server ends within two seconds."""
WELL_S = 10.0
"""Who lived so long began well: after a death it is started again at once."""
LONGEST_WAIT_S = 10.0
FIRST_TRIES = 3
"""How often a process may die before the server has ever answered."""
FULL_S = 0.02
"""How long nobody is let in when no worker can take a connection."""
_WAITING = 1024
_PREFIX = "pinakes-serve-"
_LONGEST_FOLDER = 92
"""The path of a socket may have a hundred letters or so."""
_REFUSED = 2
"""The exit code of a process whose trouble was told in a sentence; starting it again would not help."""

Main = Callable[[Child], object]
"""What a process does until its end."""


@dataclass(slots=True)
class _Place:
    """A process that is there, or is about to be again."""

    child: Child
    main: Main
    handing: socket.socket
    """Our end of `child.handed`."""
    pid: int = 0
    """0 while there is none."""
    is_ready: bool = False
    started: float = 0.0
    deaths: int = 0
    """In a row."""
    due: float = 0.0
    """When it is started again."""
    handed: int = 0
    """Connections handed to it."""


@dataclass(slots=True)
class Supervisor:
    """Runs until it is told to end."""

    listening: socket.socket
    workers: int
    worker: Main
    writer: Main
    say_serving: Callable[[], None]
    """Called once, when the first worker answers."""
    most_connections: int
    """Of one worker."""
    _places: list[_Place] = field(default_factory=list)
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _is_listening: bool = False
    _has_said: bool = False
    _is_ending: bool = False
    _full_until: float = 0.0
    _code: int = 0
    _pipes: tuple[int, ...] = ()

    def run(self) -> int:
        """Serve until SIGTERM or SIGINT; returns the exit code."""
        folder = _own_folder()
        try:
            self._prepare(Path(folder))
            gc.collect()
            gc.freeze()  # what is here now is shared with every process, as long as nobody touches it
            while not self._is_ending:
                self._start_due()
                self._wait()
            self._end()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return self._code

    def _prepare(self, folder: Path) -> None:
        life, ready, woken = os.pipe(), os.pipe(), os.pipe()
        self._pipes = (*life, *ready, *woken)
        for descriptor in self._pipes:
            os.set_blocking(descriptor, False)
        names = [*(str(number) for number in range(self.workers)), WRITER]
        paths = tuple(str(folder / f"{name}.sock") for name in names)
        board = Board(self.workers)
        for number, name in enumerate(names):
            own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            own.bind(paths[number])
            own.listen(_WAITING)
            ours, theirs = socket.socketpair()
            ours.settimeout(0)
            child = Child(number, name, own, paths, board, life[0], ready[1], theirs)
            self._places.append(_Place(child, self.writer if name == WRITER else self.worker, ours))
        self.listening.settimeout(0)
        self._selector.register(ready[0], selectors.EVENT_READ, self._hear_ready)
        self._selector.register(woken[0], selectors.EVENT_READ, self._reap)
        signal.set_wakeup_fd(woken[1], warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._begin_end())

    def _begin_end(self) -> None:
        self._is_ending = True

    def _start_due(self) -> None:
        for place in self._places:
            if not place.pid and place.due <= time.monotonic():
                self._start(place)

    def _start(self, place: _Place) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        place.started = time.monotonic()
        # Signals wait until the child has its own handlers: ours would end nothing there.
        held = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}
        signal.pthread_sigmask(signal.SIG_BLOCK, held)
        try:
            place.pid = os.fork()
            if not place.pid:
                self._become(place, held)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, held)

    def _become(self, place: _Place, held: set[signal.Signals]) -> NoReturn:
        """In the new process: let go of what is the supervisor's, and do what the place is for."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in held:
                signal.signal(number, signal.SIG_DFL)
            os.setpgid(0, 0)  # Ctrl-C is for the supervisor, who tells us in order
            self._selector.close()
            self.listening.close()
            for other in self._places:
                other.handing.close()
                if other is not place:
                    other.child.own_socket.close()
                    other.child.handed.close()
            for descriptor in {*self._pipes} - {place.child.life, place.child.ready}:
                os.close(descriptor)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, held)
            place.main(place.child)
            code = 0
        except PinakesError as error:
            _say(str(error))
            code = _REFUSED
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _wait(self) -> None:
        """Until something happens, or somebody is due to be started."""
        now = time.monotonic()
        if (
            is_open := any(place.is_ready for place in self._workers) and now >= self._full_until
        ) != self._is_listening:
            self._is_listening = is_open
            if is_open:
                self._selector.register(self.listening, selectors.EVENT_READ, self._accept)
            else:
                self._selector.unregister(self.listening)
        waits = [place.due - now for place in self._places if not place.pid]
        if now < self._full_until:
            waits.append(self._full_until - now)
        for key, _ in self._selector.select(max(min(waits), 0.0) if waits else None):
            key.data()

    @property
    def _workers(self) -> Sequence[_Place]:
        return self._places[: self.workers]

    def _hear_ready(self) -> None:
        for number in os.read(self._pipes[2], 1000):
            self._places[number].is_ready = True
        if not self._has_said and any(place.is_ready for place in self._workers):
            self._has_said = True
            self.say_serving()

    def _accept(self) -> None:
        try:
            connection, _ = self.listening.accept()
        except OSError:  # it has gone again, or there are too many descriptors
            self._full_until = time.monotonic() + FULL_S
            return
        with connection:
            for place in sorted(self._workers, key=lambda one: (self._is_busy(one), self._load(one), one.handed)):
                if not place.is_ready:
                    continue
                with suppress(OSError):  # its queue is full
                    socket.send_fds(place.handing, [b"c"], [connection.fileno()])
                    place.handed += 1
                    return
            self._full_until = time.monotonic() + FULL_S

    def _is_busy(self, place: _Place) -> bool:
        """Whether it could let nobody in: its share of the connections is taken, and none of them waits."""
        board, number = place.child.board, place.child.number
        return self._load(place) >= self.most_connections and not board.waiting(number)

    def _load(self, place: _Place) -> int:
        board, number = place.child.board, place.child.number
        return board.open(number) + place.handed - board.taken(number)

    def _reap(self) -> None:
        os.read(self._pipes[4], 1000)
        by_pid = {place.pid: place for place in self._places if place.pid}
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            if pid in by_pid:
                self._mourn(by_pid[pid], os.waitstatus_to_exitcode(status))

    def _mourn(self, place: _Place, code: int) -> None:
        """A process has ended: have it started again, unless the server ends or never began."""
        now = time.monotonic()
        place.pid, place.is_ready = 0, False
        if place.child.number < self.workers:
            place.child.board.forget(place.child.number)
        if self._is_ending:
            return
        place.deaths = 1 if now - place.started >= WELL_S else place.deaths + 1
        place.due = now + (0.0 if place.deaths == 1 else min(0.1 * 2**place.deaths, LONGEST_WAIT_S))
        is_hopeless = not self._has_said and (code == _REFUSED or place.deaths >= FIRST_TRIES)
        if is_hopeless:
            self._code = code if code > 0 else 1
            self._is_ending = True
            return
        who = f"the {WRITER}" if place.child.name == WRITER else f"worker {place.child.name}"
        how = f"by signal {-code}" if code < 0 else f"with code {code}"
        _say(f"{who} ended {how} and is started again.")

    def _end(self) -> None:
        """Have everybody end, and end those that do not."""
        self.listening.close()
        until = time.monotonic() + END_S
        for number in (signal.SIGTERM, signal.SIGKILL):
            for place in self._places:
                if place.pid:
                    with suppress(ProcessLookupError):
                        os.kill(place.pid, number)
            while any(place.pid for place in self._places) and (time.monotonic() < until or number == signal.SIGKILL):
                pid, _ = os.waitpid(-1, os.WNOHANG)
                for place in self._places:
                    if place.pid == pid:
                        place.pid = 0
                if not pid:
                    time.sleep(0.005)


def _own_folder() -> str:
    """A folder for sockets, for nobody but this user."""
    folder = tempfile.mkdtemp(prefix=_PREFIX)
    if len(folder) > _LONGEST_FOLDER:
        os.rmdir(folder)
        folder = tempfile.mkdtemp(prefix=_PREFIX, dir="/tmp")
    return folder


def _say(note: str) -> None:
    with suppress(OSError, ValueError, AttributeError):  # nobody may read it
        sys.stderr.write(f"pinakes: {safe(note)}\n")
        sys.stderr.flush()
