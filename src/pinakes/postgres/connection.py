"""One connection to a PostgreSQL server, which does not wait for a server that is gone.

A network that swallows everything ends no connection, and a statement may take long for good reasons. So when nothing
has come back for a while, the server is asked over a second connection whether it still works for the first one. If it
does not answer, or does not work for it, the first one is closed and its statement fails like any other on a lost
connection. The server does not know the number of a connection behind a pooler: then there is no more to be asked.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import psycopg

from pinakes.postgres.fence import look_at_fence
from pinakes.postgres.odd_text import adapt

if TYPE_CHECKING:
    from psycopg import Notify
    from psycopg.abc import PQGen

RV = TypeVar("RV")

PostgresConnection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

SCHEMA = "pinakes"
"""The one schema in which all tables lie."""
READ_LIMIT_S = 30
"""For one statement of a transaction that reads."""
SILENCE_S = 2.0
"""After so long without a byte the server is asked whether it still works."""
_PATH = f"SET LOCAL search_path = {SCHEMA}, public, pg_temp; SET LOCAL jit = off"
"""No settings of the connection: a pooler would not hand them on. To compile a statement takes longer than any of ours.
"""
READING = "REPEATABLE READ, READ ONLY"
WRITES = "READ COMMITTED"
"""The kind of transactions that may write."""
_LIMITS = {READING: f"SET LOCAL statement_timeout = {READ_LIMIT_S * 1000}; "}
_IS_LEFT = (
    "SELECT state <> 'active' AND state_change < clock_timestamp() - interval '1 second'"
    " FROM pg_stat_activity WHERE pid = %s"
)


class CheckedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose silence is looked into."""

    silence_s = SILENCE_S
    """How long nothing may come back before the server is asked."""
    options: dict[str, Any]
    """What it was made with; none in a connection that asks about another one, and is given up at once."""

    def wait(self, gen: PQGen[RV], *args: Any, **kwargs: Any) -> RV:
        return super().wait(self._checked(gen), *args, **kwargs)

    def notifies(self, *, timeout: float | None = None, stop_after: int | None = None) -> Generator[Notify, None, None]:
        """See psycopg. Nothing has to come meanwhile; where nothing did, the server is asked for a sign of life."""
        self.silence_s, is_told = math.inf, False
        try:
            for one in super().notifies(timeout=timeout, stop_after=stop_after):
                is_told = True
                yield one
        finally:
            self.silence_s = type(self).silence_s
        if not is_told:
            self.execute("")

    def _checked(self, work: PQGen[RV]) -> PQGen[RV]:
        """What `work` comes to; it fails where the server does not do its part of it any more."""
        try:
            wanted = next(work)
            heard = time.monotonic()
            while True:
                ready = yield wanted
                if ready:
                    heard = time.monotonic()
                elif time.monotonic() - heard > self.silence_s:
                    if not self._is_served():
                        self.close()
                        raise psycopg.OperationalError(f"nothing came back for {time.monotonic() - heard:.0f} s")
                    heard = time.monotonic()
                wanted = work.send(ready)
        except StopIteration as done:
            result: RV = done.value
            return result

    def _is_served(self) -> bool:
        if not self.options:
            return False
        place = {"host": self.info.host, "hostaddr": self.info.hostaddr, "port": self.info.port, "connect_timeout": 2}
        place["target_session_attrs"] = "any"
        with suppress(psycopg.Error), connected({**self.options, **place}, may_ask=False) as other:
            row = other.execute(_IS_LEFT, (self.info.backend_pid,)).fetchone()
            return row is None or not row[0]
        return False


def connected(options: dict[str, Any], *, may_ask: bool = True) -> CheckedConnection:
    """A new connection; raises `psycopg.Error`."""
    # Settings of planning differ from question to question, and cached plans would not heed them.
    connection = CheckedConnection.connect(**options, autocommit=True, prepare_threshold=None)
    connection.options = options if may_ask else {}
    adapt(connection)
    return connection


@contextmanager
def in_transaction(connection: PostgresConnection, kind: str, settings: str = "") -> Iterator[None]:
    """Begin a transaction of a kind with our schema as its path, and end it: in one message to the server each."""
    begin(connection, kind, settings)
    with ending(connection, kind):
        yield


def begin(connection: PostgresConnection, kind: str, settings: str = "") -> psycopg.Cursor[tuple[Any, ...]]:
    """The results of beginning a transaction, the last one being that of the last of `settings`."""
    cursor = connection.execute(sql(f"BEGIN ISOLATION LEVEL {kind}; {_PATH}; {_LIMITS.get(kind, '')}{settings}"))
    while cursor.nextset():
        pass
    return cursor


@contextmanager
def ending(connection: PostgresConnection, kind: str) -> Iterator[None]:
    """End the transaction that was begun: undone where an error leaves the block, or where it may write and the fence
    of this thread does not let it."""
    try:
        if kind == WRITES:
            look_at_fence(connection)
        yield
    except BaseException:
        with suppress(psycopg.Error):  # a lost connection has nothing to undo
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def sql(text: str) -> bytes:
    """A statement that we put together: its parts are ours, and values go in as parameters."""
    return text.encode()
