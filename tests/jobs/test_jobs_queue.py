"""The queue of a database: who gets a job, who loses it, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kits.postgres import server
from kits.queue import empty_database
from pinakes.errors import ConfigError, LeaseLost, NotFound, StoreError
from pinakes.jobs.presence import Presence, workers_there
from pinakes.jobs.queue import MOST_ATTEMPTS, JobFilter, Lease, Task, claim, is_anything_left, put, queue_state
from pinakes.jobs.registry import Registry, note_commit
from pinakes.library.databases import table_sets
from pinakes.postgres import open_database
from pinakes.postgres.database import Database
from pinakes.postgres.fence import fenced
from pinakes.postgres.migrations import migrate
from pinakes.records.jobs import GitLibrary, JobKind
from pinakes.store.postgres.schema import STORE_TABLES

TIDES = GitLibrary("tides", "https://example.org/tides", "main", "docs/")


@pytest.fixture
def database() -> Database:
    made = empty_database()
    Registry(made).add(TIDES)
    Registry(made).add(GitLibrary("moon", "https://example.org/moon"))
    return made


@pytest.fixture
def worker(database: Database) -> Iterator[int]:
    presence = Presence(database)
    yield presence.number
    presence.close()


def taken(database: Database, worker: int) -> Lease:
    lease = claim(database, worker)
    assert lease is not None
    return lease


def run_out(database: Database) -> None:
    """Let every lease be over."""
    with database.transaction() as connection:
        connection.execute("UPDATE jobs SET leased_to = now() - interval '1 second', not_before = now()")


def test_a_library_is_known_until_it_is_removed(database: Database) -> None:
    registry = Registry(database)
    assert [one.name for one in registry.list()] == ["moon", "tides"]
    assert registry.get("tides") == TIDES
    with pytest.raises(ConfigError, match="already"):
        registry.add(TIDES)
    registry.remove("tides")
    with pytest.raises(NotFound, match="There are moon"):
        registry.get("tides")


def test_a_job_is_handed_out_once_and_put_in_once(database: Database, worker: int) -> None:
    put(database, [Task("tides", JobKind.FETCH), Task("tides", JobKind.FETCH), Task("none", JobKind.FETCH)])
    lease = taken(database, worker)
    assert lease.task == Task("tides", JobKind.FETCH)
    assert claim(database, worker) is None
    put(database, [Task("tides", JobKind.FETCH)])
    assert queue_state(database).waiting == 1
    lease.finish([Task("tides", JobKind.SCAN)], lambda connection: note_commit(connection, "tides", "abc"))
    assert Registry(database).get("tides").commit == "abc"
    assert [taken(database, worker).task.kind for _ in range(2)] == [JobKind.FETCH, JobKind.SCAN]


def test_of_a_library_one_job_changes_the_index_and_later_steps_wait_for_earlier_ones(
    database: Database, worker: int
) -> None:
    parts = [Task("tides", JobKind.EMBED, str(number), {"first": number}) for number in range(2)]
    kinds = (JobKind.RANK, JobKind.SCAN, JobKind.READ)
    put(database, [Task("tides", kind) for kind in kinds] + parts + [Task("moon", JobKind.SCAN)])
    first = taken(database, worker)
    put(database, [Task("tides", JobKind.SCAN)])
    got = [taken(database, worker) for _ in range(4)]
    assert [(lease.task.library, lease.task.kind) for lease in (first, *got)] == [
        ("tides", JobKind.SCAN),
        ("moon", JobKind.SCAN),
        ("tides", JobKind.READ),
        ("tides", JobKind.EMBED),
        ("tides", JobKind.EMBED),
    ]
    assert got[3].task.given == {"first": 1}
    assert claim(database, worker) is None
    first.finish()
    assert taken(database, worker).task.kind is JobKind.SCAN
    for lease in got[2:]:
        assert claim(database, worker) is None
        lease.finish()
    assert taken(database, worker).task.kind is JobKind.RANK


def test_a_lease_that_ran_out_is_somebody_else_s_and_the_former_holder_writes_nothing(
    database: Database, worker: int
) -> None:
    put(database, [Task("tides", JobKind.FETCH)])
    first = taken(database, worker)
    assert first.extend()
    run_out(database)
    other = Presence(database)
    second = taken(database, other.number)
    assert (second.id, second.attempts) == (first.id, 2)
    assert not first.extend()
    with pytest.raises(LeaseLost), fenced(first.fence), database.transaction() as connection:
        note_commit(connection, "tides", "late")
    with pytest.raises(LeaseLost):
        first.finish(write=lambda connection: note_commit(connection, "tides", "late"))
    assert not first.fail("too late", "")
    first.give_back()
    second.finish(write=lambda connection: note_commit(connection, "tides", "right"))
    assert Registry(database).get("tides").commit == "right"
    assert not is_anything_left(database)
    other.close()


def test_while_a_holder_writes_its_job_is_not_given_away(database: Database, worker: int) -> None:
    put(database, [Task("tides", JobKind.FETCH)])
    lease = taken(database, worker)
    with fenced(lease.fence), database.transaction() as connection:
        note_commit(connection, "tides", "slow")
        with database.session() as apart:
            apart.execute("UPDATE pinakes.jobs SET leased_to = now() - interval '1 second'")
        with database.session() as apart:
            apart.execute("SET lock_timeout = '5s'")
            assert _nobody_gets_it(database, worker)
    assert taken(database, worker).id == lease.id


def _nobody_gets_it(database: Database, worker: int) -> bool:
    with fenced(lambda connection: None):
        return claim(database, worker) is None


def test_what_a_worker_that_is_gone_was_doing_is_free_at_once(database: Database, worker: int) -> None:
    put(database, [Task("tides", JobKind.FETCH)])
    gone = Presence(database)
    assert len(workers_there(database)) == 2
    first = taken(database, gone.number)
    assert claim(database, worker) is None
    gone.close()
    assert len(workers_there(database)) == 1
    assert taken(database, worker).id == first.id


def test_a_worker_whose_connection_was_lost_is_there_again_before_it_takes_a_job(database: Database) -> None:
    presence = Presence(database)
    before = presence.number
    with database.session() as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s::oid"
            " AND pid <> pg_backend_pid()",
            (before,),
        )
    assert workers_there(database) == ()
    presence.renew()
    presence.renew()
    assert presence.number != before
    assert workers_there(database) == (presence.name,)
    presence.close()


def test_a_job_that_fails_three_times_is_set_aside_with_its_reason_until_it_is_done(
    database: Database, worker: int
) -> None:
    put(database, [Task("tides", JobKind.FETCH)])
    for attempt in range(1, MOST_ATTEMPTS + 1):
        assert claim(database, worker, JobFilter("moon")) is None
        lease = taken(database, worker)
        assert lease.attempts == attempt
        is_aside = lease.fail("The host is down.", "Start it.")
        assert is_aside == (attempt == MOST_ATTEMPTS)
        assert claim(database, worker) is None
        run_out(database)
    assert claim(database, worker) is None
    (aside,) = queue_state(database, "tides").set_aside
    assert (aside.kind, aside.attempts, aside.reason, aside.next_step) == (
        JobKind.FETCH, 3, "The host is down.", "Start it.",
    )  # fmt: skip
    assert queue_state(database, "moon").set_aside == ()
    put(database, [Task("tides", JobKind.FETCH)])
    taken(database, worker).finish()
    assert queue_state(database).set_aside == ()


def test_a_job_that_ends_three_workers_is_set_aside(database: Database, worker: int) -> None:
    put(database, [Task("tides", JobKind.SCAN)])
    for _ in range(MOST_ATTEMPTS):
        taken(database, worker)
        run_out(database)
    assert claim(database, worker) is None
    (aside,) = queue_state(database).set_aside
    assert "ended without a word, 3 times" in aside.reason


def test_a_job_that_is_given_back_counts_no_attempt(database: Database, worker: int) -> None:
    put(database, [Task("tides", JobKind.FETCH)])
    taken(database, worker).give_back()
    assert taken(database, worker).attempts == 1


def test_a_library_that_is_removed_takes_its_jobs_along(database: Database, worker: int) -> None:
    put(database, [Task("tides", JobKind.FETCH)])
    lease = taken(database, worker)
    Registry(database).remove("tides")
    with pytest.raises(LeaseLost):
        lease.finish([Task("tides", JobKind.SCAN)])
    assert queue_state(database).running == 0


def test_a_database_of_an_older_pinakes_is_told_of_migrate_and_then_has_these_tables() -> None:
    database = open_database(server().new_database())
    migrate(database, [STORE_TABLES])
    with pytest.raises(StoreError, match="pinakes migrate"):
        Registry(database)
    migrate(database, table_sets())
    assert Registry(database).list() == []
    database.close()
