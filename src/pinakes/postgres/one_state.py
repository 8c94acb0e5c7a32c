"""The one state of a database that a thread reads while it works out an answer, and the transaction it comes from.

A way to begin a transaction enters; reads that follow each other share it. It begins with the first of them. What is
read after an error, or after this thread has written, is read from the next state, as if there had been two questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, NamedTuple, Protocol, TypeVar

from pinakes.errors import StoreError
from pinakes.postgres.connection import CheckedConnection, PostgresConnection, sql
from pinakes.postgres.failures import translate_database_errors

T = TypeVar("T")


class BegunRead(NamedTuple):
    """A transaction that reads."""

    connection: CheckedConnection
    is_primary: bool


class Readable(Protocol):
    """What a state is read from."""

    url: str

    def enter(self, stack: ExitStack, settings: str, index: int, *, anywhere: bool) -> BegunRead:
        """Begin to read an index; the transaction ends with the stack."""
        ...

    def may_read(self, begun: BegunRead, index: int) -> bool:
        """Whether another index may be read there, too."""
        ...


class OneState:
    """Of one thread."""

    def __init__(self, source: Readable) -> None:
        self._source = source
        self._stack = ExitStack()
        self._begun: BegunRead | None = None
        self._settings = ""
        self._indexes: set[int] = set()
        """Those that may be read there."""
        self._known: dict[object, Any] = {}

    @property
    def is_begun(self) -> bool:
        return self._begun is not None

    @contextmanager
    def reading(self, settings: str, index: int, *, anywhere: bool) -> Iterator[PostgresConnection]:
        try:
            with translate_database_errors(self._source.url):
                yield self._connection(settings, index, anywhere=anywhere)
        except BaseException:
            self.end()
            raise

    def once(self, name: object, ask: Callable[[], T]) -> T:
        """What `ask` reads, which is read once."""
        if name not in self._known:
            found = ask()
            self._known[name] = found  # not before: an error makes it forget all
        known: T = self._known[name]
        return known

    def end(self) -> None:
        """Let go of the transaction."""
        stack, self._stack = self._stack, ExitStack()
        self._begun = None
        self._indexes.clear()
        self._known.clear()
        with suppress(StoreError):  # all that was wanted of it is there
            stack.close()

    def _connection(self, settings: str, index: int, *, anywhere: bool) -> PostgresConnection:
        if self._begun is not None and index and index not in self._indexes:
            if self._source.may_read(self._begun, index):
                self._indexes.add(index)
            else:
                self.end()
        if self._begun is None:
            self._begun = self._source.enter(self._stack, settings, index, anywhere=anywhere)
            self._settings = settings
            self._indexes.add(index)
        elif settings not in ("", self._settings):
            self._begun.connection.execute(sql(settings))
            self._settings = settings
        return self._begun.connection
