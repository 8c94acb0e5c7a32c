"""Which block a document belongs to: the parts of a map that change one by one.

Paths enter, block ids leave. A block is a folder; a folder that is small with all that is below it is one block, and a
folder with many files is several, cut before files whose names say so by their checksum. Names alone decide, so an
edit never moves a document to another block, and a file that comes or goes moves at most its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from zlib import crc32

from pinakes.outline.paths import folder_of, printed, upward

_SMALL = 16
"""A folder with at most so many documents in and below it is one block."""
_LARGE = 48
"""A folder with more documents of its own is cut into parts."""
_PART = 24
"""About so many documents make a part."""


def block_id(folder: str) -> str:
    """What the block of a folder is called."""
    return f"{printed(folder)}/"


def folder_blocks(below: Mapping[str, int]) -> dict[str, str]:
    """For every folder, the folder whose block it is part of: the outermost small one, or itself."""
    found: dict[str, str] = {}
    for folder in sorted(below, key=lambda folder: (folder.count("/"), folder)):
        above = found.get(folder_of(folder)) if folder else None
        found[folder] = above if above is not None and below[above] <= _SMALL else folder
    return found


def document_blocks(paths: Iterable[str], owners: Mapping[str, str]) -> dict[str, str]:
    """The block id of every document; `paths` in the order of the map."""
    files: dict[str, list[str]] = {}
    for path in paths:
        files.setdefault(folder_of(path), []).append(path)
    found: dict[str, str] = {}
    for folder, members in files.items():
        called = block_id(owners[folder])
        for place, path in enumerate(members):
            if place and len(members) > _LARGE and not crc32(path.encode("utf-8", "surrogateescape")) % _PART:
                called = f"{block_id(folder)} from {printed(path.rpartition('/')[2])}"
            found[path] = called
    return found


def place_in_map(path: str) -> tuple[list[str], str]:
    """Where a document stands: folders in order, a folder's own files before the folders in it."""
    folder, _, name = path.rpartition("/")
    return folder.split("/"), name


def folders_within_budget(costs: Mapping[str, int], budget: int) -> set[str]:
    """The folders that are always named, the root among them: as many levels of them as a `budget` of tokens allows.

    `costs` says for every folder what its line costs.
    """
    levels: dict[int, list[str]] = {}
    for folder in costs:
        levels.setdefault(folder.count("/") + 1 if folder else 0, []).append(folder)
    named = {""}
    spent = 0
    for level in sorted(levels):
        spent += sum(costs[folder] for folder in levels[level])
        if spent > budget:
            break
        named.update(levels[level])
    return named


def region(folder: str, named: set[str]) -> str:
    """The named folder that speaks for `folder` when its files are not shown."""
    return next(above for above in upward(folder) if above in named)
