"""Read many documents on several cores.

Each worker is a Python process of our own that takes lists of stamps on its standard input and answers each with lists
of outcomes, in order, the last of them empty. Neither `fork` (unsafe beside a server's threads) nor `spawn` (runs the
caller's main script again) is used: a worker imports this package and nothing else, not even from the folder it is
started in.

Starting one costs about a tenth of a second, so a small sync reads for itself.
"""

from __future__ import annotations

import copyreg
import gc
import os
import pickle
import queue
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from itertools import islice
from operator import attrgetter
from threading import Thread

from pinakes.chunk import ChunkOptions
from pinakes.index.reading import USUAL, PrefetchingSource, ReadResult, read_entries, weight
from pinakes.other_python import NEUTRAL, environment, python
from pinakes.ports import Source
from pinakes.processors import processors
from pinakes.records import (
    Chunk,
    CodeBlock,
    Document,
    Entry,
    Failure,
    Link,
    Metadata,
    Name,
    Ref,
    Section,
    Stamp,
    Structure,
)

WORTHWHILE = 400
"""Documents to read before workers pay for themselves."""

CHUNK = 48
"""Documents per message: a megabyte or less of records, so that a worker is never far behind or ahead."""

AHEAD = 3
"""Messages a worker may be given before its answers are taken."""

PART_BYTES = 1_000_000
"""Source text after which a worker hands over what it has: a chunk may hold hundreds of megabytes."""

WAITING = 4
"""Parts of a worker's answers that may wait for us; then it waits itself, so that memory stays flat."""

_TRAVELLERS = (Ref, Stamp, Section, Link, CodeBlock, Metadata, Structure, Document, Name, Chunk, Entry, Failure)
"""Records that cross between processes, as their class and their fields: half the cost of pickling them as objects."""


def _taken_apart(kind: type) -> Callable[[object], tuple[type, tuple[object, ...]]]:
    pick = attrgetter(*(field.name for field in fields(kind)))
    return lambda record: (kind, pick(record))


for _kind in _TRAVELLERS:
    copyreg.pickle(_kind, _taken_apart(_kind))

_SERVE = "from pinakes.index.workers import serve; serve()"
_HEAD = 8


def read_in_parallel(
    source: Source, stamps: Sequence[Stamp], digests: Mapping[str, str], workers: int, cutting: ChunkOptions = USUAL
) -> Iterator[ReadResult]:
    """One outcome per stamp, in the order given; `workers` of 0 means as many as pay for themselves."""
    count = workers or processors()
    if len(stamps) < WORTHWHILE or count < 2:
        yield from read_entries(source, stamps, digests, cutting)
        if isinstance(source, PrefetchingSource):
            source.expect(())
        return
    chunks = [stamps[start : start + CHUNK] for start in range(0, len(stamps), CHUNK)]
    team = [_Worker(source, cutting) for _ in range(min(count, len(chunks)))]
    try:
        tasks = iter(enumerate(chunks))
        for number, chunk in islice(tasks, AHEAD * len(team)):
            team[number % len(team)].give(chunk, digests)
        for number, chunk in enumerate(chunks):
            taken = 0
            for part in team[number % len(team)].take():
                taken += len(part)
                yield from part
            following = next(tasks, None)
            if following is not None:
                team[following[0] % len(team)].give(following[1], digests)
            # A worker that died was out of memory or was killed; what it still owes is read here instead.
            yield from read_entries(source, chunk[taken:], digests, cutting)
    finally:
        for worker in team:
            worker.stop()


class _Worker:
    """A process, a thread that empties its pipe so that it need not wait for us to finish a transaction, and one that
    fills the other, so that we never wait for a worker that waits for us."""

    def __init__(self, source: Source, cutting: ChunkOptions) -> None:
        self._process = subprocess.Popen(
            python("-c", _SERVE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=NEUTRAL,
            env=environment(),
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
        self._tasks.put((source, cutting))

    def give(self, chunk: Sequence[Stamp], digests: Mapping[str, str]) -> None:
        self._tasks.put((chunk, {stamp.ref.path: digests.get(stamp.ref.path, "") for stamp in chunk}))

    def take(self) -> Iterator[list[ReadResult]]:
        """The next chunk's outcomes, part by part; it breaks off when the worker is no more."""
        while not self._is_dead:
            data = self._answers.get()
            self._is_dead = data is None
            part: list[ReadResult] = pickle.loads(data) if data else []
            if not part:  # the chunk is done
                return
            yield part

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._tasks.put(None)
        while any(thread.is_alive() for thread in self._threads):
            with suppress(queue.Empty):
                self._answers.get(timeout=0.01)  # the listener may be waiting for room
        self._to.close()
        self._from.close()

    def _talk(self) -> None:
        with suppress(BrokenPipeError):  # the worker died; `take` will say so
            while message := self._tasks.get():
                _write(self._to.fileno(), message)

    def _listen(self) -> None:
        while data := _read(self._from.fileno()):
            self._answers.put(data)
        self._answers.put(None)


def serve() -> None:
    """What a worker does: answer lists of stamps until its input ends."""
    gc.disable()  # records form no cycles, and looking for them costs a fifth of the time
    arrivals, departures = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # whatever a library prints goes to stderr and never between two answers
    first = _read(arrivals)
    if not first:
        return  # stopped before it was told anything
    source: Source
    cutting: ChunkOptions
    source, cutting = pickle.loads(first)
    with suppress(BrokenPipeError):  # whoever wanted it has ended
        while data := _read(arrivals):
            stamps, digests = pickle.loads(data)
            for part in _parts(read_entries(source, stamps, digests, cutting)):
                _write(departures, part)


def _parts(outcomes: Iterator[ReadResult]) -> Iterator[list[ReadResult]]:
    """Outcomes as they are handed over, and an empty part at the end."""
    part: list[ReadResult] = []
    size = 0
    for outcome in outcomes:
        part.append(outcome)
        size += weight(outcome)
        if size >= PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part
    yield []


# Messages go through bare file descriptors: Python's buffered writers were seen to lose bytes when the whole process
# group was stopped and continued in the middle of a message, and a loop over `os.write` was not.


def _write(pipe: int, message: object) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    for part in (len(data).to_bytes(_HEAD, "big"), data):
        left = memoryview(part)
        while left:
            left = left[os.write(pipe, left) :]


def _read(pipe: int) -> bytes:
    """The next message, or nothing when the other side is gone."""
    head = _take(pipe, _HEAD)
    return _take(pipe, int.from_bytes(head, "big")) if head else b""


def _take(pipe: int, size: int) -> bytes:
    """Exactly `size` bytes, or nothing when there are fewer."""
    data = bytearray()
    while len(data) < size:
        try:
            part = os.read(pipe, min(size - len(data), 1 << 20))
        except OSError:
            return b""  # closed while waiting
        if not part:
            return b""
        data += part
    return bytes(data)
