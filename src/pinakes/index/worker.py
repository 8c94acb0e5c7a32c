"""A process that reads documents for us.

It is a Python of our own that takes lists of stamps on its standard input and answers each with lists of outcomes, in
order, the last of them empty. Neither `fork` (unsafe beside a server's threads) nor `spawn` (runs the caller's main
script again) is used: a worker imports this package and nothing else, not even from the folder it is started in.
Starting one costs about a tenth of a second.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Thread

from pinakes.index.reading import USUAL, ReadingOptions, ReadResult, read_entries, weight
from pinakes.other_python import NEUTRAL, environment, python
from pinakes.ports import Source
from pinakes.records import Stamp

PART_BYTES = 1_000_000
"""Source text after which a worker hands over what it has: a chunk may hold hundreds of megabytes."""

WAITING = 4
"""Parts of a worker's answers that may wait for us; then it waits itself, so that memory stays flat."""

_SERVE = "from pinakes.index.worker import serve; serve()"
_SERVE_TIMED = "from pinakes.index.worker import serve; serve(is_timed=True)"
_HEAD = 8
LONGEST_S = 10
"""Seconds of computing that one file of source code may take."""


class Worker:
    """A process, a thread that empties its pipe so that it need not wait for us to finish a transaction, and one that
    fills the other, so that we never wait for a worker that waits for us."""

    def __init__(self, source: Source, options: ReadingOptions, *, is_timed: bool = False) -> None:
        self._process = subprocess.Popen(
            python("-c", _SERVE_TIMED if is_timed else _SERVE),
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
        self.begin(source, options)

    @property
    def is_alive(self) -> bool:
        return not self._is_dead and self._process.poll() is None

    def begin(self, source: Source, options: ReadingOptions) -> None:
        """What the next chunks are read from, and how."""
        self._tasks.put((source, options))

    def give(self, chunk: Sequence[Stamp], digests: Mapping[str, str]) -> None:
        self._tasks.put((chunk, {stamp.ref.path: digests.get(stamp.ref.path, "") for stamp in chunk}))

    def take(self, timeout_s: float | None = None) -> Iterator[list[ReadResult]]:
        """The next chunk's outcomes, part by part; it breaks off when the worker is no more, and raises `queue.Empty`
        when it says nothing for `timeout_s`."""
        while not self._is_dead:
            data = self._answers.get(timeout=timeout_s)
            self._is_dead = data is None
            part: list[ReadResult] = pickle.loads(data) if data else []
            if not part:  # the chunk is done
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
        with suppress(BrokenPipeError):  # the worker died; `take` will say so
            while message := self._tasks.get():
                _write(self._to.fileno(), message)

    def _listen(self) -> None:
        while data := _read(self._from.fileno()):
            self._answers.put(data)
        self._answers.put(None)


def serve(*, is_timed: bool = False) -> None:
    """What a worker does: answer lists of stamps until its input ends. One that is timed is ended by the system when it
    computes for longer than `LONGEST_S` on one list, also in native code that listens to nobody."""
    gc.disable()  # records form no cycles, and looking for them costs a fifth of the time
    arrivals, departures = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # whatever a library prints goes to stderr and never between two answers
    source: Source | None = None
    options = USUAL
    with suppress(BrokenPipeError):  # whoever wanted it has ended
        while data := _read(arrivals):
            stamps, digests = pickle.loads(data)
            if isinstance(digests, ReadingOptions):
                source, options = stamps, digests
                continue
            assert source is not None
            if is_timed and hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_PROF, LONGEST_S)
            for part in _parts(read_entries(source, stamps, digests, options)):
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
