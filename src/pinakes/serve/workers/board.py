"""A few numbers that the supervisor and its workers share, in memory that a fork hands on.

Each number has one writer, so there are no locks. Of a worker that died, the supervisor writes them: what it had taken
is free, and its successor begins with how many connections it was handed.
"""

from __future__ import annotations

import mmap
import struct

from pinakes.serve.slots import SharedLimit, Shares, TakenCount

_NUMBER = struct.Struct("q")
_TAKEN, _OPEN, _WAITING = range(3)
_KEPT = 1
"""Columns that outlive a worker."""
_COUNTED = {what: column for column, what in enumerate(SharedLimit, _WAITING + 1)}
_COLUMNS = _WAITING + 1 + len(_COUNTED)


class Board:
    """What each worker has of connections, and of what all count together."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._memory = mmap.mmap(-1, workers * _COLUMNS * _NUMBER.size)

    def taken(self, worker: int) -> int:
        """How many connections a worker has taken over, ever."""
        return self.read(worker, _TAKEN)

    def take(self, worker: int, connections: int) -> None:
        """Count connections that a worker has just taken over."""
        self.write(worker, _TAKEN, self.taken(worker) + connections)

    def open(self, worker: int) -> int:
        """How many connections a worker has open."""
        return self.read(worker, _OPEN)

    def waiting(self, worker: int) -> int:
        """How many of them wait for a request."""
        return self.read(worker, _WAITING)

    def set_connections(self, worker: int, connections: int, waiting: int) -> None:
        self.write(worker, _OPEN, connections)
        self.write(worker, _WAITING, waiting)

    def forget(self, worker: int) -> None:
        """A worker has died, and holds nothing any more."""
        for column in range(_KEPT, _COLUMNS):
            self.write(worker, column, 0)

    def read(self, worker: int, column: int) -> int:
        found: int = _NUMBER.unpack_from(self._memory, self._at(worker, column))[0]
        return found

    def write(self, worker: int, column: int, number: int) -> None:
        _NUMBER.pack_into(self._memory, self._at(worker, column), number)

    def _at(self, worker: int, column: int) -> int:
        return (worker * _COLUMNS + column) * _NUMBER.size


class WorkerShares(Shares):
    """What one of several workers has of the limits of its server."""

    def __init__(self, board: Board, worker: int) -> None:
        self.processes = board.workers
        self._board = board
        self._worker = worker

    def count(self, what: SharedLimit) -> TakenCount:
        return _SharedCount(self._board, self._worker, _COUNTED[what])


class _SharedCount(TakenCount):
    def __init__(self, board: Board, worker: int, column: int) -> None:
        super().__init__()
        self._board = board
        self._worker = worker
        self._column = column

    @property
    def own(self) -> int:
        return self._board.read(self._worker, self._column)

    @property
    def total(self) -> int:
        return sum(self._board.read(worker, self._column) for worker in range(self._board.workers))

    def add(self, count: int) -> None:
        self._board.write(self._worker, self._column, self.own + count)
