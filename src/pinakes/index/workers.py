"""Work on several cores: many documents are read, or what is made from those in the store.

Starting a worker costs more than a few documents, so a small sync works for itself. Source code is always read apart
from us, see `pinakes.index.apart`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import Any

from pinakes.index.options import WORTHWHILE
from pinakes.index.reading import USUAL, PrefetchingSource, ReadingOptions, ReadResult, read_entries
from pinakes.index.worker import ReadJob, Worker, WorkerJob, WorkItem, WorkOutcome, with_digests
from pinakes.ports import Source
from pinakes.processors import processors
from pinakes.records import Stamp

CHUNK = 48
"""Documents per message: a megabyte or less of records, so that a worker is never far behind or ahead."""

AHEAD = 3
"""Messages a worker may be given before its answers are taken."""


def read_in_parallel(
    source: Source, stamps: Sequence[Stamp], digests: Mapping[str, str], workers: int, options: ReadingOptions = USUAL
) -> Generator[ReadResult, None, None]:
    """One outcome per stamp, in the order given; `workers` of 0 means as many as pay for themselves."""
    count = workers or processors()
    if len(stamps) < WORTHWHILE or count < 2:
        yield from read_entries(source, stamps, digests, options)
        if isinstance(source, PrefetchingSource):
            source.expect(())
        return
    yield from work_in_parallel(ReadJob(source, options), with_digests(stamps, digests), count)


def work_in_parallel(
    job: WorkerJob[WorkItem, WorkOutcome], items: Sequence[WorkItem], workers: int = 0, chunk: int = CHUNK
) -> Generator[WorkOutcome, None, None]:
    """One outcome per item, in the order given, by as many `workers`, 0 for one a core. `chunk` items make a message.
    What a worker raises is met again here, where the same is tried once more. They work until this is closed."""
    chunks = [items[start : start + chunk] for start in range(0, len(items), chunk)]
    team = _team(job, min(workers or processors(), len(chunks)))
    own = None
    is_done = False
    try:
        tasks = iter(enumerate(chunks))
        for number, some in islice(tasks, AHEAD * len(team)):
            team[number % len(team)].give(some)
        for number, some in enumerate(chunks):
            taken = 0
            for part in team[number % len(team)].take():
                taken += len(part)
                yield from part
            following = next(tasks, None)
            if following is not None:
                team[following[0] % len(team)].give(following[1])
            if taken < len(some):  # the worker died: it was out of memory or was killed; what it owes is done here
                own = own or job.begin()
                yield from own(some[taken:])
        is_done = True
    finally:
        kept = _KEPT.get()
        for worker in team:
            if is_done and kept is not None and worker.is_alive and worker.is_small:
                kept.append(worker)
            else:
                worker.stop()


_KEPT: ContextVar[list[Worker[Any, Any]] | None] = ContextVar("kept workers", default=None)


@contextmanager
def kept_workers() -> Iterator[None]:
    """Inside, workers that have done one thing do the next, unless they have grown: starting them takes as long as
    reading a hundred documents, and everybody waits for it."""
    token = _KEPT.set([])
    try:
        yield
    finally:
        for worker in _KEPT.get() or ():
            worker.stop()
        _KEPT.reset(token)


def _team(job: WorkerJob[WorkItem, WorkOutcome], size: int) -> list[Worker[WorkItem, WorkOutcome]]:
    """Workers for a job: those that are idle, and new ones."""
    kept = _KEPT.get()
    team: list[Worker[WorkItem, WorkOutcome]] = []
    while kept and len(team) < size:
        worker = kept.pop()
        if worker.is_alive:
            worker.begin(job)
            team.append(worker)
        else:
            worker.stop()
    return [*team, *(Worker(job) for _ in range(size - len(team)))]
