"""What this machine has of a library of a database: a mirror of its repository, and a folder for locks and notes.

A `GitLibrary` enters; a library over its index leaves, with the files of its commit or without. All of it can be made
again. Libraries of one repository share a mirror:

    mirrors/DIGEST/mirror/    a bare repository, by the address it was fetched from
    shared/DIGEST/NAME/       what goes with an index, by the database it lies in
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pinakes.config import Config, load_config
from pinakes.errors import ConfigError, NotFound
from pinakes.folder_lock import exclusive_lock
from pinakes.library.corpora import corpora_at, corpora_of, store_folder
from pinakes.library.corpus import Corpus
from pinakes.library.library import Library, PastLibrary
from pinakes.library.past import PastIndexes
from pinakes.own_folder import OwnFolder
from pinakes.ports import Progress
from pinakes.postgres import without_password
from pinakes.records import CODE, DOCS, CorpusName
from pinakes.records.jobs import GitLibrary
from pinakes.sources.git.at_revision import tree_at
from pinakes.sources.git.mirror import DEFAULT, fetch
from pinakes.sources.git.tree import GitTree
from pinakes.sources.stored import StoredSource
from pinakes.user_folders import cache_path

_FETCHING_S = 600.0
"""How long somebody else's fetch of the same repository is waited for."""


class LibraryPlace(NamedTuple):
    """A library on this machine."""

    library: GitLibrary
    url: str

    def fetch(self) -> str:
        """Bring the mirror up to date; returns the commit that the library asks. Raises `Unreadable` and `NotFound`."""
        one, folder = self.library, self._mirror_folder
        folder.make(parents=True)
        with exclusive_lock(folder, "mirrors", _FETCHING_S):
            fetch(self.mirror, one.address)
        return tree_at(str(self.mirror), one.ref or DEFAULT, one.path).commit

    def tree(self, commit: str = "") -> GitTree:
        """The files of the library's commit or of another one, fetched where this machine has not got it yet."""
        one = self.library
        commit = commit or one.commit
        if not commit:
            raise NotFound(f"The library “{one.name}” was never fetched.", f"Run pinakes library sync {one.name}.")
        try:
            return tree_at(str(self.mirror), commit, one.path)
        except NotFound:
            self.fetch()
            return tree_at(str(self.mirror), commit, one.path)

    @contextmanager
    def with_files(self, commit: str = "") -> Iterator[Library]:
        """The library over the files of its commit or of another one, and its index, which need not agree with them."""
        config = self.config
        found = corpora_at(self.tree(commit), config, store_folder(config))
        with PastLibrary(self.mirror, config, found) as library:
            yield library

    @contextmanager
    def stored(self) -> Iterator[Library]:
        """The library as it is indexed, without its files: what can be asked of the index alone."""
        config = self.config
        names = (DOCS, CODE) if config.code.enabled else (DOCS,)
        found = corpora_of([StoredSource(name) for name in names], config, store_folder(config))
        with PastLibrary(self._own.path, config, found) as library:
            yield library

    @contextmanager
    def at(self, revision: str, progress: Progress) -> Iterator[Library]:
        """The library at a revision of its repository; raises `NotFound`."""
        self.tree()
        config = self.config

        def make(found: Mapping[CorpusName, Corpus]) -> Library:
            return PastLibrary(self.mirror, config, found)

        present = corpora_at(self.tree(), config, store_folder(config))
        indexes = PastIndexes(self.mirror, config, present, make, self.library.path)
        try:
            with indexes.at(revision, progress) as library:
                yield library
        finally:
            indexes.close()
            for one in present.values():
                one.close()

    def forget(self) -> None:
        """Remove what this machine keeps of it, but for the mirror, which others may use."""
        self._all.remove_tree(self.library.name)

    @property
    def mirror(self) -> Path:
        """The bare repository."""
        return self._mirror_folder.folder("mirror").path

    @property
    def config(self) -> Config:
        """The user's own settings; in the database the library is called by its name."""
        self._own.make(parents=True)
        given = {"store": self._own.folder("index").path, "store.url": self.url, "store.library": self.library.name}
        # A job goes on from what another worker wrote just now, which a replica may not have yet.
        return load_config(self._own.path, {**given, "store.read_urls": ()})

    @property
    def _mirror_folder(self) -> OwnFolder:
        return _folder("mirrors").folder(_digest(self.library.address))

    @property
    def _all(self) -> OwnFolder:
        return _folder("shared").folder(_digest(without_password(self.url)))

    @property
    def _own(self) -> OwnFolder:
        return self._all.folder(self.library.name)


def _folder(name: str) -> OwnFolder:
    place = cache_path(name)
    if place is None:
        raise ConfigError("There is no home to keep mirrors in.", "Set HOME or XDG_CACHE_HOME.")
    return OwnFolder.of_user(place)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
