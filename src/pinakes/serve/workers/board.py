"""A few numbers that the supervisor and its workers share, in memory that a fork hands on.

Each number has one writer, so there are no locks. The numbers of a worker that died stay, and its successor begins with
them.
"""

from __future__ import annotations

import mmap
import struct

_NUMBER = struct.Struct("q")
_TAKEN, _OPEN = range(2)
_COLUMNS = 2


class Board:
    """How many connections each worker was handed and has open."""

    def __init__(self, workers: int) -> None:
        self._memory = mmap.mmap(-1, workers * _COLUMNS * _NUMBER.size)

    def taken(self, worker: int) -> int:
        """How many connections a worker has taken over, ever."""
        return self._read(worker, _TAKEN)

    def take(self, worker: int, connections: int) -> None:
        """Count connections that a worker has just taken over."""
        self._write(worker, _TAKEN, self.taken(worker) + connections)

    def open(self, worker: int) -> int:
        """How many connections a worker has open."""
        return self._read(worker, _OPEN)

    def set_open(self, worker: int, connections: int) -> None:
        self._write(worker, _OPEN, connections)

    def _read(self, worker: int, column: int) -> int:
        found: int = _NUMBER.unpack_from(self._memory, self._at(worker, column))[0]
        return found

    def _write(self, worker: int, column: int, number: int) -> None:
        _NUMBER.pack_into(self._memory, self._at(worker, column), number)

    def _at(self, worker: int, column: int) -> int:
        return (worker * _COLUMNS + column) * _NUMBER.size
