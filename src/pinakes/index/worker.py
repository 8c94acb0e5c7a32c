"""A process that works for us.

It is a Python of our own that takes a `WorkerJob` and then lists of items on its standard input, and answers each list
with lists of outcomes, in order, the last of them empty. Neither `fork` (unsafe beside a server's threads) nor `spawn`
(runs the caller's main script again) is used: a worker imports this package and nothing else, not even from the folder
it is started in. Starting one costs about a tenth of a second.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

from pinakes.errors import PinakesError
from pinakes.index.reading import USUAL, ReadingOptions, ReadResult, read_entries, weight
from pinakes.other_python import FRUGAL, NEUTRAL, environment, python
from pinakes.pipes import receive, send
from pinakes.plugins import PluginGroup, plugins_of
from pinakes.ports import Source
from pinakes.processors import resident_bytes
from pinakes.records import Stamp

WorkItem = TypeVar("WorkItem")
WorkOutcome = TypeVar("WorkOutcome")
_Given = TypeVar("_Given", contravariant=True)
_Made = TypeVar("_Made")

PART_BYTES = 1_000_000
"""Source text after which a worker hands over what it has: a chunk may hold hundreds of megabytes."""

LITTLE = 80_000_000
"""Bytes that a worker may hold to be given something else to do: a new one holds 30 million."""

WAITING = 4
"""Parts of a worker's answers that may wait for us; then it waits itself, so that memory stays flat."""

_SERVE = "from pinakes.index.worker import serve; serve()"
_SERVE_TIMED = "from pinakes.index.worker import serve; serve(is_timed=True)"
LONGEST_S = 10
"""Seconds of computing that one file of source code may take."""


class WorkerJob(Protocol[_Given, _Made]):
    """What a worker does; it is sent to the process, so it is a record."""

    def begin(self) -> Callable[[Sequence[_Given]], Iterator[_Made]]:
        """Open what is needed; the function gives one outcome for each item, in the order given."""
        ...

    def size(self, outcome: _Made) -> int:
        """About how much memory it takes, in bytes of source text."""
        ...


class ReadJob(Struct, frozen=True):
    """Read documents from a source: stamps with the digests that are known enter, `ReadResult`s leave."""

    source: Source
    options: ReadingOptions = USUAL

    def begin(self) -> Callable[[Sequence[tuple[Stamp, str]]], Iterator[ReadResult]]:
        def read(items: Sequence[tuple[Stamp, str]]) -> Iterator[ReadResult]:
            digests = {stamp.ref.path: digest for stamp, digest in items}
            return read_entries(self.source, [stamp for stamp, _ in items], digests, self.options)

        return read

    def size(self, outcome: ReadResult) -> int:
        return weight(outcome)


def with_digests(stamps: Sequence[Stamp], digests: Mapping[str, str]) -> list[tuple[Stamp, str]]:
    """Stamps as a `ReadJob` takes them."""
    return [(stamp, digests.get(stamp.ref.path, "")) for stamp in stamps]


class Worker(Generic[WorkItem, WorkOutcome]):
    """A process, a thread that empties its pipe so that it need not wait for us to finish a transaction, and one that
    fills the other, so that we never wait for a worker that waits for us."""

    def __init__(self, job: WorkerJob[WorkItem, WorkOutcome], *, is_timed: bool = False) -> None:
        self._process = subprocess.Popen(
            python("-c", _SERVE_TIMED if is_timed else _SERVE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=NEUTRAL,
            env=FRUGAL | environment(),
            process_group=0,  # Ctrl-C is for us alone; a worker ends when its input does
        )
        self._is_dead = False
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._answers: queue.Queue[bytes | None] = queue.Queue(WAITING)
        self._tasks: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._threads = Thread(target=self._listen, daemon=True), Thread(target=self._talk, daemon=True)
        for thread in self._threads:
            thread.start()
        self.begin(job)

    @property
    def is_alive(self) -> bool:
        return not self._is_dead and self._process.poll() is None

    @property
    def is_small(self) -> bool:
        """Whether it holds little memory: what it has read and learned for one job is not given back for the next."""
        return resident_bytes(self._process.pid) <= LITTLE

    def begin(self, job: WorkerJob[WorkItem, WorkOutcome]) -> None:
        """What is done with the next items."""
        self._tasks.put((job, True))

    def give(self, items: Sequence[WorkItem]) -> None:
        self._tasks.put((items, False))

    def take(self, timeout_s: float | None = None) -> Iterator[list[WorkOutcome]]:
        """The next items' outcomes, part by part; it breaks off when the worker is no more, and raises `queue.Empty`
        when it says nothing for `timeout_s`."""
        while not self._is_dead:
            data = self._answers.get(timeout=timeout_s)
            self._is_dead = data is None
            part: list[WorkOutcome] = pickle.loads(data) if data else []
            if not part:  # the items are done
                return
            yield part

    def stop(self) -> int:
        """End the process; gives its exit code, which is negative for a signal."""
        self._process.kill()
        self._process.wait()
        self._tasks.put(None)
        while any(thread.is_alive() for thread in self._threads):
            with suppress(queue.Empty):
                self._answers.get(timeout=0.01)  # the listener may be waiting for room
        self._to.close()
        self._from.close()
        return self._process.returncode

    def _talk(self) -> None:
        try:
            while message := self._tasks.get():
                send(self._to.fileno(), pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))
        except BrokenPipeError:
            pass  # the worker died; `take` will say so
        except (pickle.PicklingError, AttributeError, TypeError, RecursionError):
            # What cannot be sent is done by us: nobody may wait for a worker that was never asked.
            self._process.kill()

    def _listen(self) -> None:
        while data := receive(self._from.fileno()):
            self._answers.put(data)
        self._answers.put(None)


def serve(*, is_timed: bool = False) -> None:
    """What a worker does: answer lists of items until its input ends. One that is timed is ended by the system when it
    computes for longer than `LONGEST_S` on one list, also in native code that listens to nobody."""
    gc.disable()  # records form no cycles, and looking for them costs a fifth of the time
    plugins_of(PluginGroup.FORMATS)
    arrivals, departures = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # whatever a library prints goes to stderr and never between two answers
    job: Any = None
    work: Any = None
    # Whoever wanted it has ended, or what it is made from cannot be read: those who wait try themselves and are told.
    with suppress(BrokenPipeError, PinakesError):
        while data := receive(arrivals):
            message, is_job = pickle.loads(data)
            if is_job:
                job, work = message, None
                continue
            work = work or job.begin()
            if is_timed and hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_PROF, LONGEST_S)
            for part in _parts(work(message), job.size):
                send(departures, pickle.dumps(part, protocol=pickle.HIGHEST_PROTOCOL))


def _parts(outcomes: Iterator[WorkOutcome], size_of: Callable[[WorkOutcome], int]) -> Iterator[list[WorkOutcome]]:
    """Outcomes as they are handed over, and an empty part at the end."""
    part: list[WorkOutcome] = []
    size = 0
    for outcome in outcomes:
        part.append(outcome)
        size += size_of(outcome)
        if size >= PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part
    yield []
