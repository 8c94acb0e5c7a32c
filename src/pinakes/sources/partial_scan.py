"""Some paths of a folder, looked at as the whole scan would see them.

Paths below a root enter; what is at each of them now, with the rules that hold there, leaves. Only the folders on the
way are listed, so it costs what these folders hold and not what the tree does. It refuses to know what a file counts
as.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from pinakes.sources.folder_rules import MARKERS, FolderEntry, FolderRules, RuledFolder
from pinakes.sources.rulebook import GIT, ScanProblem

PathTree = dict[str, "PathTree"]
"""Names and what is wanted below each; nothing below means the whole of it."""


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
) -> Iterator[tuple[RuledFolder, FolderEntry]]:
    """The folder, entered, and the entry of each path that a scan would come to; the others are not there for it."""
    waiting = [(rules.top(), _tree(paths))]
    while waiting:
        place, names = waiting.pop()
        try:
            entries = rules.entries(place)
        except OSError as error:
            problems += [] if place.path and isinstance(error, NotADirectoryError) else unlisted(place, error)
            continue
        entered = rules.entered(place, entries, problems)
        if isinstance(entered, str):
            continue
        for entry in entries:
            inner = names.get(entry.name)
            if inner is None:
                continue
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
