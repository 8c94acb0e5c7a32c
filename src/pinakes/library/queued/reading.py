"""Many documents read by several workers, and taken into the index by one of them.

A source with what is to be read enters; outcomes leave, in order (`DividedReading.read`, a `ReadDocuments`). Others
take jobs from the end of the list, this worker begins at the front: what somebody has read by then is taken from the
database, what nobody has begun is read here. So nobody waits, and it goes on also where all others end.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import chain

from msgspec import Struct, to_builtins

from pinakes.chunk import ChunkOptions
from pinakes.index.apart import read_apart
from pinakes.index.kept_readings import KeptReadings
from pinakes.index.reading import ReadingOptions, ReadResult
from pinakes.index.workers import read_in_parallel
from pinakes.jobs.queue import Lease, Task, forget_waiting, is_running, put, take_back
from pinakes.library.queued.given import BatchToRead, given_to
from pinakes.ports import Source
from pinakes.postgres.database import Database, PostgresConnection
from pinakes.records import CorpusName, Entry, Ref, Stamp
from pinakes.records.jobs import JobKind
from pinakes.records.media import format_named
from pinakes.records.module_paths import ModulePaths
from pinakes.records.sites import Sites

BATCH = 96
"""Documents of a job: half a second's work or so."""
WORTHWHILE = 4 * BATCH
"""Documents that are divided."""
_PATIENCE_S = 20.0
"""How long somebody who is at a batch is waited for."""
_LOOK_S = 0.03

_ReadHere = Callable[[Sequence[Stamp]], Generator[ReadResult, None, None]]


class _Batch(Struct, frozen=True):
    """Some of the documents, in their order."""

    part: str
    stamps: Sequence[Stamp]


class DividedReading:
    """What is read for one job."""

    def __init__(self, lease: Lease, commit: str) -> None:
        self._lease = lease
        self._commit = commit
        self._kept: list[tuple[KeptReadings, Sequence[Stamp]]] = []

    def read(
        self,
        source: Source,
        stamps: Sequence[Stamp],
        digests: Mapping[str, str],
        workers: int,
        options: ReadingOptions,
    ) -> Generator[ReadResult, None, None]:
        """See `ReadDocuments`. Others begin at once."""
        read = read_apart if any(stamp.media.code for stamp in stamps) else read_in_parallel
        here: _ReadHere = partial(read, source, digests=digests, workers=workers, options=options)
        if len(stamps) < WORTHWHILE:
            return here(stamps)
        kept = KeptReadings(self._lease.database, options)
        self._kept.append((kept, stamps))
        batches = [_batch(self._commit, stamps[first : first + BATCH]) for first in range(0, len(stamps), BATCH)]
        forget_waiting(self._lease.database, self._lease.task.library, JobKind.READ)
        put(self._lease.database, [self._task(one, source.corpus, options) for one in reversed(batches[1:])])
        return self._outcomes(batches, kept, here)

    def _outcomes(
        self, batches: Sequence[_Batch], kept: KeptReadings, here: _ReadHere
    ) -> Generator[ReadResult, None, None]:
        for one in batches:
            found = self._found(one, kept)
            left = [stamp for stamp in one.stamps if stamp.ref not in found]
            with closing(here(left)) as rest:
                outcomes = {stamp.ref: outcome for stamp, outcome in zip(left, rest, strict=True)}
            yield from (found.get(stamp.ref) or outcomes[stamp.ref] for stamp in one.stamps)

    def forget(self, connection: PostgresConnection) -> None:
        """Leave nothing of it behind in the database."""
        for kept, stamps in self._kept:
            kept.forget(connection, stamps)

    def _found(self, one: _Batch, kept: KeptReadings) -> Mapping[Ref, Entry]:
        """What others have read of a batch, after whoever is at it is through."""
        take_over(self._lease.database, Task(self._lease.task.library, JobKind.READ, one.part), _PATIENCE_S)
        return kept.find(one.stamps)

    def _task(self, one: _Batch, corpus: CorpusName, options: ReadingOptions) -> Task:
        stamps = [(stamp.ref.path, stamp.version, stamp.media.name) for stamp in one.stamps]
        given = BatchToRead(corpus, self._commit, options.sites.text(), options.modules.text(), stamps)
        return Task(self._lease.task.library, JobKind.READ, one.part, to_builtins(given))


def take_over(database: Database, task: Task, patience_s: float) -> None:
    """See to it that nobody does a job any more, or has done it: one that nobody has begun is taken out of the queue,
    whoever is at it is waited for."""
    until = time.monotonic() + patience_s
    while not take_back(database, task) and is_running(database, task) and time.monotonic() < until:
        time.sleep(_LOOK_S)


def read_batch(lease: Lease, source: Source, options: ReadingOptions) -> None:
    """Do a job of reading: what nobody has read of it is read and kept."""
    given = given_to(lease.task, BatchToRead)
    stamps = [Stamp(Ref(given.corpus, path), version, format_named(media)) for path, version, media in given.stamps]
    kept = KeptReadings(lease.database, options)
    left = kept.missing(stamps)
    read = read_apart if any(stamp.media.code for stamp in left) else read_in_parallel
    with closing(read(source, left, {}, 1, options)) as outcomes:
        entries = [one for one in outcomes if isinstance(one, Entry)]
    lease.finish(write=lambda connection: kept.keep(connection, entries))


def asked_options(given: BatchToRead, cutting: ChunkOptions) -> ReadingOptions:
    """What the documents of a job are read by."""
    return ReadingOptions(cutting, Sites.parse(given.sites), ModulePaths.parse(given.modules))


def _batch(commit: str, stamps: Sequence[Stamp]) -> _Batch:
    named = chain([commit], (f"{stamp.ref} {stamp.version}" for stamp in stamps))
    text = "\0".join(named).encode("utf-8", "surrogatepass")
    return _Batch(hashlib.blake2b(text, digest_size=12).hexdigest(), stamps)
