"""The queue: jobs are put in, handed out by lease, and taken back as done or failed.

What is to be done enters as a `JobKind` with a library; a `Job` leaves, with a lease. Whoever has it goes on saying so
(`Lease.extend`), and writes under its fence (`Lease.fence`): once the lease is somebody else's, nothing of what the
former holder writes is kept. A job that is done goes, together with what it has written and what follows from it, in
one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from msgspec import Struct

from pinakes.errors import LeaseLost
from pinakes.jobs.presence import workers_there
from pinakes.jobs.schema import CLAIM_LOCK, JOB_TABLES, JOBS_CHANNEL, WORKER_LOCK
from pinakes.postgres.database import Database, PostgresConnection, sql
from pinakes.postgres.fence import fenced
from pinakes.postgres.migrations import require_schema
from pinakes.records.jobs import JobKind, QueueState, SetAside

MOST_ATTEMPTS = 3
LEASE_S = 30.0
"""How long a worker that says nothing any more keeps its job, where the loss of its connection does not tell sooner."""
_PAUSES_S = (1.0, 10.0)
"""Before the second and the third attempt."""


class _Order(Struct, frozen=True):
    """When a kind of job may run."""

    urgency: int
    """Smaller ones first: what brings a changed file into an index goes before what makes a large index better."""
    lane: str = ""
    behind: tuple[JobKind, ...] = ()


_ORDERS: Mapping[JobKind, _Order] = {
    JobKind.FETCH: _Order(0),
    JobKind.SCAN: _Order(1, "index"),
    JobKind.READ: _Order(2),
    JobKind.RANK: _Order(3, "rank", (JobKind.EMBED,)),
    JobKind.EMBED: _Order(4),
}
_FREE = """
(state = 'waiting' AND not_before <= now() OR state = 'running' AND (leased_to < now() OR NOT EXISTS (
    SELECT FROM there WHERE there.number = job.worker)))
"""
_THERE = f"""
there AS MATERIALIZED (SELECT objid::integer AS number FROM pg_locks WHERE locktype = 'advisory' AND granted
    AND classid = {WORKER_LOCK} AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
"""
_WANTED = "(%s = '' OR library = %s) AND kind = ANY(%s::text[])"
_KINDS = f"kind IN ({', '.join(repr(kind.value) for kind in JobKind)})"
"""Jobs of kinds that we do not know are for another version of Pinakes."""
_MOST_GIVEN = 64_000_000
_GIVEN = f"CASE WHEN octet_length(given) <= {_MOST_GIVEN} THEN given ELSE '' END"
_ABANDONED = f"""
WITH {_THERE} DELETE FROM jobs job WHERE state = 'running' AND attempts >= {MOST_ATTEMPTS} AND {_FREE} AND {_KINDS}
    RETURNING library, kind, part, {_GIVEN}, attempts
"""
_CLAIM = f"""
WITH {_THERE}, chosen AS (
    SELECT id FROM jobs job WHERE {_FREE} AND attempts < {MOST_ATTEMPTS}
        AND {_WANTED} AND NOT EXISTS (
        SELECT FROM jobs other WHERE other.library = job.library AND other.id <> job.id AND other.state <> 'aside'
        AND (other.kind = ANY(job.behind) OR job.lane <> '' AND other.lane = job.lane AND other.state = 'running')
    ) ORDER BY urgency, id LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE jobs SET state = 'running', attempts = attempts + 1, worker = %s, lease = nextval('leases'),
    leased_to = now() + make_interval(secs => %s), since = now() FROM chosen WHERE jobs.id = chosen.id
    RETURNING jobs.id, library, kind, part, {_GIVEN}, attempts, lease
"""
_PUT = """
INSERT INTO jobs (library, kind, part, given, urgency, lane, behind) SELECT %s, %s, %s, %s, %s, %s, %s::text[]
    WHERE EXISTS (SELECT FROM libraries WHERE name = %s) ON CONFLICT (library, kind, part) WHERE state = 'waiting'
    DO UPDATE SET not_before = now(), given = excluded.given
"""
_ASIDE = """
INSERT INTO jobs (library, kind, part, given, urgency, behind, state, attempts, reason, next_step)
    SELECT %s, %s, %s, %s, 0, '{}', 'aside', %s, %s, %s WHERE EXISTS (SELECT FROM libraries WHERE name = %s)
    ON CONFLICT (library, kind, part) WHERE state = 'aside' DO UPDATE SET attempts = excluded.attempts,
    reason = excluded.reason, next_step = excluded.next_step, since = now()
"""
_GONE = "It was taken by another worker, or its library was removed; what was not finished is not kept."


class Task(Struct, frozen=True):
    """What is to be done, before it is anybody's."""

    library: str
    kind: JobKind
    part: str = ""
    given: Mapping[str, Any] = {}


class JobFilter(Struct, frozen=True):
    """Which jobs somebody would do."""

    library: str = ""
    """Of this library; empty for all."""
    kinds: tuple[JobKind, ...] = ()
    """Of these kinds; empty for all."""

    @property
    def values(self) -> tuple[Any, ...]:
        """For the condition of these jobs."""
        return self.library, self.library, list(self.kinds or JobKind)


EVERYTHING = JobFilter()


class Lease(Struct, frozen=True):
    """A job in the hands of one worker."""

    database: Database
    id: int
    task: Task
    attempts: int
    """This one among them."""
    number: int

    def fence(self, connection: PostgresConnection) -> None:
        """Raise `LeaseLost` unless the job is still this worker's, and see to it that it stays so until this
        transaction ends."""
        row = connection.execute(
            "SELECT FROM jobs WHERE id = %s AND lease = %s FOR KEY SHARE", (self.id, self.number)
        ).fetchone()
        if row is None:
            self.raise_lost()

    def extend(self, lease_s: float = LEASE_S) -> bool:
        """Say that it is still being worked on; False when it is somebody else's by now."""
        return bool(
            self.database.ask(
                "UPDATE pinakes.jobs SET leased_to = now() + make_interval(secs => %s) WHERE id = %s AND lease = %s"
                " RETURNING id",
                (lease_s, self.id, self.number),
            )
        )

    def finish(self, following: Iterable[Task] = (), write: Callable[[PostgresConnection], None] | None = None) -> None:
        """Take the job out of the queue, and put what follows in, with what `write` writes; raises `LeaseLost`."""
        one = self.task
        done = [one.kind, *_ORDERS[one.kind].behind] if _ORDERS[one.kind].lane else [one.kind]
        with fenced(self.fence), self.database.transaction() as connection:
            if write is not None:
                write(connection)
            connection.execute("DELETE FROM jobs WHERE id = %s", (self.id,))
            connection.execute(
                "DELETE FROM jobs WHERE library = %s AND state = 'aside' AND kind = ANY(%s::text[])"
                " AND (kind <> %s OR part = %s)",
                (one.library, done, one.kind, one.part),
            )
            for task in following:
                _put(connection, task)
            _notify(connection, one.library)

    def give_back(self) -> None:
        """Let somebody else do it; this attempt does not count."""
        with self.database.transaction() as connection:
            if self._taken_out(connection):
                _again(connection, self.task, self.attempts - 1, 0.0, "")
                _notify(connection, self.task.library)

    def fail(self, reason: str, next_step: str, *, is_final: bool = False) -> bool:
        """Have it tried again later; after so many attempts, or where that would be in vain, it is set aside. Returns
        whether it was. What was lost meanwhile is left alone."""
        is_aside = is_final or self.attempts >= MOST_ATTEMPTS
        with self.database.transaction() as connection:
            if not self._taken_out(connection):
                return False
            if is_aside:
                _set_aside(connection, self.task, self.attempts, reason, next_step)
            else:
                _again(connection, self.task, self.attempts, _PAUSES_S[self.attempts - 1], reason)
            _notify(connection, self.task.library)
        return is_aside

    def raise_lost(self) -> NoReturn:
        """Raise `LeaseLost`."""
        raise LeaseLost(f"The job {self.task.kind} of {self.task.library} is not ours any more.", _GONE)

    def _taken_out(self, connection: PostgresConnection) -> bool:
        gone = connection.execute("DELETE FROM jobs WHERE id = %s AND lease = %s RETURNING id", (self.id, self.number))
        return gone.fetchone() is not None


def put(database: Database, tasks: Iterable[Task]) -> None:
    """Put jobs into the queue; one that waits already is not put in twice."""
    require_schema(database, [JOB_TABLES])
    with database.transaction() as connection:
        for one in tasks:
            _put(connection, one)
            _notify(connection, one.library)


def claim(database: Database, worker: int, wanted: JobFilter = EVERYTHING, lease_s: float = LEASE_S) -> Lease | None:
    """The most urgent job that nobody works on and that may be begun, for the worker of that number."""
    with database.transaction() as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (CLAIM_LOCK,))
        for library, kind, part, given, attempts in connection.execute(sql(_ABANDONED)).fetchall():
            reason = f"Whoever did it ended without a word, {attempts} times."
            step = "Look at the log of that machine: it may have too little memory for a file."
            _set_aside(connection, Task(library, JobKind(kind), part, _read(given)), attempts, reason, step)
        row = connection.execute(sql(_CLAIM), (*wanted.values, worker, lease_s)).fetchone()
    if row is None:
        return None
    id, library, kind, part, given, attempts, number = row
    return Lease(database, id, Task(library, JobKind(kind), part, _read(given)), attempts, number)


def forget_waiting(database: Database, library: str, kind: JobKind) -> None:
    """Take out what nobody has begun of a kind: whoever put it in is not there any more."""
    with database.transaction() as connection:
        connection.execute("DELETE FROM jobs WHERE library = %s AND kind = %s AND state <> 'running'", (library, kind))


def take_back(database: Database, one: Task) -> bool:
    """Take a job out that nobody has begun, or that was set aside; returns whether there was one."""
    with database.transaction() as connection:
        gone = connection.execute(
            "DELETE FROM jobs WHERE library = %s AND kind = %s AND part = %s AND state <> 'running' RETURNING id",
            (one.library, one.kind, one.part),
        )
        return gone.fetchone() is not None


def is_running(database: Database, one: Task) -> bool:
    """Whether a worker that is there does this job now."""
    asked = f"""
WITH {_THERE} SELECT FROM pinakes.jobs WHERE library = %s AND kind = %s AND part = %s AND state = 'running'
    AND leased_to > now() AND worker IN (SELECT number FROM there)
"""
    return bool(database.ask(asked, (one.library, one.kind, one.part)))


def is_anything_left(database: Database, wanted: JobFilter = EVERYTHING) -> bool:
    """Whether jobs wait, whoever may do them."""
    asked = f"SELECT FROM pinakes.jobs WHERE state = 'waiting' AND {_WANTED} LIMIT 1"
    return bool(database.ask(asked, wanted.values))


def queue_state(database: Database, library: str = "") -> QueueState:
    """What there is to do, of one library or of all."""
    require_schema(database, [JOB_TABLES])
    mine, values = (" WHERE library = %s", (library,)) if library else ("", ())
    counts: dict[str, int] = dict(
        database.ask(f"SELECT state, count(*) FROM pinakes.jobs{mine} GROUP BY state", values)
    )
    rows = (
        database.ask(
            "SELECT library, kind, attempts, reason, next_step, to_char(since AT TIME ZONE 'UTC',"
            ' \'YYYY-MM-DD"T"HH24:MI:SS"+00:00"\'), state FROM pinakes.jobs'
            f"{mine}{' AND' if mine else ' WHERE'} state = 'aside' AND {_KINDS} ORDER BY id",
            values,
        )
        if counts.get("aside")
        else []
    )
    aside = tuple([SetAside(one, JobKind(kind), *rest) for one, kind, *rest, _ in rows])
    return QueueState(workers_there(database), counts.get("waiting", 0), counts.get("running", 0), aside)


def _put(connection: PostgresConnection, one: Task) -> None:
    order = _ORDERS[one.kind]
    behind: Sequence[str] = list(order.behind)
    values = (one.library, one.kind, one.part, _written(one), order.urgency, order.lane, behind, one.library)
    connection.execute(sql(_PUT), values)


def _again(connection: PostgresConnection, one: Task, attempts: int, pause_s: float, reason: str) -> None:
    """Put a job back. One like it that was put in meanwhile takes over how often it was tried."""
    _put(connection, one)
    connection.execute(
        "UPDATE jobs SET attempts = greatest(attempts, %s), reason = %s, not_before = now() + make_interval(secs => %s)"
        " WHERE library = %s AND kind = %s AND part = %s AND state = 'waiting'",
        (attempts, reason, pause_s, one.library, one.kind, one.part),
    )


def _set_aside(connection: PostgresConnection, one: Task, attempts: int, reason: str, next_step: str) -> None:
    connection.execute(
        sql(_ASIDE),
        (one.library, one.kind, one.part, _written(one), attempts, reason, next_step, one.library),
    )


def _notify(connection: PostgresConnection, library: str) -> None:
    connection.execute("SELECT pg_notify(%s, %s)", (JOBS_CHANNEL, library))


def _written(one: Task) -> str:
    return json.dumps(one.given)


def _read(given: str) -> Mapping[str, Any]:
    """What a row says is given; nothing where it says it in no way of ours. Whoever does the job misses it then."""
    try:
        found = json.loads(given or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
