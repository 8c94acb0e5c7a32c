"""Added documents as a source: their texts, and nothing else that lies beside them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from pinakes.added.added_files import AddedFiles
from pinakes.records import ADDED, Scan
from pinakes.sources import FolderOptions, FolderSource

_TEXTS_ALONE = FolderOptions(exclude=("!*", ".*", "*.json", "*.lock", "*.lock-*"))
"""Whatever git ignores: the folder lies in the store, which git is told to leave alone."""


class AddedSource(FolderSource):
    """The texts that were added. Each scan first finishes what a writer left half done."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, _TEXTS_ALONE, ADDED, is_optional=True)
        self._files = AddedFiles(folder)

    def scan(self, paths: Collection[str] | None = None) -> Scan:
        self._files.settle()
        return super().scan(paths)
