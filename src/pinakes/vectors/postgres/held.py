"""Sets of vectors that lie in the memory of this process, those asked for last."""

from __future__ import annotations

import threading
from typing import NamedTuple

from pinakes.vectors.layout import VectorTable

_MOST_BYTES = 1_000_000_000


class TableName(NamedTuple):
    """A set of vectors in a database."""

    url: str
    number: int


class HeldTables:
    """Tables by name, as many as there is room for. Threads may share it."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._tables: dict[TableName, VectorTable] = {}
        self._most_bytes = most_bytes
        self._bytes = 0
        self._changing = threading.Lock()

    def get(self, name: TableName) -> VectorTable | None:
        """That of a name, which becomes the last to be given up."""
        with self._changing:
            found = self._tables.pop(name, None)
            if found is not None:
                self._tables[name] = found
            return found

    def put(self, name: TableName, table: VectorTable) -> None:
        """Hold a table; those asked for longest ago make room."""
        with self._changing:
            self._forget(name)
            self._tables[name] = table
            self._bytes += table.matrix.nbytes
            while self._bytes > self._most_bytes and len(self._tables) > 1:
                self._forget(next(iter(self._tables)))

    def _forget(self, name: TableName) -> None:
        if (known := self._tables.pop(name, None)) is not None:
            self._bytes -= known.matrix.nbytes


HELD = HeldTables()
"""Those of this process."""
