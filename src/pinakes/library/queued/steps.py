"""What is done for each kind of job.

A `Lease` enters. A step writes under its fence, may be done twice, and ends with `finish`, which takes the job out of
the queue and puts in what follows, in one transaction: killed at any moment, it is done again by another worker, which
finds what was kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pinakes.errors import PinakesError
from pinakes.index import QUICK
from pinakes.index.sync import ReadDocuments
from pinakes.jobs.presence import workers_there
from pinakes.jobs.queue import Lease, Task
from pinakes.jobs.registry import Registry, note_commit, note_synced
from pinakes.library.corpus import Corpus
from pinakes.library.git_libraries import possible_library
from pinakes.library.queued.embedding import (
    embed_documents,
    embedding_tasks,
    make_quick_vectors,
    prepare_index,
)
from pinakes.library.queued.given import BatchToRead, TextsToEmbed, VectorsToMake, given_to
from pinakes.library.queued.place import LibraryPlace
from pinakes.library.queued.reading import WORTHWHILE, DividedReading, asked_options, read_batch
from pinakes.ports import Progress
from pinakes.postgres.database import PostgresConnection
from pinakes.postgres.fence import fenced
from pinakes.records.jobs import JobKind


def do(lease: Lease, progress: Progress, *, is_awaited: bool = False) -> None:
    """Do a job and take it out of the queue; raises what keeps it from being done, and `LeaseLost`. Where somebody
    waits for it, keywords are made for two seconds at once."""
    library = possible_library(Registry(lease.database).get(lease.task.library))
    place = LibraryPlace(library, lease.database.url)
    with fenced(lease.fence):
        if lease.task.kind is JobKind.SCAN:
            _scan(lease, place, progress, keywords_s=2.0 if is_awaited else 0.0)
        else:
            _STEPS[lease.task.kind](lease, place, progress)


def _fetch(lease: Lease, place: LibraryPlace, progress: Progress) -> None:
    name, commit = place.library.name, place.fetch()
    lease.finish([Task(name, JobKind.SCAN)], lambda connection: note_commit(connection, name, commit))


def _scan(lease: Lease, place: LibraryPlace, progress: Progress, *, keywords_s: float) -> None:
    library, database = place.library, lease.database
    reading = DividedReading(lease, library.commit)
    read = reading.read if len(workers_there(database)) > 1 else None
    following = [Task(library.name, JobKind.RANK)]
    with place.with_files() as opened:
        for name in opened.corpora:
            corpus = opened.corpus(name)
            count = _take_in(corpus, read, keywords_s, progress)
            prepare_index(lease, corpus, is_shared=read is not None and count >= WORTHWHILE)
            following += embedding_tasks(library.name, corpus)

    def write(connection: PostgresConnection) -> None:
        note_synced(connection, library.name)
        reading.forget(connection)

    lease.finish(following, write)


def _read(lease: Lease, place: LibraryPlace, progress: Progress) -> None:
    if "vectors" in lease.task.given:
        name = given_to(lease.task, VectorsToMake).vectors
        with place.stored() as opened:
            make_quick_vectors(lease, opened.corpus(name))
        return
    given = given_to(lease.task, BatchToRead)
    with place.with_files(given.commit) as opened:
        read_batch(lease, opened.corpus(given.corpus).source, asked_options(given, opened.config.chunks))


def _take_in(corpus: Corpus, read: ReadDocuments | None, keywords_s: float, progress: Progress) -> int:
    """Make an index agree with its commit; returns how many documents are new or others."""
    done = corpus.refresh(wait_s=30.0, keywords_s=keywords_s, progress=progress, read=read)
    if done.report is None:
        assert done.trouble is not None
        raise done.trouble
    return len(done.report.put)


def _embed(lease: Lease, place: LibraryPlace, progress: Progress) -> None:
    with place.stored() as opened:
        embed_documents(lease, opened.corpus(given_to(lease.task, TextsToEmbed).corpus), progress)


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
    JobKind.READ: _read,
    JobKind.EMBED: _embed,
    JobKind.RANK: _rank,
}
