"""Connections to one address, kept for the next question.

They are opened when they are needed, at most `MOST_CONNECTIONS` at a time, and one that was idle for a while is asked
for a sign of life before it is used again. Where beginning a transaction finds that a connection is lost, all that
are idle go with it, and a new one is tried. psycopg's own pool is not used: it connects in threads of its own, so that
a wrong password is only heard of as a timeout half a minute later, and a command would wait for those threads at its
end.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import psycopg
from psycopg import conninfo
from psycopg.pq import TransactionStatus

from pinakes.errors import ConfigError, StoreBusy, StoreReadOnly
from pinakes.postgres.address import require_url, without_password
from pinakes.postgres.connection import CheckedConnection, begin, connected, ending
from pinakes.postgres.failures import is_connection_lost, translate_database_errors

MOST_CONNECTIONS = 16
_WAIT_S = 10.0
"""For a connection while all are in use."""
_IDLE_S = 1.0
"""After so long a connection may have gone with its server."""
_NETWORK = {
    "connect_timeout": "3",
    "keepalives_idle": "3",
    "keepalives_interval": "1",
    "keepalives_count": "2",
    "tcp_user_timeout": "5000",
}
"""A server that vanished is given up after five seconds. What the address says wins."""


class BegunTransaction(NamedTuple):
    """A connection in a transaction, and the rows that the last of its settings gave."""

    connection: CheckedConnection
    rows: list[tuple[Any, ...]]


class ConnectionPool:
    """Threads may share it; a process that was forked opens its own connections."""

    def __init__(self, url: str) -> None:
        """Nothing is connected yet; raises `ConfigError` for what is no address."""
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
        self._idle: list[tuple[float, CheckedConnection]] = []
        self._changing = threading.Lock()
        self._free = threading.Semaphore(MOST_CONNECTIONS)
        self._process = os.getpid()

    def connect(self) -> CheckedConnection:
        """A connection of the caller's own, to be closed by him; raises `StoreError`."""
        with translate_database_errors(self.url):
            return connected(self._options)

    @contextmanager
    def transaction(self, kind: str, settings: str = "") -> Iterator[BegunTransaction]:
        """A transaction: all of it is kept, or nothing when an error leaves the block; raises `StoreError`."""
        with self._slot(), translate_database_errors(self.url):
            connection, rows = self._begun(kind, settings)
            try:
                with ending(connection, kind):
                    yield BegunTransaction(connection, rows)
            except (psycopg.errors.ReadOnlySqlTransaction, StoreReadOnly):
                connection.close()  # another server may be the primary now, and is found by connecting anew
                self.close()
                raise
            finally:
                self._give_back(connection)

    @contextmanager
    def lent(self) -> Iterator[CheckedConnection]:
        """A connection for single statements; raises `StoreError`."""
        with self._slot(), translate_database_errors(self.url):
            connection = self._taken()
            try:
                yield connection
            finally:
                self._give_back(connection)

    def close(self) -> None:
        """Close the connections that nobody uses; whoever uses one closes it by giving it back."""
        with self._changing:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    @contextmanager
    def _slot(self) -> Iterator[None]:
        self._forget_parent()
        if not self._free.acquire(timeout=_WAIT_S):
            raise StoreBusy(f"All {MOST_CONNECTIONS} connections to {self.shown} are in use.", "Try again.")
        try:
            yield
        finally:
            self._free.release()

    def _begun(self, kind: str, settings: str) -> tuple[CheckedConnection, list[tuple[Any, ...]]]:
        """A connection in a transaction. One that was lost since it was last used is no reason to fail."""
        connection = self._taken()
        try:
            begun = begin(connection, kind, settings)
        except psycopg.Error as error:
            connection.close()
            if not is_connection_lost(error):
                raise
            self.close()
            connection = connected(self._options)
            try:
                begun = begin(connection, kind, settings)
            except BaseException:
                connection.close()
                raise
        return connection, begun.fetchall() if begun.description else []

    def _taken(self) -> CheckedConnection:
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
        return connected(self._options)

    def _give_back(self, connection: CheckedConnection) -> None:
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
