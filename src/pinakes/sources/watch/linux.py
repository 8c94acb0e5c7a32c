"""A scope watched by inotify: a watch on each of its folders, kept up as folders come, move and go.

Events enter, paths to look at leave. A folder that appears is watched before anybody lists it, so nothing that is put
into it is missed; one that vanishes or moves away takes its watches along. When the kernel says that it lost events,
everything is watched anew and looked at.
"""

from __future__ import annotations

import os

from pinakes.sources.watch.inotify import (
    ATTRIB,
    CREATE,
    DELETE,
    DELETE_SELF,
    IGNORED,
    IS_FOLDER,
    MOVE_SELF,
    MOVED_FROM,
    MOVED_TO,
    OVERFLOW,
    UNMOUNT,
    Happened,
    Inotify,
)
from pinakes.sources.watch.notices import EVERYTHING, CannotWatch, ChangedPaths
from pinakes.sources.watch.scope import WatchScope

_LOOK_S = 1.0
"""How often a folder that is missing, or whose parents may have moved, is looked for."""
_APPEARED, _GONE, _ENDED = CREATE | MOVED_TO, DELETE | MOVED_FROM, DELETE_SELF | MOVE_SELF | UNMOUNT
_MISSING, _LOST = (0, 0), (-1, -1)
"""Instead of a folder's device and number: there is none; there is none that is watched, whatever is there."""


class LinuxNotices:
    """The events of one scope."""

    is_exact = True

    def __init__(self, scope: WatchScope) -> None:
        self._scope = scope
        self._queue = Inotify()
        self._folders: dict[int, str] = {}
        self._watches: dict[str, int] = {}
        self._inner: dict[str, set[str]] = {}
        """Each watched folder's watched folders, so that a whole branch is found without searching."""
        self._tops: dict[str, tuple[int, int]] = {}
        """Device and number of each top as it was watched. The system does not report when a folder above a
        top moves."""
        try:
            self._watch_tops()
        except CannotWatch:
            self._queue.close()
            raise

    def wait(self, timeout_s: float) -> None:
        self._queue.wait(min(timeout_s, _LOOK_S))

    def drain(self) -> ChangedPaths:
        paths: set[str] = set()
        governed: set[str] = set()
        is_everything = False
        for event in self._queue.read():
            path = self._path_of(event, governed)
            if path:
                paths.add(path)
            is_everything |= path == ""
            if event.mask & OVERFLOW:
                governed.update(self._tops)
        if governed & self._tops.keys() or any(_identity(top) != known for top, known in self._tops.items()):
            self.renew()
            return EVERYTHING
        for folder in governed:
            self._let_go(folder)
            self._watch(folder)
        return EVERYTHING if is_everything else frozenset(paths)

    def renew(self) -> None:
        """Watch everything anew: events were lost, a top is another folder than before, or the scope is another."""
        for watch in self._folders:
            self._queue.remove(watch)
        self._folders, self._watches, self._inner, self._tops = {}, {}, {}, {}
        self._watch_tops()

    def wake(self) -> None:
        self._queue.wake()

    def close(self) -> None:
        self._queue.close()

    def _path_of(self, event: Happened, governed: set[str]) -> str | None:
        """The path to compare; empty for everything. Folders whose rules changed are added to `governed`."""
        if event.mask & OVERFLOW:
            return ""
        folder = self._folders.get(event.watch)
        if folder is None:
            return None  # of a folder that was let go
        if not event.name:
            return self._of_itself(folder, event)
        path = self._scope.path_to_check(folder, event.name, is_folder=bool(event.mask & IS_FOLDER))
        if path is None:
            return None
        if self._scope.governs(event.name):
            governed.add(folder)
        elif event.mask & IS_FOLDER:
            inner = f"{folder}/{event.name}"
            if event.mask & _GONE:
                self._let_go(inner)
            elif event.mask & _APPEARED or inner not in self._watches:
                self._watch(inner)
        return path

    def _of_itself(self, folder: str, event: Happened) -> str | None:
        """What a folder says about itself; its parent says the same, unless it is a top."""
        if event.mask & IGNORED:
            self._folders.pop(event.watch, None)
            if self._watches.get(folder) == event.watch:
                del self._watches[folder]
        if folder not in self._tops:
            return None
        if event.mask & (_ENDED | IGNORED):
            self._tops[folder] = _LOST
        return "" if event.mask & (_ENDED | IGNORED | ATTRIB) else None

    def _watch_tops(self) -> None:
        for top in self._scope.tops():
            self._tops[top] = _identity(top)
            self._watch(top)
            if self._tops[top] == _identity(top) != _MISSING and top not in self._watches:
                raise CannotWatch(f"The system reports no changes here: {top} may not be read.")

    def _watch(self, folder: str) -> None:
        for here in self._scope.folders(folder):
            watch = self._queue.add(here)
            if watch is None:
                continue
            former = self._folders.get(watch)
            if former is not None and former != here:
                self._watches.pop(former, None)  # moved, and its leaving not read yet
            self._folders[watch] = here
            self._watches[here] = watch
            self._inner.setdefault(here.rpartition("/")[0], set()).add(here)

    def _let_go(self, folder: str) -> None:
        waiting = [folder]
        self._inner.get(folder.rpartition("/")[0], set()).discard(folder)
        while waiting:
            here = waiting.pop()
            waiting += self._inner.pop(here, ())
            if (watch := self._watches.pop(here, None)) is not None:
                self._folders.pop(watch, None)
                self._queue.remove(watch)


def _identity(folder: str) -> tuple[int, int]:
    try:
        facts = os.stat(folder)
    except OSError:
        return _MISSING
    return facts.st_dev, facts.st_ino
