"""Which folders are watched, and what a change in one of them means.

`FolderScope` is the documents of a root: exactly the folders that a scan enters, so that what is ignored is not even
heard. `RefScope` is the branches and tags of repositories. Neither knows how watching is done.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol

from pinakes.sources.folder_rules import MARKERS, NEVER_ENTERED, FolderRules, RuledFolder
from pinakes.sources.options import FolderOptions
from pinakes.sources.rulebook import GITIGNORE, folders_above

_REFS = ("refs", "reftable")
"""Folders in which git keeps where branches and tags are."""


class WatchScope(Protocol):
    """What is to be watched. All folders are absolute, without a slash at the end."""

    def tops(self) -> Iterable[str]:
        """Folders that are entered by themselves; while one is missing, its coming is waited for."""
        ...

    def folders(self, folder: str) -> Iterator[str]:
        """This folder, if it is one to watch, and those below it."""
        ...

    def path_to_check(self, folder: str, name: str, *, is_folder: bool) -> str | None:
        """The path to compare when something called `name` changed in a folder; empty for everything, None for none."""
        ...

    def governs(self, name: str) -> bool:
        """Whether a file of that name decides which folders below its own are watched."""
        ...


class FolderScope:
    """The documents below a root."""

    def __init__(self, root: Path, options: FolderOptions, excluded_folders: Iterable[Path] = ()) -> None:
        """`excluded_folders` are not watched; the folder of the index itself is one."""
        self._root = os.path.realpath(root)
        self._rules = FolderRules(self._root, options)
        self._excluded_folders = frozenset(os.path.realpath(one) for one in excluded_folders) - {self._root}
        self._entered: dict[str, RuledFolder] = {}
        self._above = frozenset(folders_above(self._root))

    def tops(self) -> Iterable[str]:
        return (self._root, *sorted(self._above))

    def folders(self, folder: str) -> Iterator[str]:
        if folder in self._above:
            yield folder
            return
        place = self._place(folder)
        waiting = [] if place is None else [place]
        while waiting:
            place = waiting.pop()
            here = f"{self._root}/{place.path}".rstrip("/")
            if here in self._excluded_folders:
                continue
            self._entered.pop(here, None)
            yield here  # first watched, then listed: nothing that comes in between is missed
            try:
                entries = self._rules.entries(place)
            except OSError:
                continue
            entered = self._rules.entered(place, entries, [])
            if isinstance(entered, str):
                continue
            self._entered[here] = entered
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    below = self._rules.below(entered, entry.name)
                    if not isinstance(below, str):
                        waiting.append(below)

    def path_to_check(self, folder: str, name: str, *, is_folder: bool) -> str | None:
        if folder in self._above:
            return "" if name == GITIGNORE else None
        while folder not in self._entered and len(folder) > len(self._root):
            # Of a folder that is left out, or of one so new that it was not entered yet.
            folder, _, name = folder.rpartition("/")
            is_folder = True
        path = f"{folder}/{name}"[len(self._root) + 1 :]
        place = self._entered.get(folder)
        if name in MARKERS or place is None:
            return path
        if name in NEVER_ENTERED or f"{folder}/{name}" in self._excluded_folders:
            return None
        left_out = isinstance(self._rules.below(place, name), str) if is_folder else self._rules.left_out(place, name)
        return None if left_out else path

    def governs(self, name: str) -> bool:
        return name in MARKERS

    def _place(self, folder: str) -> RuledFolder | None:
        """A folder before it is entered, by way of the one it is in."""
        if folder == self._root:
            return self._rules.top()
        parent, _, name = folder.rpartition("/")
        above = self._entered.get(parent)
        below = self._rules.below(above, name) if above is not None else ""
        return None if isinstance(below, str) else below


class RefScope:
    """Branches and tags of repositories: `HEAD` and `packed-refs` of each, and everything below `refs`."""

    def __init__(self, repositories: Callable[[], Iterable[Path]]) -> None:
        """`repositories` gives the folders git keeps its own files in: those of worktrees, and what they share."""
        self._repositories = repositories
        self._tops: tuple[str, ...] = ()

    def tops(self) -> Iterable[str]:
        self._tops = tuple(dict.fromkeys(os.path.realpath(one) for one in self._repositories()))
        return self._tops

    def folders(self, folder: str) -> Iterator[str]:
        yield folder
        waiting = [f"{folder}/{name}" for name in _REFS] if folder in self._tops else _inside(folder)
        while waiting:
            below = waiting.pop()
            yield below
            waiting += _inside(below)

    def path_to_check(self, folder: str, name: str, *, is_folder: bool) -> str | None:
        if name.endswith(".lock"):
            return None
        return "" if folder not in self._tops or name in ("HEAD", "packed-refs", *_REFS) else None

    def governs(self, name: str) -> bool:
        return False


def _inside(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
