"""Where the index of a corpus is kept: its store, its words and its vectors, in a folder or in a database.

An `IndexPlace` goes to everybody who opens them, workers in other processes too. Nobody else knows which of the two it
is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from pinakes.own_folder import OwnFolder
from pinakes.ports import Reader, Store, WordIndex
from pinakes.records import CorpusName
from pinakes.store import copy_sqlite, damage, database_identity, open_sqlite, set_aside
from pinakes.vectors import copy_vectors
from pinakes.words import copy_words, open_words

if TYPE_CHECKING:
    from pinakes.index.vector_folders import VectorShelf
    from pinakes.words.update import RowsOf

_MARKS = ("library.db", "seal.json")


class KeptWords(Protocol):
    """A word index that follows its store."""

    was_mended: bool
    """Whether the last update found the index damaged or removed, and made it again."""

    @property
    def generation(self) -> int:
        """The store's, when this was made; 0 when there is nothing that answers."""
        ...

    @property
    def now(self) -> WordIndex:
        """The index as it is now; raises `StoreDamaged` when it cannot be used."""
        ...

    def behind(self, reader: Reader) -> int | None:
        """How many documents changed since; None where the index knows nothing of this store."""
        ...

    def update(self, reader: Reader, rows_of: RowsOf | None = None) -> None:
        """Catch up with the store; what was there answers until all of the new is whole."""
        ...


class IndexPlace(Protocol):
    """One index."""

    @property
    def own(self) -> OwnFolder:
        """The folder of this machine for what goes with it: notes, locks, files that only this machine needs."""
        ...

    @property
    def shown(self) -> str:
        """What messages call the place."""
        ...

    @property
    def is_made(self) -> bool:
        """Whether there is an index to ask; also where that cannot be told, for whoever opens it is told why."""
        ...

    @property
    def identity(self) -> tuple[int, int]:
        """Tells it from another that takes its place; zeros when there is none."""
        ...

    @property
    def file_bytes(self) -> int:
        """What it takes of this machine's disk, words and vectors left out."""
        ...

    @property
    def is_followed(self) -> bool:
        """Whether what is open goes on with another index that takes the place of this one."""
        ...

    @property
    def announcer(self) -> str:
        """Who tells of writes by other processes, the same for all places that one connection is enough for; empty
        where nobody does."""
        ...

    def announced(self) -> Iterator[object]:
        """Every write to any place of this announcer from now on, for `is_meant`. The first says only that nothing can
        be missed any more, and others come only to show that it goes on. Raises `StoreError` when it does not."""
        ...

    def is_meant(self, write: object) -> bool:
        """Whether what was announced is a write to this place."""
        ...

    def one_state(self) -> AbstractContextManager[None]:
        """Whatever this thread asks inside, of this or another index in the same place, may be read at once: several
        questions then cost little more than one."""
        ...

    def open(self, *, read_only: bool = False) -> Store:
        """The store, made if it is not there, unless it is only to be read, to make something of it."""
        ...

    def words(self) -> KeptWords: ...

    def vectors(self) -> VectorShelf: ...

    def state(self) -> object:
        """Another one whenever words or vectors are others."""
        ...

    def damage(self) -> str:
        """What is wrong with the store, after reading all of it; empty when it is sound or there is none."""
        ...

    def catch_up(self, generation: int) -> None:
        """Be read at this generation, if there is one, or at a later one: somebody has seen it."""
        ...

    def forget_words(self) -> None:
        """Throw the words away, so that they are made again."""
        ...

    def copy_from(self, other: IndexPlace) -> None:
        """Begin, where there is no index yet, with a copy of another one with its words and vectors; raises `NotFound`
        and `StoreError` where there is none to copy, or it cannot be."""
        ...

    def remove(self) -> None:
        """Forget the index and all that belongs to it; raises `StoreError` and `OSError`."""
        ...

    def set_aside(self, only: tuple[int, int] | None = None) -> Path | None:
        """Make room for a new store in the place of this one, or of none but the one that `only` tells; returns where
        it is now, where it is kept."""
        ...


class FolderPlace(Struct, frozen=True):
    """An index in a folder: a database of SQLite, and folders with words and vectors beside it."""

    own: OwnFolder

    @property
    def shown(self) -> str:
        return str(self.own.path)

    @property
    def is_made(self) -> bool:
        try:
            return any(map(self.own.holds, _MARKS))
        except OSError:
            return True

    @property
    def identity(self) -> tuple[int, int]:
        return database_identity(self.own)

    @property
    def file_bytes(self) -> int:
        return sum(one.facts.st_size for one in self.own.entries() if not one.is_folder)

    @property
    def is_followed(self) -> bool:
        return True

    @property
    def announcer(self) -> str:
        return ""

    def announced(self) -> Iterator[object]:
        return iter(())

    def is_meant(self, write: object) -> bool:
        return False

    def one_state(self) -> AbstractContextManager[None]:
        return nullcontext()

    def open(self, *, read_only: bool = False) -> Store:
        return open_sqlite(self.own, read_only=read_only)

    def words(self) -> KeptWords:
        return open_words(self.own.folder("words"))

    def vectors(self) -> VectorShelf:
        from pinakes.index.vector_folders import VectorFolders

        return VectorFolders(self.own.folder("vectors"))

    def state(self) -> object:
        return [stamp for part in ("words", "vectors") for stamp in _stamps(os.path.join(self.own.path, part))]

    def damage(self) -> str:
        return damage(self.own)

    def catch_up(self, generation: int) -> None:
        """Every reader sees the newest."""

    def forget_words(self) -> None:
        self.own.remove_tree("words")

    def copy_from(self, other: IndexPlace) -> None:
        source, target = other.own, self.own
        target.remove_tree("words")
        target.remove_tree("vectors")
        target.make(unseen=True, parents=True)
        if source.holds("library.db"):
            copy_words(source.folder("words"), target.folder("words").make())
            vectors = source.folder("vectors")
            if vectors.exists():
                for name in vectors.names()[0]:
                    copy_vectors(vectors.folder(name), target.folder("vectors", name))
            copy_sqlite(source, target)  # last: until it is there, there is no index

    def remove(self) -> None:
        parent = self.own.parent
        if parent is not None:
            parent.remove_tree(self.own.path.name)

    def set_aside(self, only: tuple[int, int] | None = None) -> Path | None:
        return set_aside(self.own, only)


def place_of(
    own: OwnFolder, corpus: CorpusName, url: str = "", library: str = "", read_urls: tuple[str, ...] = ()
) -> IndexPlace:
    """The place of a corpus: with a `url` in that database under the name of its library, else in its own folder.
    `read_urls` are those of the database's replicas."""
    if not url:
        return FolderPlace(own)
    from pinakes.index.database_place import DatabasePlace  # its driver is an extra

    return DatabasePlace(own, url, library, corpus, read_urls)


def _stamps(folder: str) -> Iterator[tuple[str, int, int, int]]:
    """Path, inode, size and time of every file in a folder and below; nothing where there is none."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _stamps(entry.path)
            elif not entry.name.startswith("."):  # locks, whose time says nothing
                found = entry.stat(follow_symlinks=False)
                yield entry.path, found.st_ino, found.st_size, found.st_mtime_ns
