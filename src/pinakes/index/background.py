"""Work that nobody waits for: one thread that runs it, and embedding that does not delay questions.

Work enters as a function without arguments; the thread runs it again whenever somebody asked for it in the meantime.
What the work is, and what went wrong with it, is not known here. The work calls `raise_if_cancelled` and `pause`
wherever it may be stopped.

An embedder enters; an embedder that runs one text at a time leaves (`ThrottledEmbedder`). In the whole process only one
text is embedded at any moment, and the thread pauses between texts while questions arrive. Otherwise a sentence model
takes all cores for minutes, and on a machine with two of them every question waits. The model runs outside the
interpreter lock, so one thread leaves the others free; only entering and leaving the model needs that lock.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event as Signal
from threading import Lock, Thread, get_native_id
from typing import TYPE_CHECKING

from pinakes.ports import Embedder

if TYPE_CHECKING:
    from pinakes.ports import Vectors

_STOP_S = 20.0
_NICENESS = 10
"""Added to the thread's own: it yields to threads that somebody waits for."""
_RESTART_S = 30.0
"""A thread that ended with work left, on a full disk perhaps, is not started again sooner."""
_RECENT_S = 0.25
"""A question that came within this time makes another one likely."""
_PAUSE_S = 0.1
"""Pause between two texts while questions come: several times as long as one text takes."""


class Cancelled(Exception):
    """The work was stopped from outside and shall end here."""


class Background:
    """A thread that runs the work, and again when it was asked for meanwhile. Several threads may share it."""

    def __init__(
        self,
        work: Callable[[], None],
        restart_s: float = _RESTART_S,
        minutes: int = 60,
        name: str = "background",
        *,
        is_urgent: bool = False,
    ) -> None:
        """The work may take so many `minutes` of an hour; with none, it is never done here. `name` is the thread's.
        Urgent work does not yield to other threads."""
        self._work = work
        self._name = f"pinakes-{name}"
        self._minutes = minutes
        self._is_urgent = is_urgent
        self._resumed = time.monotonic()
        self._restart_s = restart_s
        self._changing = Lock()
        self._stop = Signal()
        self._thread: Thread | None = None
        self._is_wanted = False
        self._is_running = False
        self._began = 0.0
        self.runs_elsewhere = False
        """Whether another process does the work, which tells this one so."""

    @property
    def is_running(self) -> bool:
        """Whether the work is being done, by this process or by one that tells it so."""
        return self._is_running or self.runs_elsewhere

    def start(self) -> None:
        """Have the work done in a thread that ends with the process; one that is at it does it once more."""
        if not self._minutes:
            return
        with self._changing:
            self._is_wanted = True
            if not self._is_running:
                self._resumed = time.monotonic()
                self._stop.clear()
                self._is_running = True
                self._thread = Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def restart(self) -> None:
        """Start the thread again where it ended with work left; not where it never ran, nor sooner than `restart_s`."""
        if self._thread is not None and not self._is_running and time.monotonic() - self._began >= self._restart_s:
            self.start()

    def stop(self) -> None:
        """End the thread where it next asks whether it is cancelled."""
        with self._changing:  # a thread that is known has begun, or it could not be waited for
            self._stop.set()
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(_STOP_S)

    def wait(self) -> None:
        """Until the thread is through."""
        with self._changing:
            thread = self._thread
        if thread is not None:
            thread.join()

    def raise_if_cancelled(self, event: object = None) -> None:
        """Raises `Cancelled` when the work shall end. The work may pass it as its progress callback, hence `event`."""
        if self._stop.is_set():
            raise Cancelled

    def pause(self, seconds: float) -> None:
        """Let others have their turn, and rest for as long as the share of an hour asks for; raises `Cancelled` like
        `raise_if_cancelled`."""
        worked = time.monotonic() - self._resumed
        if self._stop.wait(seconds + worked * (60 / self._minutes - 1)):
            raise Cancelled
        self._resumed = time.monotonic()

    def _run(self) -> None:
        if sys.platform == "linux" and not self._is_urgent:  # elsewhere this would apply to the whole process
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, get_native_id(), _NICENESS)
        try:
            while self._is_wanted_again():
                self._work()
        except BaseException as error:
            with self._changing:
                self._is_running = False
            if not isinstance(error, Cancelled):
                raise

    def _is_wanted_again(self) -> bool:
        """Decided under the lock, or a request at the very end of a run would be lost."""
        with self._changing:
            self._began = time.monotonic()
            self._is_running, self._is_wanted = self._is_wanted, False
            return self._is_running


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
