"""Texts in a folder of ours, as a source: memories and added documents.

The folder is reached anew for every scan and every text, without following a link on the way to it or in it; see
`OwnFolder`. Everything else is as in `FolderSource`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from pinakes.errors import StoreStrange, Unreadable
from pinakes.own_folder import OwnFolder
from pinakes.records import CorpusName, Scan, Stamp
from pinakes.sources.folder import FolderSource
from pinakes.sources.folder_rules import RuledFolder
from pinakes.sources.options import FolderOptions


class OwnTexts(FolderSource):
    """`reach` gives the folder as it can be used now, or raises `StoreStrange`."""

    def __init__(
        self, root: Path, reach: Callable[[], OwnFolder], corpus: CorpusName, exclude: tuple[str, ...] = ()
    ) -> None:
        # Whatever git ignores: such a folder may be left out of git and is ours all the same.
        super().__init__(root, FolderOptions(exclude=("!*", ".*", *exclude)), corpus, is_optional=True)
        self._own = reach

    @property
    def exists(self) -> bool:
        return self._own().exists()

    def scan(self, paths: Collection[str] | None = None) -> Scan:
        found = super().scan(paths)
        self._own().exists()  # or what was listed may be something else
        return found

    @contextmanager
    def _opened(self, path: str) -> Iterator[int]:
        *folders, name = path.split("/")
        try:
            with self._own().folder(*folders).open(name) as file:
                yield file.fileno()
        except StoreStrange as error:
            raise Unreadable(error.problem, error.next_step) from error

    def _followed(self, links: list[tuple[RuledFolder, str]], listed: Collection[str]) -> Iterator[tuple[str, Stamp]]:
        return iter(())
