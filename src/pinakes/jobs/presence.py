"""A worker that is there: others see it, and it hears of work.

Its connection holds a lock for as long as the worker lives, and listens. A worker that is killed, or whose machine is
gone, loses both: what it was doing is then free for others at once, or when its lease has run out.
"""

from __future__ import annotations

import os
import socket

from pinakes.errors import StoreError
from pinakes.jobs.schema import JOB_TABLES, JOBS_CHANNEL, WORKER_LOCK
from pinakes.postgres.database import SCHEMA, Database, PostgresConnection, sql
from pinakes.postgres.failures import translate_database_errors
from pinakes.postgres.migrations import require_schema

_IS_THERE = f"""
EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = {WORKER_LOCK}
    AND objid = number::oid AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
"""


class Presence:
    """One worker of a database."""

    def __init__(self, database: Database) -> None:
        """Raises `StoreError`."""
        require_schema(database, [JOB_TABLES])
        self.name = f"{socket.gethostname()} {os.getpid()}"
        self.number = 0
        """Of the worker; another one after its connection was lost."""
        self._database = database
        self._connection: PostgresConnection | None = None
        self._begin()

    def renew(self) -> None:
        """Be there again where the connection was lost, which nobody tells; raises `StoreError`."""
        if self._connection is not None:
            try:
                with translate_database_errors(self._database.url):
                    self._connection.execute("")
            except StoreError:
                self._lose()
        if self._connection is None:
            self._begin()

    def wait(self, timeout_s: float) -> None:
        """Until there may be something to do, or for so long; raises `StoreError` where the connection is lost, after
        which another wait begins anew."""
        connection = self._connection or self._begin()
        try:
            with translate_database_errors(self._database.url):
                for _ in connection.notifies(timeout=timeout_s, stop_after=1):
                    pass
        except BaseException:
            self._lose()
            raise

    def close(self) -> None:
        """Not be there any more."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with connection, translate_database_errors(self._database.url):
                connection.execute(sql(f"DELETE FROM {SCHEMA}.workers WHERE number = %s"), (self.number,))
                connection.execute("SELECT pg_advisory_unlock_all()")  # the server hears of our end a moment later

    def _begin(self) -> PostgresConnection:
        connection = self._database.connect()
        try:
            with translate_database_errors(self._database.url):
                connection.execute(sql(f"DELETE FROM {SCHEMA}.workers WHERE NOT {_IS_THERE}"))
                made = connection.execute(
                    sql(
                        f"WITH made AS (INSERT INTO {SCHEMA}.workers (name) VALUES (%s) RETURNING number)"
                        f" SELECT number, pg_advisory_lock({WORKER_LOCK}, number) FROM made"
                    ),
                    (self.name,),
                ).fetchone()
                assert made is not None
                connection.execute(sql(f'LISTEN "{JOBS_CHANNEL}"'))
        except BaseException:
            connection.close()
            raise
        self.number, self._connection = made[0], connection
        return connection

    def _lose(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class JobsHeard:
    """Whoever waits for the work of others, and is no worker."""

    def __init__(self, database: Database) -> None:
        """Raises `StoreError`."""
        self._database = database
        self._connection = database.connect()
        with translate_database_errors(database.url):
            self._connection.execute(sql(f'LISTEN "{JOBS_CHANNEL}"'))

    def wait(self, timeout_s: float) -> None:
        """Until something was put in or done, or for so long; raises `StoreError`."""
        with translate_database_errors(self._database.url):
            for _ in self._connection.notifies(timeout=timeout_s, stop_after=1):
                pass

    def close(self) -> None:
        """Not listen any more."""
        self._connection.close()


def workers_there(database: Database) -> tuple[str, ...]:
    """The names of the workers that are there now, by when they came."""
    rows = database.ask(f"SELECT name FROM {SCHEMA}.workers WHERE {_IS_THERE} ORDER BY number")
    return tuple([name for (name,) in rows])
