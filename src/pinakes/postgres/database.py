"""A PostgreSQL database: transactions on connections that are kept for the next question.

The address names the primary, where everything is written: several hosts with `target_session_attrs=read-write` find
whichever of them is the primary. Reading that says which index it is about may be answered by a replica; see
`postgres.replicas`.

Whoever asks many things for one answer does so inside `one_state`: all reads of a thread then go through one
transaction, and what two of them would have in common is read once (`once`).

Statements are not prepared and every setting is local to its transaction, so a pooler may stand between (PgBouncer,
also in transaction mode); what holds a lock for longer (`session`) or listens needs the server itself, or session mode.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from psycopg import ClientCursor

from pinakes.errors import StoreBusy, StoreError
from pinakes.postgres.connection import (
    READ_LIMIT_S,
    READING,
    SCHEMA,
    WRITES,
    CheckedConnection,
    PostgresConnection,
    in_transaction,
    sql,
)
from pinakes.postgres.failures import translate_database_errors
from pinakes.postgres.one_state import BegunRead, OneState
from pinakes.postgres.pool import MOST_CONNECTIONS, ConnectionPool
from pinakes.postgres.replicas import Position, Replicas, position_statement

__all__ = ["MOST_CONNECTIONS", "SCHEMA", "Database", "PostgresConnection", "in_transaction", "sql"]

T = TypeVar("T")
_LIMIT = f"SET LOCAL statement_timeout = {READ_LIMIT_S * 1000}; "
_TRUSTED_S = 5.0
"""How long a primary that could not be reached is asked after the replicas, where either may answer."""


class Database:
    """An address and the connections to it. Threads may share it; a process that was forked opens its own."""

    def __init__(self, url: str, read_urls: Sequence[str] = ()) -> None:
        """`read_urls` are those of replicas."""
        self._primary = ConnectionPool(url)
        self._replicas = Replicas(read_urls)
        self.url = url
        self.shown = self._primary.shown
        """The address as it may be shown."""
        self._own = threading.local()
        """Of each thread: how many times it is about to write, and the state that it reads."""
        self._process = os.getpid()
        self._missed = -math.inf
        """When the primary could not be reached."""
        self._away_since: float | None = None

    def connect(self) -> CheckedConnection:
        """A connection of the caller's own to the primary, to be closed by him; raises `StoreError`."""
        return self._primary.connect()

    @contextmanager
    def transaction(self, settings: str = "", index: int = 0) -> Iterator[PostgresConnection]:
        """A transaction that may write: all of it is kept, or nothing when an error leaves the block. `settings` are
        statements to begin with; they are ours, never a user's text. `index` is the one that is written to."""
        with self.on_primary():
            with self._primary.transaction(WRITES, settings) as (connection, _):
                yield connection
                position = self.position(connection, index)
            self.saw(index, position)

    @contextmanager
    def snapshot(self, settings: str = "", index: int = 0, *, anywhere: bool = False) -> Iterator[PostgresConnection]:
        """A transaction that reads one state of the database, whatever others write meanwhile: of the primary, or
        where `index` says what is read, of a replica that has come as far as this process has seen. With `anywhere` any
        replica may answer while the primary cannot be reached. Inside `one_state` it is that one, and `settings` hold
        until the next ones."""
        state = self._state
        # What is about no index may be read from the primary, which the rest need not.
        if state is not None and (index or state.is_begun or not self._replicas):
            with state.reading(settings, index, anywhere=anywhere) as connection:
                yield connection
        else:
            with ExitStack() as stack:
                yield self.enter(stack, settings, index, anywhere=anywhere).connection

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """All that this thread reads inside is of one state of the database, from one transaction, which begins with
        the first of it."""
        if self._state is not None:
            yield
            return
        self._own.state = OneState(self)
        try:
            yield
        finally:
            self.forget_state()
            self._own.state = None

    @property
    def is_one_state(self) -> bool:
        """Whether this thread is inside `one_state`."""
        return self._state is not None

    def once(self, name: object, ask: Callable[[], T]) -> T:
        """What `ask` reads; inside `one_state` it is read once under this name."""
        state = self._state
        return ask() if state is None else state.once(name, ask)

    def forget_state(self) -> None:
        """What this thread reads next is of another state."""
        if (state := self._state) is not None:
            state.end()

    def ask(
        self, statement: str, values: Sequence[object] = (), index: int = 0, *, anywhere: bool = False
    ) -> list[tuple[Any, ...]]:
        """The rows of one statement, by itself: in one message to the server. It names tables with their schema. See
        `snapshot`."""
        is_begun = self._state is not None and (self._state.is_begun or index)
        if is_begun or (self._replicas and (index or anywhere)):
            with self.snapshot(index=index, anywhere=anywhere) as connection:
                return connection.execute(sql(statement), values).fetchall()
        with self._primary.lent() as connection:
            # Two statements in one message are one transaction; their values have to stand in the text.
            cursor = ClientCursor(connection)
            cursor.execute(sql(_LIMIT + statement), values)
            cursor.nextset()
            return cursor.fetchall()

    @contextmanager
    def session(self) -> Iterator[PostgresConnection]:
        """A connection to the primary for locks that outlast a transaction. It is closed afterwards, and its locks go
        with it."""
        connection = self.connect()
        try:
            with translate_database_errors(self.url):
                yield connection
        finally:
            connection.close()

    def listen(self, channel: str, beat_s: float = 1.0) -> Iterator[str]:
        """What is notified on a channel from now on; raises `StoreError` when the connection is lost. The first is
        always empty, and says that nothing can be missed any more; another empty one comes whenever nothing did for
        `beat_s`."""
        connection = self.connect()
        try:
            with translate_database_errors(self.url):
                connection.execute(sql(f'LISTEN "{channel}"'))
            yield ""
            while True:
                with translate_database_errors(self.url):
                    told = [one.payload for one in connection.notifies(timeout=beat_s, stop_after=1)]
                yield from told or [""]
        finally:
            connection.close()

    @contextmanager
    def on_primary(self) -> Iterator[None]:
        """What this thread reads inside is read from the primary: it is about to write."""
        self._own.depth = self._depth + 1
        self.forget_state()
        try:
            yield
        finally:
            self._own.depth -= 1
            self.forget_state()

    def position(self, connection: PostgresConnection, index: int) -> Position:
        """How far an index is for a transaction that wrote to it, for `saw` once that has ended."""
        return self._replicas.position(connection, index)

    def saw(self, index: int, position: Position) -> None:
        """This process reads no older state of an index from now on."""
        self._replicas.saw(index, position)

    def require(self, index: int, generation: int) -> None:
        """Somebody knows an index to be at this generation: from now on it is read no earlier."""
        self._replicas.require(index, generation)

    def catch_up(self, index: int, generation: int) -> None:
        """A stranger says that an index is at this generation: where that is news, the primary is asked how far it is,
        and it is read no earlier."""
        if not self._replicas.knows(index, generation):
            with self.on_primary(), self.snapshot() as connection:
                self.saw(index, self.position(connection, index))

    @property
    def away_s(self) -> float:
        """How long replicas have answered what either may, since the primary could not be reached; 0 when it can."""
        return 0.0 if self._away_since is None else time.monotonic() - self._away_since

    def close(self) -> None:
        """Close the connections that nobody uses; whoever uses one closes it by giving it back."""
        self._primary.close()
        self._replicas.close()

    @property
    def _depth(self) -> int:
        return getattr(self._own, "depth", 0)

    @property
    def _state(self) -> OneState | None:
        if self._process != os.getpid():  # the transaction of a parent is the parent's
            self._process, self._own = os.getpid(), threading.local()
        return getattr(self._own, "state", None)

    def enter(self, stack: ExitStack, settings: str, index: int, *, anywhere: bool) -> BegunRead:
        """See `Readable`."""
        if self._replicas and index and not self._depth:
            found = self._replicas.entered(stack, settings, index)
            if found is not None:
                return BegunRead(found, is_primary=False)
            try:
                begun = stack.enter_context(
                    self._primary.transaction(READING, f"{settings}; {position_statement(index)}")
                )
            except StoreError:  # also those that are left out are worth a try now
                found = self._replicas.entered(stack, settings, index, is_last=True)
                if found is None:
                    raise
                return BegunRead(found, is_primary=False)
            self.saw(index, dict(begun.rows))
            return BegunRead(begun.connection, is_primary=True)
        if self._replicas and anywhere and not self._depth:
            return self._entered_anywhere(stack, settings)
        return BegunRead(stack.enter_context(self._primary.transaction(READING, settings)).connection, is_primary=True)

    def may_read(self, begun: BegunRead, index: int) -> bool:
        """See `Readable`."""
        return self._replicas.has_come(begun.connection, index, is_primary=begun.is_primary)

    def _entered_anywhere(self, stack: ExitStack, settings: str) -> BegunRead:
        if time.monotonic() - self._missed > _TRUSTED_S:
            try:
                begun = stack.enter_context(self._primary.transaction(READING, settings))
                self._away_since = None
                return BegunRead(begun.connection, is_primary=True)
            except StoreBusy:
                raise
            except StoreError:
                self._missed = time.monotonic()
                self._away_since = self._missed if self._away_since is None else self._away_since
        try:
            return BegunRead(self._replicas.entered_any(stack, settings), is_primary=False)
        except StoreError:
            self._missed = -math.inf
            raise
