"""A PostgreSQL database: transactions on connections that are kept for the next question.

Connections are opened when they are needed, at most `MOST_CONNECTIONS` at a time, and one that was idle for a while
is asked for a sign of life before it is used again. psycopg's own pool is not used: it connects in threads of its own,
so that a wrong password is only heard of as a timeout half a minute later, and a command would wait for those threads
at its end.

Statements are not prepared and every setting is local to its transaction, so a pooler may stand between (PgBouncer,
also in transaction mode); what holds a lock for longer (`session`) or listens needs the server itself, or session mode.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

import psycopg
from psycopg import conninfo
from psycopg.pq import TransactionStatus

from pinakes.errors import ConfigError, StoreBusy
from pinakes.postgres.address import require_url, without_password
from pinakes.postgres.failures import translate_database_errors
from pinakes.postgres.odd_text import adapt

PostgresConnection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

SCHEMA = "pinakes"
"""The one schema in which all tables lie."""
MOST_CONNECTIONS = 16
_WAIT_S = 10.0
"""For a connection while all are in use."""
_IDLE_S = 1.0
"""After so long a connection may have gone with its server."""
_PATH = f"SET LOCAL search_path = {SCHEMA}, public, pg_temp"
"""Not a setting of the connection: a pooler would not hand it on."""
_NETWORK = {
    "connect_timeout": "5",
    "keepalives_idle": "3",
    "keepalives_interval": "1",
    "keepalives_count": "2",
    "tcp_user_timeout": "5000",
}
"""A server that vanished is given up after five seconds. What the address says wins."""


class Database:
    """An address and the connections to it. Threads may share it; a process that was forked opens its own."""

    def __init__(self, url: str) -> None:
        require_url(url)
        self.url = url
        self.shown = without_password(url)
        """The address as it may be shown."""
        try:
            given = conninfo.conninfo_to_dict(url)
        except psycopg.Error:
            problem = f"The address {self.shown} cannot be read."
            raise ConfigError(problem, "Write % codes for signs such as @ and / in the password: %40, %2F.") from None
        self._options = {**_NETWORK, "application_name": f"pinakes {os.getpid()}", **given}
        self._idle: list[tuple[float, PostgresConnection]] = []
        self._changing = threading.Lock()
        self._free = threading.Semaphore(MOST_CONNECTIONS)
        self._process = os.getpid()

    def connect(self) -> PostgresConnection:
        """A connection of the caller's own, to be closed by him; raises `StoreError`."""
        with translate_database_errors(self.url):
            # Settings of planning differ from question to question, and cached plans would not heed them.
            connection = psycopg.connect(**self._options, autocommit=True, prepare_threshold=None)  # type: ignore[arg-type]
        adapt(connection)
        return connection

    @contextmanager
    def transaction(self, settings: str = "") -> Iterator[PostgresConnection]:
        """A transaction that may write: all of it is kept, or nothing when an error leaves the block. `settings` are
        statements to begin with; they are ours, never a user's text."""
        with self._lent() as connection, in_transaction(connection, "READ COMMITTED", settings):
            yield connection

    @contextmanager
    def snapshot(self, settings: str = "") -> Iterator[PostgresConnection]:
        """A transaction that reads one state of the database, whatever others write meanwhile."""
        with self._lent() as connection, in_transaction(connection, "REPEATABLE READ, READ ONLY", settings):
            yield connection

    def ask(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of one statement, by itself: in one message to the server. It names tables with their schema."""
        with self._lent() as connection:
            return connection.execute(sql(statement), values).fetchall()

    @contextmanager
    def session(self) -> Iterator[PostgresConnection]:
        """A connection for locks that outlast a transaction. It is closed afterwards, and its locks go with it."""
        connection = self.connect()
        try:
            with translate_database_errors(self.url):
                yield connection
        finally:
            connection.close()

    def listen(self, channel: str, timeout_s: float | None = None) -> Iterator[str]:
        """What is notified on a channel from now on, until nothing came for `timeout_s`; raises `StoreError` when the
        connection is lost. The first is always empty, and says that nothing can be missed any more."""
        with self.session() as connection:
            connection.execute(sql(f'LISTEN "{channel}"'))
            yield ""
            while True:
                got = [one.payload for one in connection.notifies(timeout=timeout_s, stop_after=1)]
                if not got:
                    return
                yield from got

    def close(self) -> None:
        """Close the connections that nobody uses; whoever uses one closes it by giving it back."""
        with self._changing:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    @contextmanager
    def _lent(self) -> Iterator[PostgresConnection]:
        self._forget_parent()
        if not self._free.acquire(timeout=_WAIT_S):
            raise StoreBusy(f"All {MOST_CONNECTIONS} connections to {self.shown} are in use.", "Try again.")
        try:
            connection = self._taken()
            try:
                with translate_database_errors(self.url):
                    yield connection
            finally:
                self._give_back(connection)
        finally:
            self._free.release()

    def _taken(self) -> PostgresConnection:
        while True:
            with self._changing:
                if not self._idle:
                    break
                since, connection = self._idle.pop()
            if time.monotonic() - since < _IDLE_S:
                return connection
            with suppress(psycopg.Error):
                connection.execute("")
                return connection
            connection.close()
        return self.connect()

    def _give_back(self, connection: PostgresConnection) -> None:
        if connection.closed or connection.info.transaction_status != TransactionStatus.IDLE:
            connection.close()
            return
        with self._changing:
            self._idle.append((time.monotonic(), connection))

    def _forget_parent(self) -> None:
        """After a fork the connections are the parent's: used here, both would speak on one line."""
        if self._process != os.getpid():
            self._process, self._idle = os.getpid(), []
            self._changing, self._free = threading.Lock(), threading.Semaphore(MOST_CONNECTIONS)


@contextmanager
def in_transaction(connection: PostgresConnection, kind: str, settings: str = "") -> Iterator[None]:
    """Begin a transaction of a kind with our schema as its path, and end it: in one message to the server each."""
    connection.execute(sql(f"BEGIN ISOLATION LEVEL {kind}; {_PATH}; {settings}"))
    try:
        yield
    except BaseException:
        with suppress(psycopg.Error):  # a lost connection has nothing to undo
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def sql(text: str) -> bytes:
    """A statement that we put together: its parts are ours, and values go in as parameters."""
    return text.encode()
