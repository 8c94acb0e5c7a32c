"""What is done for each kind of job.

A `Lease` enters. A step writes under its fence, may be done twice, and ends with `finish`, which takes the job out of
the queue and puts in what follows, in one transaction: killed at any moment, it is done again by another worker, which
finds what was kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from pinakes.errors import PinakesError
from pinakes.index import QUICK
from pinakes.jobs.queue import Lease, Task
from pinakes.jobs.registry import Registry, note_commit, note_synced
from pinakes.library.corpus import Corpus
from pinakes.library.queued.place import LibraryPlace
from pinakes.ports import Progress
from pinakes.postgres.fence import fenced
from pinakes.records.jobs import JobKind


def do(lease: Lease, progress: Progress) -> None:
    """Do a job and take it out of the queue; raises what keeps it from being done, and `LeaseLost`."""
    library = Registry(lease.database).get(lease.task.library)
    place = LibraryPlace(library, lease.database.url)
    with fenced(lease.fence):
        _STEPS[lease.task.kind](lease, place, progress)


def _fetch(lease: Lease, place: LibraryPlace, progress: Progress) -> None:
    name, commit = place.library.name, place.fetch()
    lease.finish([Task(name, JobKind.SCAN)], lambda connection: note_commit(connection, name, commit))


def _scan(lease: Lease, place: LibraryPlace, progress: Progress) -> None:
    with place.with_files() as library:
        for name in library.corpora:
            _take_in(library.corpus(name), progress)
    name = place.library.name
    lease.finish([Task(name, JobKind.RANK)], partial(note_synced, name=name))


def _take_in(corpus: Corpus, progress: Progress) -> None:
    """Make an index agree with its commit, with words and quick vectors, so that whoever asks need not."""
    done = corpus.refresh(wait_s=30.0, keywords_s=0.0, progress=progress)
    if done.report is None:
        assert done.trouble is not None
        raise done.trouble
    corpus.toolbox.prepare(corpus.store, with_vectors=True)


def _rank(lease: Lease, place: LibraryPlace, progress: Progress) -> None:
    with place.stored() as library:
        for name in library.corpora:
            corpus = library.corpus(name)
            if corpus.is_indexed:
                _complete(corpus, progress)
    lease.finish()


def _complete(corpus: Corpus, progress: Progress) -> None:
    """Make keywords, and the vectors of the model that is set or of the finer one."""
    trouble: PinakesError | None = corpus.keyword_maker.make(corpus.store, None, progress)
    if trouble is not None:
        raise trouble
    if corpus.config.neural.model != QUICK:
        corpus.toolbox.meanings.make(corpus.store, progress)
        corpus.toolbox.meanings.upgrade(corpus.store, progress)


_STEPS: Mapping[JobKind, Callable[[Lease, LibraryPlace, Progress], None]] = {
    JobKind.FETCH: _fetch,
    JobKind.SCAN: _scan,
    JobKind.RANK: _rank,
}
