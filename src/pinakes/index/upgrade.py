"""Embedding while others want the processor.

An embedder enters; one that takes its time leaves: text after text, on the thread that asks and no other, one at a time
in the whole process. A sentence model would otherwise take all processors for minutes, and where there are two of them
every question would wait. A model's work is done outside of Python's lock, so one thread of it leaves the rest free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from pinakes.ports import Embedder

if TYPE_CHECKING:
    from pinakes.ports import Vectors

_TURN = Lock()
"""Several corpora, of several libraries, may be at it in one process: each text waits for its turn."""


class OneByOne:
    """The same vectors, slowly. `between` is called before every text and may raise to stop."""

    def __init__(self, embedder: Embedder, between: Callable[[], None]) -> None:
        self.name = embedder.name
        self.traits = embedder.traits
        self._embedder = embedder
        self._between = between

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            self._between()
            with _TURN:
                vectors[row] = self._embedder.encode([text])[0]
        return vectors
