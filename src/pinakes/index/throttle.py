"""Embedding in the background without delaying questions.

An embedder enters; an embedder that runs one text at a time leaves. In the whole process only one text is embedded at
any moment, and the thread pauses between texts while questions arrive. Otherwise a sentence model takes all cores for
minutes, and on a machine with two of them every question waits. The model runs outside the interpreter lock, so one
thread leaves the others free; only entering and leaving the model needs that lock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from pinakes.ports import Embedder

if TYPE_CHECKING:
    from pinakes.ports import Vectors

_RECENT_S = 0.25
"""A question that came within this time makes another one likely."""
_PAUSE_S = 0.1
"""Pause between two texts while questions come: several times as long as one text takes."""


class QuestionThrottle:
    """Shared by every corpus of every library in the process: one `turn` for embedding, and the time of the last
    question."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.turn = Lock()
        self._clock = clock
        self._last_question = float("-inf")

    def note_question(self) -> None:
        """A caller waits for an answer now."""
        self._last_question = self._clock()

    @property
    def pause_s(self) -> float:
        """How long the background should pause before its next text."""
        return _PAUSE_S if self._clock() - self._last_question < _RECENT_S else 0.0


THROTTLE = QuestionThrottle()


class ThrottledEmbedder:
    """Makes the vectors of `embedder` text by text. Before each it calls `pause`, which may raise to stop it."""

    def __init__(
        self, embedder: Embedder, pause: Callable[[float], None], throttle: QuestionThrottle = THROTTLE
    ) -> None:
        self.name = embedder.name
        self.traits = embedder.traits
        self._embedder = embedder
        self._pause = pause
        self._throttle = throttle

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            self._pause(self._throttle.pause_s)
            with self._throttle.turn:
                vectors[row] = self._embedder.encode([text])[0]
        return vectors
