"""Read source code in processes of its own.

Grammars are native code from others, and files may be made to hurt them: one that crashes or never ends must cost no
more than its file. So a worker (`pinakes.index.worker`) reads file by file and answers each at once. The file at which
it dies, or for which it takes longer than `LONGEST_S`, becomes a `Failure` by name; another worker reads the rest. One
that was only killed from outside gets its file a second time.

A worker is kept while our process lives, because starting one costs more than reading a file.
"""

from __future__ import annotations

import atexit
import os
import queue
import signal
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from threading import Lock

from pinakes.errors import Unreadable
from pinakes.index.reading import USUAL, ReadingOptions, ReadResult
from pinakes.index.worker import LONGEST_S, ReadJob, Worker, with_digests
from pinakes.ports import Source
from pinakes.processors import processors
from pinakes.records import Document, Entry, Failure, Raw, Stamp
from pinakes.sources.held import HeldFiles

SHARED_FROM = 60
"""Files from which on several workers share the reading."""
_AHEAD = 6
"""Files a worker may be given before its answers are taken."""
_PATIENCE = 12
"""How many times longer than its own limit a worker is waited for: on a busy machine it may hardly run."""
_KEPT = 1


def read_apart(
    source: Source, stamps: Sequence[Stamp], digests: Mapping[str, str], workers: int, options: ReadingOptions
) -> Generator[ReadResult, None, None]:
    """One outcome per stamp, in the order given; `workers` of 0 means as many as there are processors. They work until
    this is closed."""
    count = min(workers or processors(), 1 + len(stamps) // SHARED_FROM)
    team = [_Reader(source, options, digests) for _ in range(count)]
    try:
        waiting = iter(enumerate(stamps))
        for number, stamp in waiting:
            team[number % count].give(stamp)
            if number + 1 == count * _AHEAD:
                break
        for number in range(len(stamps)):
            yield team[number % count].take()
            for following, stamp in waiting:
                team[following % count].give(stamp)
                break
    finally:
        for reader in team:
            reader.leave()


def parse_apart(raw: Raw) -> Document:
    """Parse one file that is at hand. Raises `Unreadable` when its grammar crashes or takes too long on it."""
    held = HeldFiles(raw.stamp.ref.corpus, (raw,))
    with closing(read_apart(held, (raw.stamp,), {}, 1, USUAL)) as outcomes:
        (outcome,) = outcomes
    if isinstance(outcome, Failure):
        raise Unreadable(outcome.reason, outcome.next_step)
    assert isinstance(outcome, Entry)
    return outcome.document


class _Reader:
    """What reads some of the files: one worker after another, if it must be."""

    def __init__(self, source: Source, options: ReadingOptions, digests: Mapping[str, str]) -> None:
        self._job = ReadJob(source, options)
        self._digests = digests
        self._owed: deque[Stamp] = deque()
        self._was_repeated = False
        self._worker = _borrowed(self._job)

    def give(self, stamp: Stamp) -> None:
        self._owed.append(stamp)
        self._worker.give(with_digests((stamp,), self._digests))

    def take(self) -> ReadResult:
        """The outcome of the first file that is owed."""
        while True:
            try:
                parts = list(self._worker.take(LONGEST_S * _PATIENCE))
            except queue.Empty:
                return self._failed("", is_slow=True)
            if parts:
                self._was_repeated = False
                self._owed.popleft()
                return parts[0][0]
            code = self._worker.stop()
            if code == -signal.SIGPROF:
                return self._failed("", is_slow=True)
            if self._was_repeated:
                return self._failed(f" ({signal.Signals(-code).name})" if code < 0 else "", is_slow=False)
            self._was_repeated = True
            self._start_anew()

    def leave(self) -> None:
        """Keep the worker for later, unless it is still busy."""
        _give_back(self._worker, is_idle=not self._owed)

    def _failed(self, how: str, *, is_slow: bool) -> Failure:
        self._worker.stop()
        stamp = self._owed.popleft()
        self._was_repeated = False
        self._start_anew()
        name = stamp.media.name
        reason = f"took longer than {LONGEST_S} s" if is_slow else f"crashed{how}"
        step = "Nothing else is missing. Name the file in code.exclude to be told no more."
        return Failure(
            stamp.ref, stamp.version, f"{stamp.ref} is not read: the grammar of {name} {reason} on it.", step
        )

    def _start_anew(self) -> None:
        self._worker = Worker(self._job, is_timed=True)
        for stamp in self._owed:
            self._worker.give(with_digests((stamp,), self._digests))


_Reading = Worker[tuple[Stamp, str], ReadResult]
_idle: list[_Reading] = []
_lock = Lock()


def _borrowed(job: ReadJob) -> _Reading:
    """A worker that waits, or a new one."""
    with _lock:
        while _idle:
            worker = _idle.pop()
            if worker.is_alive:
                worker.begin(job)
                return worker
            worker.stop()
    return Worker(job, is_timed=True)


def _give_back(worker: _Reading, *, is_idle: bool) -> None:
    with _lock:
        if is_idle and worker.is_alive and len(_idle) < _KEPT:
            _idle.append(worker)
            return
    worker.stop()


def end_idle_workers() -> None:
    """Stop what is kept."""
    with _lock:
        while _idle:
            _idle.pop().stop()


atexit.register(end_idle_workers)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)
