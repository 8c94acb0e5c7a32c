"""Some paths of a folder, looked at as the whole scan would see them.

Paths below a root enter; what is at each of them now, with the rules that hold there, leaves. Only the folders on the
way are opened, so it costs what the paths do and not what the tree does. It refuses to know what a file counts as.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Protocol

from pinakes.sources.folder_rules import MARKERS, FolderRules, RuledFolder
from pinakes.sources.rulebook import GIT, ScanProblem

_MANY = 50
"""From this many names of one folder on, listing it is cheaper than asking for each."""
_TELLS_CASE = sys.platform == "linux"
"""Elsewhere a file may answer to a name that is not its own; only a listing has its own."""

PathTree = dict[str, "PathTree"]
"""Names and what is wanted below each; nothing below means the whole of it."""


class DirEntry(Protocol):
    """What a listing says of one file or folder; `os.DirEntry` keeps this promise."""

    @property
    def name(self) -> str: ...

    def is_dir(self, *, follow_symlinks: bool = True) -> bool: ...

    def is_file(self, *, follow_symlinks: bool = True) -> bool: ...

    def is_symlink(self) -> bool: ...

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result: ...


class _StatEntry:
    """A `DirEntry` made by one call of `lstat`. It never follows links, whatever `follow_symlinks` says."""

    def __init__(self, folder: str, name: str) -> None:
        self.name = name
        self._facts = os.lstat(folder + name)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISDIR(self._facts.st_mode)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISREG(self._facts.st_mode)

    def is_symlink(self) -> bool:
        return stat.S_ISLNK(self._facts.st_mode)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return self._facts


def paths_to_scan(paths: Iterable[str]) -> set[str]:
    """The paths, and for those that change what is listed around them, the folder they govern; empty for the root."""
    found = set()
    for path in paths:
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if GIT in parts:
            at = parts.index(GIT)
            if parts[at + 1 :] in ([], ["info", "exclude"]):
                del parts[at:]
        elif parts and parts[-1] in MARKERS:
            parts.pop()
        found.add("/".join(parts))
    return found


def entries_at(
    rules: FolderRules,
    paths: Collection[str],
    problems: list[ScanProblem],
    unlisted: Callable[[RuledFolder, OSError], list[ScanProblem]],
) -> Iterator[tuple[RuledFolder, DirEntry]]:
    """The folder, entered, and the entry of each path that a scan would come to; the others are not there for it."""
    waiting = [(rules.top(), _tree(paths))]
    while waiting:
        place, names = waiting.pop()
        try:
            entries = _entries(rules, place, names)
        except OSError as error:
            problems += [] if place.path and isinstance(error, NotADirectoryError) else unlisted(place, error)
            continue
        folder = f"{rules.root}/{place.path}"
        entered = rules.entered_with(place, [name for name in MARKERS if os.path.lexists(folder + name)], problems)
        if isinstance(entered, str):
            continue
        for entry in entries:
            inner = names[entry.name]
            if not inner:
                yield entered, entry
            elif entry.is_dir(follow_symlinks=False):
                below = rules.below(entered, entry.name)
                if not isinstance(below, str):
                    waiting.append((below, inner))


def _tree(paths: Iterable[str]) -> PathTree:
    tree: PathTree = {}
    # Sorted, a folder comes before what is below it.
    for path in sorted(paths, key=lambda one: one.split("/")):
        here, *rest = path.split("/")
        at = tree
        while rest and (here not in at or at[here]):
            at = at.setdefault(here, {})
            here, *rest = rest
        if not rest:
            at.setdefault(here, {})
    return tree


def _entries(rules: FolderRules, place: RuledFolder, names: PathTree) -> list[DirEntry]:
    """What there is of `names`; raises `OSError` when the folder cannot be listed."""
    folder = f"{rules.root}/{place.path}"
    if len(names) > _MANY or not _TELLS_CASE:
        return [entry for entry in rules.entries(place) if entry.name in names]
    with os.scandir(folder):  # a folder that may be entered and not listed is not scanned, so not here either
        found: list[DirEntry] = []
        for name in names:
            try:
                found.append(_StatEntry(folder, name))
            except PermissionError:  # one that may be listed and not entered tells names all the same
                return [entry for entry in rules.entries(place) if entry.name in names]
            except OSError:
                continue
        return found
