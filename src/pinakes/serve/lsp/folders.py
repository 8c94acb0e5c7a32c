"""The folders that are open in the editor, each with the library it belongs to.

Folders as the editor names them enter. A file's `FilePlace` leaves: the library whose documents it is among, and its
address there. Folders of one project share its library.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct

from pinakes.config import default_root
from pinakes.library import Library
from pinakes.records import ADDED, CODE, DOCS, MEMORIES, CorpusName, Ref
from pinakes.records.formats import code_media_of
from pinakes.serve.freshness import Freshness, FreshnessOptions
from pinakes.serve.libraries import Libraries
from pinakes.serve.library_names import LibraryChange
from pinakes.serve.pool import Pool
from pinakes.sources import FolderSource

OPTIONS = FreshnessOptions(hurry_s=0.02, patience_s=0.02)
"""Somebody is typing: an answer from before the last change is better than one that is late. What a comparison finds is
told when it is through."""
_NOT_WRITTEN_HERE = (MEMORIES, ADDED)


@dataclass(eq=False)
class OpenFolder:
    """A project that folders of the editor lie in."""

    root: Path
    """Without links."""
    base: Path
    """The root as the editor spells it, so that it recognises the files that it is told of."""
    libraries: Libraries
    freshness: Freshness
    users: set[str] = field(default_factory=set)
    """The URIs of the editor's folders that lie in it."""

    @property
    def library(self) -> Library:
        return self.libraries.get()

    @property
    def name(self) -> str:
        return self.libraries.names[0]

    def sources(self) -> Mapping[CorpusName, Path]:
        """The folder of each corpus whose documents people write, without links."""
        library = self.library
        found = {name: library.corpus(name).source for name in library.corpora if name not in _NOT_WRITTEN_HERE}
        return {name: Path(os.path.realpath(one.root)) for name, one in found.items() if isinstance(one, FolderSource)}

    def file_of(self, ref: Ref) -> str:
        """The file of a document, spelled as the editor does."""
        root = self.sources().get(ref.corpus, self.root)
        return os.path.join(self.base if root == self.root else root, *ref.path.split("/"))

    def close(self) -> None:
        """Close the library. The pool, which other folders use, goes on."""
        self.libraries.close()


class FilePlace(Struct, frozen=True):
    """Where a file belongs."""

    folder: OpenFolder | None
    """None for a file outside of every library."""
    ref: Ref
    """Its address there; for a document outside, its name alone."""


class Folders:
    """All open folders. Used on the event loop."""

    def __init__(self, pool: Pool, arguments: Mapping[str, object], on_change: Callable[[LibraryChange], None]) -> None:
        """`on_change` hears of changes to any library, in the thread that made them."""
        self._pool = pool
        self._arguments = arguments
        self._on_change = on_change
        self._folders: dict[Path, OpenFolder] = {}

    def all(self) -> tuple[OpenFolder, ...]:
        return tuple(self._folders.values())

    def add(self, uri: str, folder: str, *, is_root: bool = False, warn: Callable[[str], None]) -> OpenFolder | None:
        """Open the project that a folder lies in, or the folder itself where it is the root; raises `ConfigError` when
        it is none. None when that project is open already."""
        given = Path(os.path.abspath(folder))
        real = Path(os.path.realpath(given))
        root = real if is_root else default_root(real)
        known = self._folders.get(root)
        if known is not None:
            known.users.add(uri)
            return None
        libraries = Libraries((root,), self._arguments, is_searched=False)
        opened = OpenFolder(root, _spelled(root, real, given), libraries, Freshness(libraries, OPTIONS, self._pool))
        opened.users.add(uri)
        libraries.listen(self._on_change)
        libraries.watch(warn=warn)
        self._folders[root] = opened
        return opened

    def remove(self, uri: str) -> OpenFolder | None:
        """A folder was closed; returns the project that no folder lies in any more, which the caller closes."""
        for root, folder in self._folders.items():
            folder.users.discard(uri)
            if not folder.users:
                return self._folders.pop(root)
        return None

    def place(self, path: str, name: str = "untitled") -> FilePlace:
        """Where a file belongs: to the library with the nearest root above it. Without a path there is no file, only
        a document of that name."""
        if not path:  # which would mean the working directory
            return FilePlace(None, Ref(DOCS, name))
        real = Path(os.path.realpath(path))
        is_code = code_media_of(real.name).is_document
        above = [
            (len(root.parts), (corpus == CODE) == is_code, root, folder, corpus)
            for folder in self._folders.values()
            for corpus, root in folder.sources().items()
            if real.is_relative_to(root)
        ]
        if not above:
            return FilePlace(None, Ref(DOCS, real.name or name))
        _, _, root, folder, corpus = max(above, key=lambda one: one[:2])
        return FilePlace(folder, Ref(corpus, real.relative_to(root).as_posix()))


def _spelled(root: Path, real: Path, given: Path) -> Path:
    """The root as it is spelled in a folder's name `given`, which is `real` without links; else the root itself."""
    above = len(real.parts) - len(root.parts)
    spelled = given.parents[above - 1] if 0 < above <= len(given.parents) else given
    return spelled if os.path.realpath(spelled) == str(root) else root
