"""Which replica may answer: one that has come as far as this process has seen an index.

A replica replays what the primary did in the same order, later. How far an index is there is told by its own rows: the
generation of the store and of the words, the version of each set of vectors. A process never reads an older state than
it read or wrote before; where no replica has come that far, the primary is asked. The primary is asked first about each
index, so that a server that is no replica of it is never believed: an index has another history there. A replica that
fails is left out for a while, twice as long each time.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from pinakes.errors import StoreBusy, StoreError
from pinakes.postgres.connection import READING, CheckedConnection, PostgresConnection, sql
from pinakes.postgres.pool import BegunTransaction, ConnectionPool

_LOG = logging.getLogger("pinakes")

_LEFT_OUT_S = 2.0
_LONGEST_S = 60.0
_BEHIND_S = 0.1
"""A replica that is behind is not asked again before that."""

Position = Mapping[str, int]
"""How far each part of an index is."""


def position_statement(index: int) -> str:
    """Asks how far an index is."""
    return (
        f"SELECT 'store', generation FROM indexes WHERE id = {index:d}"
        f" UNION ALL SELECT 'history ' || history, 0 FROM indexes WHERE id = {index:d}"
        f" UNION ALL SELECT 'words', generation FROM word_indexes WHERE store = {index:d}"
        f" UNION ALL SELECT 'vectors ' || id, version FROM vector_sets WHERE store = {index:d}"
    )


@dataclass(slots=True)
class _Replica:
    pool: ConnectionPool
    failures: int = 0
    """Since it last answered."""
    out_until: float = 0.0


class Replicas:
    """The replicas of a database, and what this process has seen of its indexes. Threads may share it."""

    def __init__(self, urls: Iterable[str]) -> None:
        pools = [ConnectionPool(url) for url in urls]
        random.shuffle(pools)  # processes spread over them; each keeps to one, so that it asks one state
        self._replicas = tuple(_Replica(pool) for pool in pools)
        self._seen: dict[int, dict[str, int]] = {}
        self._changing = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self._replicas)

    def position(self, connection: PostgresConnection, index: int) -> Position:
        """How far an index is for a transaction; nothing where there are no replicas to compare with."""
        if not self._replicas or not index:
            return {}
        return dict(connection.execute(sql(position_statement(index))).fetchall())

    def saw(self, index: int, position: Position, *, is_primary: bool = True) -> None:
        """This process has seen an index so far. What the primary does not have any more is not waited for."""
        if not self._replicas or not index:
            return
        with self._changing:
            known = self._seen.get(index, {})
            parts = position if is_primary else {**known, **position}
            self._seen[index] = {part: max(known.get(part, 0), position.get(part, 0)) for part in parts}

    def has_come(self, connection: PostgresConnection, index: int, *, is_primary: bool) -> bool:
        """Whether an index may be read in a transaction that began with another one, and has now been seen there."""
        if not self._replicas:
            return True
        if not is_primary and not self._seen.get(index):
            return False
        position = self.position(connection, index)
        if not is_primary and not self._has_come(index, position):
            return False
        self.saw(index, position, is_primary=is_primary)
        return True

    def knows(self, index: int, generation: int) -> bool:
        """Whether whoever reads an index now reads it at this generation of its store, or a later one."""
        seen = self._seen.get(index)
        return not self._replicas or not seen or seen.get("store", 0) >= generation

    def require(self, index: int, generation: int) -> None:
        """From now on an index is read at this generation of its store, or a later one."""
        if self._seen.get(index):  # else the primary is asked anyway
            self.saw(index, {"store": generation}, is_primary=False)

    def entered(
        self, stack: ExitStack, settings: str, index: int, *, is_last: bool = False
    ) -> CheckedConnection | None:
        """A transaction on a replica that has come as far as was seen of an index, which ends with the stack; None
        where no replica has, or can be reached. With `is_last` there is nobody else to ask."""
        if not self._seen.get(index):
            return None
        for replica in self._replicas:
            if time.monotonic() < replica.out_until and not is_last:
                continue
            begun = self._begun(stack, replica, f"{settings}; {position_statement(index)}", index)
            if begun is not None:
                return begun.connection
        return None

    def entered_any(self, stack: ExitStack, settings: str) -> CheckedConnection:
        """A transaction on any replica that answers; raises `StoreError` where none does."""
        trouble: StoreError | None = None
        for replica in self._replicas:
            try:
                return stack.enter_context(replica.pool.transaction(READING, settings)).connection
            except StoreError as error:
                trouble = error
        assert trouble is not None
        raise trouble

    def close(self) -> None:
        """Close the connections that nobody uses."""
        for replica in self._replicas:
            replica.pool.close()

    def _begun(self, stack: ExitStack, replica: _Replica, settings: str, index: int) -> BegunTransaction | None:
        tried = replica.failures
        if tried:  # others do not wait for the one that tries again
            replica.out_until = time.monotonic() + _LEFT_OUT_S
        try:
            with ExitStack() as own:
                begun = own.enter_context(replica.pool.transaction(READING, settings))
                position: Position = dict(begun.rows)
                if self._has_come(index, position):
                    self.saw(index, position, is_primary=False)
                    stack.push(own.pop_all())
                    if tried:
                        _LOG.warning("%s answers again.", replica.pool.shown)
                        replica.failures, replica.out_until = 0, 0.0
                    return begun
                replica.out_until = time.monotonic() + _BEHIND_S
        except StoreBusy:
            pass  # all of its connections are in use
        except StoreError as error:
            out_s = min(_LEFT_OUT_S * 2**tried, _LONGEST_S)
            replica.failures, replica.out_until = tried + 1, time.monotonic() + out_s
            _LOG.warning("A replica is left out for %.0f s. %s", out_s, error)
        return None

    def _has_come(self, index: int, position: Position) -> bool:
        return all(position.get(part, -1) >= version for part, version in self._seen[index].items())
