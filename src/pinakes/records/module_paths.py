"""Module paths: which files the names of modules mean, where the configuration of a project says so.

``@/lib/x`` means ``src/lib/x.ts`` in a project whose ``tsconfig.json`` maps ``@/*`` to ``./src/*``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from msgspec import Struct

MODULE_PATHS = "module_paths"
"""The setting of a store that holds the module paths by which its source code was read."""

PathTable = tuple[tuple[str, tuple[str, ...]], ...]
"""Patterns with at most one ``*``, the one that counts first, and what each stands for: paths from the root."""


class ModulePaths(Struct, frozen=True):
    """What the configuration files of a root say."""

    folders: Mapping[str, int] = {}
    """The folders with a configuration and the table that holds there and below; -1 for none."""
    tables: tuple[PathTable, ...] = ()
    """Each once, because many folders share one by ``extends``."""

    def of(self, path: str) -> PathTable:
        """What holds for a file: the nearest configuration above it decides alone."""
        if not self.folders:
            return ()
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            if (number := self.folders.get(folder)) is not None:
                return self.tables[number] if number >= 0 else ()
        return ()

    def text(self) -> str:
        """As kept in the settings of a store; empty for none."""
        return json.dumps([self.folders, self.tables]) if self.folders else ""

    @staticmethod
    def parse(text: str) -> ModulePaths:
        """From what `text` gave."""
        if not text:
            return NO_MODULE_PATHS
        folders, tables = json.loads(text)
        return ModulePaths(
            folders, tuple([tuple([(name, tuple(targets)) for name, targets in table]) for table in tables])
        )


NO_MODULE_PATHS = ModulePaths()


ANY_NAME = "*"
"""The pattern that fits every name."""


def mapped(table: PathTable, name: str) -> tuple[str, tuple[str, ...]]:
    """The first pattern that fits the name of a module, and the paths that it stands for, in the order in which they
    are tried; two empty ones where none fits."""
    for pattern, targets in table:
        before, star, after = pattern.partition("*")
        if not star:
            if name == pattern:
                return pattern, targets
        elif len(name) >= len(before) + len(after) and name.startswith(before) and name.endswith(after):
            inside = name[len(before) : len(name) - len(after)]
            return pattern, tuple([target.replace("*", inside, 1) for target in targets])
    return "", ()
