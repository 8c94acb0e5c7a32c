"""What was read from a database and lies in the memory of this process: that which was asked for last."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Held(Generic[K, V]):
    """Values by name, as many as there is room for. Threads may share it."""

    def __init__(self, most_bytes: int) -> None:
        self._values: dict[K, tuple[V, int]] = {}
        self._most_bytes = most_bytes
        self._bytes = 0
        self._changing = threading.Lock()

    def get(self, name: K) -> V | None:
        """That of a name, which becomes the last to be given up."""
        with self._changing:
            found = self._values.pop(name, None)
            if found is None:
                return None
            self._values[name] = found
            return found[0]

    def put(self, name: K, value: V, size: int) -> None:
        """Hold a value of so many bytes; those asked for longest ago make room."""
        with self._changing:
            self._forget(name)
            self._values[name] = (value, size)
            self._bytes += size
            while self._bytes > self._most_bytes and len(self._values) > 1:
                self._forget(next(iter(self._values)))

    def _forget(self, name: K) -> None:
        if (known := self._values.pop(name, None)) is not None:
            self._bytes -= known[1]
