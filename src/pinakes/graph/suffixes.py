"""Finds the paths that end with a given path.

A large set is sorted by reversed spelling, so that ten thousand links to ten thousand files of one name cost the sum of
both numbers and not the product.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

_FEW = 64
"""Up to so many paths, comparing each is quicker than a sorted index."""


class SuffixIndex:
    """A fixed set of paths, searchable by suffix."""

    __slots__ = ("_backwards", "_paths")

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = paths
        self._backwards: list[str] | None = None

    def of(self, endings: Sequence[str]) -> list[str]:
        """The paths that are one of `endings` or end with one behind a slash, in no particular order."""
        if len(self._paths) <= _FEW:
            behind_folders = tuple(["/" + ending for ending in endings])
            return [path for path in self._paths if path.endswith(behind_folders) or path in endings]
        if self._backwards is None:
            self._backwards = sorted([path[::-1] for path in self._paths])
        found = [ending for ending in endings if ending in self._paths]
        for ending in endings:
            found += self._behind_folders(self._backwards, f"{ending[::-1]}/")
        return found

    def _behind_folders(self, backwards: list[str], start: str) -> list[str]:
        first = end = bisect_left(backwards, start)
        while end < len(backwards) and backwards[end].startswith(start):
            end += 1
        return [path[::-1] for path in backwards[first:end]]
