"""Read many documents on several cores.

Each worker is a Python process of our own that takes lists of stamps on its standard input and answers with lists of
outcomes, in order. Neither `fork` (unsafe beside a server's threads) nor `spawn` (runs the caller's main script again)
is used: a worker imports this package and nothing else, not even from the folder it is started in.

Starting one costs about a tenth of a second, so a small sync reads for itself.
"""

from __future__ import annotations

import copyreg
import gc
import os
import pickle
import queue
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import islice
from operator import attrgetter
from pathlib import Path
from threading import Thread

from pinakes.chunk import ChunkOptions
from pinakes.index.reading import USUAL, Outcome, read_entries
from pinakes.ports import Source
from pinakes.records import Chunk, CodeBlock, Document, Entry, Failure, Link, Metadata, Name, Ref, Section, Stamp

WORTHWHILE = 400
"""Documents to read before workers pay for themselves."""

CHUNK = 48
"""Documents per message: a megabyte or less of records, so that a worker is never far behind or ahead."""

AHEAD = 3
"""Messages a worker may be given before its answers are taken."""

_TRAVELLERS = (Ref, Stamp, Section, Link, CodeBlock, Metadata, Document, Name, Chunk, Entry, Failure)
"""Records that cross between processes, as their class and their fields: half the cost of pickling them as objects."""


def _taken_apart(kind: type) -> Callable[[object], tuple[type, tuple[object, ...]]]:
    pick = attrgetter(*(field.name for field in fields(kind)))
    return lambda record: (kind, pick(record))


for _kind in _TRAVELLERS:
    copyreg.pickle(_kind, _taken_apart(_kind))

_SERVE = "from pinakes.index.workers import serve; serve()"
_HOME = Path(__file__).resolve().parents[2]
"""The folder this package lies in, so that a worker finds the same one."""
_HEAD = 8


def read_in_parallel(
    source: Source, stamps: Sequence[Stamp], digests: Mapping[str, str], workers: int, cutting: ChunkOptions = USUAL
) -> Iterator[Outcome]:
    """One outcome per stamp, in the order given; `workers` of 0 means as many as pay for themselves."""
    count = workers or (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    if len(stamps) < WORTHWHILE or count < 2:
        yield from read_entries(source, stamps, digests, cutting)
        return
    chunks = [stamps[start : start + CHUNK] for start in range(0, len(stamps), CHUNK)]
    team = [_Worker(source, cutting) for _ in range(min(count, len(chunks)))]
    try:
        tasks = iter(enumerate(chunks))
        for number, chunk in islice(tasks, AHEAD * len(team)):
            team[number % len(team)].give(chunk, digests)
        for number, chunk in enumerate(chunks):
            answer = team[number % len(team)].take()
            following = next(tasks, None)
            if following is not None:
                team[following[0] % len(team)].give(following[1], digests)
            # A worker that died was out of memory or was killed; what it had been given is read here instead.
            yield from read_entries(source, chunk, digests, cutting) if answer is None else answer
    finally:
        for worker in team:
            worker.stop()


class _Worker:
    """A process, and a thread that empties its pipe so that it never waits for us to finish a transaction."""

    def __init__(self, source: Source, cutting: ChunkOptions) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, "PYTHONPATH": str(_HOME)},
            process_group=0,  # Ctrl-C is for us alone; a worker ends when its input does
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._send((source, cutting))

    def give(self, chunk: Sequence[Stamp], digests: Mapping[str, str]) -> None:
        self._send((chunk, {stamp.ref.path: digests.get(stamp.ref.path, "") for stamp in chunk}))

    def take(self) -> list[Outcome] | None:
        """The next answer, or None when the worker is no more."""
        data = self._answers.get()
        if data is None:
            self._answers.put(None)
            return None
        answer: list[Outcome] = pickle.loads(data)
        return answer

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._listener.join()  # its pipe ends with the process
        self._to.close()
        self._from.close()

    def _send(self, message: object) -> None:
        try:
            _write(self._to.fileno(), message)
        except BrokenPipeError:
            return  # the worker died; `take` will say so

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
    while data := _read(arrivals):
        stamps, digests = pickle.loads(data)
        _write(departures, list(read_entries(source, stamps, digests, cutting)))


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
