"""Waiting for what a watcher does, without sleeping: on events and conditions, with a deadline."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pinakes.serve.libraries import Libraries
from pinakes.serve.library_watcher import WatchResult
from pinakes.sources.watch.notices import EVERYTHING, NOTHING, CannotWatch, ChangedPaths, union_of
from pinakes.sources.watch.scope import WatchScope

DEADLINE_S = 30.0
_LOOK_S = 0.05
"""Not everything that is waited for is told: a watcher that stirs for nothing is not current for a moment."""


class Waiting:
    """A condition that is looked at whenever something was told."""

    def __init__(self) -> None:
        self._told = threading.Condition()

    def tell(self, *_: object) -> None:
        with self._told:
            self._told.notify_all()

    def until(self, holds: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + DEADLINE_S
        with self._told:
            while not holds():
                assert time.monotonic() < deadline, f"not within {DEADLINE_S:.0f} s: {what}"
                self._told.wait(_LOOK_S)


class Watched:
    """A folder that is watched as a server does it; `until` waits for the index to say something."""

    def __init__(self, *roots: Path) -> None:
        self.libraries = Libraries(roots, {"watch.quiet_ms": 60})
        self.looks: list[WatchResult] = []
        self._waiting = Waiting()
        self.libraries.watch(self._hear)
        for name in self.libraries.names:
            self.libraries.refresh(name)
        self.until(self.libraries.is_current, "the first look")

    def _hear(self, name: str, looked: WatchResult) -> None:
        self.looks.append(looked)
        self._waiting.tell()

    def paths(self) -> set[str]:
        return set(self.libraries.get().corpus().digests())

    def until(self, holds: Callable[[], bool], what: str) -> None:
        self._waiting.until(holds, f"{what}; there are {sorted(self.paths())}")

    def until_paths(self, *paths: str) -> None:
        self.until(lambda: self.paths() == set(paths), f"documents {sorted(paths)}")

    def close(self) -> None:
        self.libraries.close()


class Injected:
    """Notices that say what a test says."""

    is_exact = True

    def __init__(self, scope: WatchScope) -> None:
        self._bell = threading.Event()
        self._told = NOTHING
        self._trouble = ""
        self.renewals = 0

    def say(self, told: ChangedPaths) -> None:
        self._told = union_of(self._told, told)
        self._bell.set()

    def fail(self, why: str) -> None:
        self._trouble = why
        self._bell.set()

    def wait(self, timeout_s: float) -> None:
        self._bell.wait(timeout_s)
        self._bell.clear()

    def drain(self) -> ChangedPaths:
        if self._trouble:
            raise CannotWatch(self._trouble)
        told, self._told = self._told, NOTHING
        return told

    def renew(self) -> None:
        self.renewals += 1
        self.say(EVERYTHING)

    def wake(self) -> None:
        self._bell.set()

    def close(self) -> None:
        """Nothing is held open."""


class WatchProcess:
    """A running `pinakes watch` and the lines it prints."""

    def __init__(self, root: Path, *words: str, prelude: Sequence[str] = ()) -> None:
        command = [*prelude, sys.executable, "-m", "pinakes", "watch", "--root", str(root), *words]
        self.running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._lines: queue.Queue[str] = queue.Queue()
        self._warnings: queue.Queue[str] = queue.Queue()
        assert self.running.stdout is not None
        assert self.running.stderr is not None
        for stream, lines in ((self.running.stdout, self._lines), (self.running.stderr, self._warnings)):
            threading.Thread(target=lambda stream=stream, lines=lines: [*map(lines.put, stream)], daemon=True).start()
        self.first: list[str] = []
        while "Ctrl-C ends it" not in (said := self.warning()):
            self.first.append(said)

    def line(self) -> str:
        return self._lines.get(timeout=DEADLINE_S)

    def warning(self) -> str:
        return self._warnings.get(timeout=DEADLINE_S)

    def end(self, number: int) -> int:
        self.running.send_signal(number)
        return self.running.wait(DEADLINE_S)


@contextmanager
def watching(root: Path, *words: str, prelude: Sequence[str] = ()) -> Iterator[WatchProcess]:
    """A running `pinakes watch`, killed at the end."""
    process = WatchProcess(root, *words, prelude=prelude)
    try:
        yield process
    finally:
        process.running.kill()
        process.running.communicate()
