"""One writer of an index at a time: an advisory lock of PostgreSQL across processes, one more between our threads.

The lock belongs to a connection that stays with it (`held` gives it away), and goes when that connection does: whoever
is killed or cut off from the network loses it. What is written goes over the same connection, so nobody can write
without it. Who holds it is asked of the server, for the message to whoever waits in vain.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from weakref import finalize

import psycopg

from pinakes.errors import StoreBusy, StoreError, StoreReadOnly
from pinakes.postgres.database import Database, PostgresConnection, sql
from pinakes.postgres.failures import translate_database_errors
from pinakes.store.postgres.schema import STORE_LOCK

_HOLDER = """
SELECT application_name, coalesce(host(client_addr), 'the server''s own machine'), coalesce(xact_start, backend_start)
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND classid = %s AND objid = %s
AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


_KEEPALIVE = b"""
SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3;
SET tcp_user_timeout = 10000
"""
"""By default a server keeps the locks of a machine that vanished for two hours."""


class PostgresLock:
    """Held by one thread of one process; that thread may take it again."""

    def __init__(self, database: Database, number: int, shown: str) -> None:
        """`shown` names the index in messages."""
        self._database = database
        self._key = (STORE_LOCK, number)
        self._shown = shown
        self._thread = threading.RLock()
        self._depth = 0
        self._connection: PostgresConnection | None = None
        self._process = os.getpid()

    @property
    def is_taken_again(self) -> bool:
        """Whether the thread that holds it has taken it more than once."""
        return self._depth > 1

    @contextmanager
    def held(self, wait_s: float) -> Iterator[PostgresConnection]:
        """The connection that holds it. Waits up to `wait_s`, then raises `StoreBusy`."""
        until = time.monotonic() + wait_s
        if not self._thread.acquire(timeout=max(wait_s, 0)):
            raise StoreBusy(f"Another thread is writing to {self._shown}.", "Try again when it is done.")
        with ExitStack() as stack:
            stack.callback(self._thread.release)
            if not self._depth:
                self._take(max(until - time.monotonic(), 0), wait_s)
                stack.callback(self._release)
            self._depth += 1
            stack.callback(self._leave)
            assert self._connection is not None
            try:
                yield self._connection
            except StoreReadOnly:  # whoever connects again finds the server that is the primary now
                self._connection.close()
                raise

    def close(self) -> None:
        """Let go of the connection, unless somebody writes with it."""
        if self._thread.acquire(blocking=False):
            try:
                if not self._depth and self._connection is not None and self._process == os.getpid():
                    self._connection.close()
                    self._connection = None
            finally:
                self._thread.release()

    def _leave(self) -> None:
        self._depth -= 1

    def _take(self, wait_s: float, asked_s: float) -> None:
        with translate_database_errors(self._database.url):
            try:
                connection = self._connected()
            except StoreError as error:
                problem = f"Nothing can be written to {self._shown} now. {error.problem}"
                raise StoreBusy(problem, error.next_step) from error
            if self._is_taken(connection):
                return
            if wait_s:
                connection.execute(sql(f"SET lock_timeout = {max(1, int(wait_s * 1000))}"))
                try:
                    connection.execute("SELECT pg_advisory_lock(%s, %s)", self._key)
                    return
                except psycopg.errors.LockNotAvailable:
                    pass
                finally:
                    with suppress(psycopg.Error):
                        connection.execute("SET lock_timeout = 0")
            raise self._busy(connection, asked_s)

    def _connected(self) -> PostgresConnection:
        """That of last time, if it still answers."""
        known = self._connection
        if known is not None and self._process == os.getpid():
            with suppress(psycopg.Error):
                known.execute("")
                return known
            known.close()
        connection = self._connection = self._database.connect()
        connection.execute(_KEEPALIVE)
        self._process = os.getpid()
        finalize(self, connection.close)  # of a store that nobody closed
        return connection

    def _is_taken(self, connection: PostgresConnection) -> bool:
        row = connection.execute("SELECT pg_try_advisory_lock(%s, %s)", self._key).fetchone()
        return row is not None and bool(row[0])

    def _release(self) -> None:
        connection = self._connection
        assert connection is not None
        try:
            connection.execute("SELECT pg_advisory_unlock(%s, %s)", self._key)
        except psycopg.Error:  # the lock went with it
            connection.close()
            self._connection = None

    def _busy(self, connection: PostgresConnection, waited_s: float) -> StoreBusy:
        row = connection.execute(_HOLDER, self._key).fetchone()
        who = f"Another process is writing to {self._shown}"
        if row is not None:
            name, machine, since = row
            who = f"{name} on {machine} has been writing to {self._shown} since {since:%Y-%m-%d %H:%M:%S}"
        return StoreBusy(f"{who}; waited {waited_s:.1f} s for it.", "Try again when it is done, or end that process.")
