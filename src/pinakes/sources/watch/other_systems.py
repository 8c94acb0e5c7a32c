"""The notifications of macOS and Windows, through watchfiles.

Both systems watch whole trees, so no watches have to be added or removed; events of ignored files come too and are
passed over here. Events may come late, and watchfiles does not say when some were lost, so `is_exact` is false: the
folder is compared before every answer.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from queue import Empty, SimpleQueue

from pinakes.errors import ExtraMissing
from pinakes.sources.watch.notices import EVERYTHING, NOTHING, CannotWatch, ChangedPaths, union_of
from pinakes.sources.watch.scope import WatchScope

_STEP_MS = 50
_LOOK_MS = 1000


class WatchfilesNotices:
    """The events of one scope, gathered by a thread."""

    is_exact = False

    def __init__(self, scope: WatchScope) -> None:
        try:
            import watchfiles
        except ModuleNotFoundError as missing:
            raise ExtraMissing("watchfiles is not installed.", "pip install watchfiles") from missing
        self._watch = watchfiles.watch
        self._scope = scope
        self._events: SimpleQueue[ChangedPaths] = SimpleQueue()
        self._trouble = ""
        self._bell = threading.Event()
        self._start()

    def wait(self, timeout_s: float) -> None:
        self._bell.wait(timeout_s)
        self._bell.clear()

    def drain(self) -> ChangedPaths:
        paths = NOTHING
        try:
            while True:
                paths = union_of(paths, self._events.get_nowait())
        except Empty:
            pass
        if self._trouble:
            raise CannotWatch(f"The system reports no changes here: {self._trouble}")
        return paths

    def renew(self) -> None:
        """Watch the scope as it is now."""
        self._ending.set()
        self._start()

    def wake(self) -> None:
        self._bell.set()

    def close(self) -> None:
        self._ending.set()

    def _start(self) -> None:
        self._ending = threading.Event()
        threading.Thread(target=self._run, args=(self._ending,), name="pinakes-notices", daemon=True).start()

    def _run(self, ending: threading.Event) -> None:
        while not ending.is_set():
            tops = [top for top in self._scope.tops() if os.path.isdir(top)]
            for top in tops:
                for _ in self._scope.folders(top):  # it learns which folders are ignored
                    if ending.is_set():
                        return
            if not tops:
                ending.wait(_LOOK_MS / 1000)
                continue
            try:
                self._listen(tops, ending)
            except (FileNotFoundError, RuntimeError) as trouble:
                if all(map(os.path.isdir, tops)):
                    self._trouble = str(trouble)
                    self._bell.set()
                    return
            self._put(EVERYTHING)

    def _listen(self, tops: list[str], ending: threading.Event) -> None:
        """Until the end, or until a top has gone."""
        for changes in self._watch(
            *tops,
            watch_filter=None,
            step=_STEP_MS,
            debounce=_STEP_MS,
            stop_event=ending,
            rust_timeout=_LOOK_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
        ):
            for _, path in changes:
                for changed in self._paths_of(path, tops):
                    self._put(frozenset((changed,)) if changed else EVERYTHING)
            if not all(map(os.path.isdir, tops)):
                return

    def _paths_of(self, path: str, tops: list[str]) -> Iterator[str]:
        folder, name = os.path.split(path)
        if path in tops:
            yield ""
        changed = self._scope.path_to_check(folder.replace(os.sep, "/"), name, is_folder=os.path.isdir(path))
        if changed is not None:
            if self._scope.governs(name):
                for _ in self._scope.folders(folder):
                    pass  # it learns the new rules
            yield changed

    def _put(self, paths: ChangedPaths) -> None:
        self._events.put(paths)
        self._bell.set()
