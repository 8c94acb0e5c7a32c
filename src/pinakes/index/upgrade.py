"""Embedding while others want the processor.

An embedder enters; one that takes its time leaves: text after text, on the thread that asks and no other, one at a time
in the whole process, and seldom while questions come. A sentence model would otherwise take all processors for minutes,
and where there are two of them every question would wait. A model's work is done outside of Python's lock, so one
thread of it leaves the rest free; but to come and go it needs that lock like everybody.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from pinakes.ports import Embedder

if TYPE_CHECKING:
    from pinakes.ports import Vectors

_LATELY_S = 0.25
"""For so long after a question another one is expected."""
_ASIDE_S = 0.1
"""Between two texts while questions come: several times as long as a text takes."""


class Courtesy:
    """Several corpora, of several libraries, may be at it in one process: each text waits for its turn, and all of them
    for whoever asks anything."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.turn = Lock()
        self._clock = clock
        self._asked = float("-inf")

    def asked(self) -> None:
        """Somebody waits for an answer."""
        self._asked = self._clock()

    @property
    def aside_s(self) -> float:
        """How long to leave others alone now."""
        return _ASIDE_S if self._clock() - self._asked < _LATELY_S else 0.0


COURTESY = Courtesy()


class OneByOne:
    """The same vectors, slowly. `pause` is called with seconds before every text and may raise to stop."""

    def __init__(self, embedder: Embedder, pause: Callable[[float], None], courtesy: Courtesy = COURTESY) -> None:
        self.name = embedder.name
        self.traits = embedder.traits
        self._embedder = embedder
        self._pause = pause
        self._courtesy = courtesy

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            self._pause(self._courtesy.aside_s)
            with self._courtesy.turn:
                vectors[row] = self._embedder.encode([text])[0]
        return vectors
