"""Workers share what there is to do, and one that is killed in the middle of any job costs nothing but time.

By default one of some kinds is killed where it waits for a table that the test holds, which is in the middle of its
last transaction. PINAKES_TEST_KILLS=20 does so with every kind, and kills that many of each at moments that chance
chooses.
"""

from __future__ import annotations

import os
import random
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from kits.endpoint import Served, serving
from kits.git import Repo, needs_git
from kits.queue import empty_database, worker_process
from kits.waiting import until
from pinakes.jobs.queue import queue_state
from pinakes.library.git_libraries import wanted_library
from pinakes.library.queued.libraries import DatabaseLibraries
from pinakes.library.queued.reading import BATCH
from pinakes.library.queued.worker import QueueWorker, ignore_job
from pinakes.postgres.database import Database, sql
from pinakes.records import DOCS, Query
from pinakes.records.jobs import JobKind

pytestmark = needs_git
KILLS = int(os.environ.get("PINAKES_TEST_KILLS", "0"))
MANY = 384
"""Documents that are divided among workers."""
LAST_TABLE = {
    JobKind.FETCH: "libraries",
    JobKind.SCAN: "all_links",
    JobKind.READ: "readings",
    JobKind.EMBED: "made_vectors",
    JobKind.RANK: "all_keywords",
}
"""What each kind of job writes."""


@pytest.fixture(autouse=True)
def places_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PINAKES_NEURAL_MODEL", "static")


@pytest.fixture
def database() -> Database:
    return empty_database()


@pytest.fixture
def libraries(database: Database) -> DatabaseLibraries:
    return DatabaseLibraries(database.url)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    with serving() as served:
        monkeypatch.setenv("PINAKES_NEURAL_MODEL", served.address)
        yield served


def repository(folder: Path, documents: int) -> Repo:
    repo = Repo(folder)
    repo.commit(
        "one",
        {
            f"part{number % 7}/{number}.md": f"# Tide {number}\n\nHigh water number {number}. See"
            f" [the next](../part{(number + 1) % 7}/{number + 1}.md).\n\n## Low\n\nLow water of harbour {number * 7}.\n"
            for number in range(documents)
        },
    )
    return repo


@contextmanager
def held(database: Database, table: str) -> Iterator[None]:
    """Whoever writes to a table waits; whoever reads it does not."""
    with database.session() as connection, connection.transaction():
        connection.execute(sql(f"LOCK TABLE pinakes.{table} IN EXCLUSIVE MODE"))
        yield


def stuck(database: Database, worker: subprocess.Popen[str]) -> bool:
    """Whether a worker waits for what somebody else holds."""
    return bool(
        database.ask(
            "SELECT FROM pg_stat_activity WHERE application_name = %s AND wait_event_type = 'Lock'",
            (f"pinakes {worker.pid}",),
        )
    )


def finish(database: Database) -> None:
    """Do what is left, as another worker, and wait for what others are at."""
    with closing(QueueWorker(database)) as worker:
        worker.run_once(ignore_job)
        until(lambda: not queue_state(database).running, "others are done")


def state(libraries: DatabaseLibraries, name: str) -> object:
    """What a library answers with, to be compared with another one of the same files."""
    with libraries.opened(name) as opened:
        found = [opened.search(Query(question)).hits for question in ("low water of harbour 14", "high water number 3")]
        store = opened.corpus(DOCS).store
        return (
            {path: one.digest for path, one in store.files(DOCS).items()},
            store.counts(DOCS),
            [[(hit.ref, hit.score, hit.text) for hit in hits] for hits in found],
        )


def test_two_workers_share_the_reading_of_many_documents(
    libraries: DatabaseLibraries, database: Database, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "theirs", MANY)
    libraries.add(wanted_library("alone", str(repo.folder)))
    with ExitStack() as stack:
        workers = [stack.enter_context(worker_process(database.url, "--json")) for _ in range(2)]
        until(lambda: len(libraries.queue().workers) == 2, "two workers")
        with held(database, "all_settings"):
            thread = threading.Thread(target=libraries.add, args=(wanted_library("shared", str(repo.folder)),))
            thread.start()
            # One of them takes documents in, some of which it may have read, and waits for the table; the other reads.
            until(lambda: any(stuck(database, one) for one in workers), "one that takes in")
            until(lambda: _read(database) >= MANY - BATCH, "one that reads")
        thread.join()
        finish(database)
    assert state(libraries, "shared") == state(libraries, "alone")
    assert libraries.queue().set_aside == ()
    assert _read(database) == 0


def _read(database: Database) -> int:
    return int(database.ask("SELECT count(*) FROM pinakes.readings")[0][0])


@pytest.mark.parametrize("kind", JobKind if KILLS else (JobKind.SCAN, JobKind.READ, JobKind.EMBED))
def test_a_worker_that_is_killed_in_a_job_leaves_it_to_another_one(
    kind: JobKind,
    libraries: DatabaseLibraries,
    database: Database,
    tmp_path: Path,
    endpoint: Served,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if kind not in (JobKind.EMBED, JobKind.RANK):
        monkeypatch.setenv("PINAKES_NEURAL_MODEL", "static")
    repo = repository(tmp_path / "theirs", MANY if kind is JobKind.READ else 40)
    wanted = wanted_library("tides", str(repo.folder))
    with ExitStack() as stack:
        if kind is JobKind.FETCH:  # which writes to the table of libraries, as registering one does
            libraries.register(wanted)
        stack.enter_context(held(database, LAST_TABLE[kind]))
        workers = [stack.enter_context(worker_process(database.url)) for _ in range(1 + (kind is JobKind.READ))]
        until(lambda: len(libraries.queue().workers) == len(workers), "workers")
        if kind is not JobKind.FETCH:
            libraries.register(wanted)
        until(lambda: any(stuck(database, one) for one in workers), f"a worker in the middle of {kind}")
        for one in workers:
            one.kill()
            one.wait()
    finish(database)
    assert libraries.queue("tides").set_aside == ()
    libraries.add(wanted_library("fresh", str(repo.folder)))
    finish(database)
    assert state(libraries, "tides") == state(libraries, "fresh")


@pytest.mark.skipif(not KILLS, reason="set PINAKES_TEST_KILLS to a number of kills")
@pytest.mark.timeout(36_000)
def test_workers_that_are_killed_at_any_moment_do_everything_once(
    libraries: DatabaseLibraries, database: Database, tmp_path: Path, endpoint: Served
) -> None:
    repo, chance, kills = repository(tmp_path / "theirs", MANY), random.Random(7), dict.fromkeys(JobKind, 0)
    states: list[object] = []
    for attempt in range(100 * KILLS):
        if min(kills.values()) >= KILLS:
            break
        name = f"tides{attempt}"
        with worker_process(database.url) as one, worker_process(database.url) as other:
            until(lambda: len(libraries.queue().workers) == 2, "two workers")
            libraries.register(wanted_library(name, str(repo.folder)))
            wanted = min(kills, key=kills.__getitem__)
            for _ in range(2000):
                running = {JobKind(kind) for (kind,) in database.ask(_RUNNING)}
                if wanted in running and chance.random() < 0.3:
                    victim = chance.choice([one, other])
                    victim.kill()
                    victim.wait()
                    kills[wanted] += 1
                    break
                if not running and not libraries.queue(name).waiting:
                    break
        finish(database)
        assert libraries.queue(name).set_aside == ()
        states.append(state(libraries, name))
        assert states[-1] == states[0]
        libraries.remove(name)
        with database.transaction() as connection:
            connection.execute("DELETE FROM made_vectors")
    assert min(kills.values()) >= KILLS


_RUNNING = "SELECT kind FROM pinakes.jobs WHERE state = 'running'"


def test_a_text_is_embedded_once_for_all_libraries(
    libraries: DatabaseLibraries, database: Database, tmp_path: Path, endpoint: Served
) -> None:
    repo = repository(tmp_path / "theirs", 40)
    for name in ("one", "other"):
        libraries.add(wanted_library(name, str(repo.folder)))
        finish(database)
    heard = [text for request in endpoint.heard for text in request.texts if "harbour" in text]
    assert len(heard) == len(set(heard))
    assert state(libraries, "one") == state(libraries, "other")
    (kept,) = database.ask("SELECT count(*) FROM pinakes.made_vectors")[0]
    assert kept >= len(heard)
