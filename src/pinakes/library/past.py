"""Indexes of the documents and the source code as they were at revisions of git.

A revision enters, a library over the files of that commit leaves. Each tree of files has an index of its own below
`at/` in the store. A new one begins as a copy of the index that differs least, of another revision or of the present
files, and is then compared with its commit like any other, so that only files that differ are parsed. What was asked
for last stays; of the others the oldest are removed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from msgspec.structs import replace

from pinakes.config import Config
from pinakes.errors import NotFound, StoreError
from pinakes.folder_lock import exclusive_lock
from pinakes.index.place import IndexPlace, place_of
from pinakes.library.corpora import BESIDE, corpora_at, store_folder
from pinakes.library.corpus import Corpus
from pinakes.own_folder import OwnFolder
from pinakes.ports import Progress
from pinakes.records import CODE, DOCS, CorpusName
from pinakes.sources.git.at_revision import differing, head_tree, tree_at
from pinakes.sources.git.tree import GitTree

AT = "at"
"""Folder inside the store for the indexes of revisions, by the hashes of their trees."""
KEPT = 8
"""Indexes that stay on disk."""
OPEN = 4
"""Revisions that stay open while nobody asks."""
_USED = "used"
"""A file whose time says when a revision was last asked for."""
_COMPARING = 20
"""About so many files are compared in the time in which one is parsed."""


class _Closing(Protocol):
    def close(self) -> None: ...


L = TypeVar("L", bound=_Closing)


class _OpenRevision(Generic[L]):
    """A library over one commit, and how many are asking it."""

    def __init__(self, library: L, corpora: Mapping[CorpusName, Corpus]) -> None:
        self.library = library
        self.corpora = corpora
        self.settling = threading.Lock()
        self.users = 0


class PastIndexes(Generic[L]):
    """The revisions of one root. Threads may share it, and several processes the folder."""

    def __init__(
        self,
        root: Path,
        config: Config,
        present: Mapping[CorpusName, Corpus],
        library: Callable[[Mapping[CorpusName, Corpus]], L],
        inside: str = "",
    ) -> None:
        """`present` are the corpora of the files on disk; `library` makes a library of others. `inside` is the folder
        of a bare repository that counts."""
        self._inside = inside
        self._root = root
        self._config = config
        self._present = present
        self._library = library
        self._home = store_folder(config)
        self._open: dict[str, _OpenRevision[L]] = {}
        self._choosing = threading.Lock()

    @contextmanager
    def at(self, revision: str, progress: Progress) -> Iterator[L]:
        """The library of a revision, whose index agrees with it; raises `NotFound` for none, and `StoreError`."""
        tree = tree_at(str(self._root), revision, self._inside)
        with self._using(tree) as opened:
            with opened.settling:
                self._make(tree)
                for one in opened.corpora.values():
                    done = one.refresh(wait_s=30.0, progress=progress)
                    if done.report is None or done.trouble is not None:  # a copy that is not compared is another commit
                        raise done.trouble or NotFound(f"There is no index of {revision}.", "Ask again.")
            yield opened.library

    def close(self) -> None:
        """Close every index; the files stay."""
        with self._choosing:
            for one in self._open.values():
                one.library.close()
            self._open.clear()

    @contextmanager
    def _using(self, tree: GitTree) -> Iterator[_OpenRevision[L]]:
        with self._choosing:
            opened = self._open.pop(tree.commit, None) or self._opened(tree)
            self._open[tree.commit] = opened  # the last one was asked for last
            opened.users += 1
        try:
            yield opened
        finally:
            with self._choosing:
                opened.users -= 1
                idle = [commit for commit, one in self._open.items() if not one.users]
                for commit in idle[: max(len(self._open) - OPEN, 0)]:
                    self._open.pop(commit).library.close()

    def _opened(self, tree: GitTree) -> _OpenRevision[L]:
        config = replace(
            self._config, store=self._place(tree.tree).path, store_library=f"{self._config.store_library}@{tree.tree}"
        )
        corpora = corpora_at(tree, config, self._home)
        return _OpenRevision(self._library(corpora), corpora)

    def _place(self, tree: str) -> OwnFolder:
        return self._home.folder(AT, tree)

    def _make(self, tree: GitTree) -> None:
        """See to it that there is an index to begin with. Where nothing can be written, whoever opens it tells why."""
        place = self._place(tree.tree)
        try:
            if not self._index(tree.tree, DOCS).is_made:
                self._home.folder(AT).make(unseen=True, parents=True)
                with exclusive_lock(self._home.folder(AT), "revisions"):
                    if not self._index(tree.tree, DOCS).is_made:
                        self._begin(tree, place)
            place.replace(_USED, b"", durable=False)
        except OSError:
            return

    def _begin(self, tree: GitTree, place: OwnFolder) -> None:
        others = self._others(tree.tree)
        nearest = self._nearest(tree, others)
        place.make(unseen=True, parents=True)
        for name in self._names if nearest is not None else ():
            with suppress(NotFound, StoreError, OSError):  # without a copy everything is read
                self._index(tree.tree, name).copy_from(self._index(nearest or "", name))
        for old in others[: max(len(others) + 1 - KEPT, 0)]:
            for name in self._names:
                with suppress(StoreError):
                    self._index(old, name).remove()
            self._home.folder(AT).remove_tree(old)

    @property
    def _names(self) -> tuple[CorpusName, ...]:
        return (CODE, DOCS) if self._config.code.enabled else (DOCS,)

    def _index(self, tree: str, corpus: CorpusName) -> IndexPlace:
        """Where a corpus of a tree is; of the present files without one."""
        home = self._place(tree) if tree else self._home
        library = f"{self._config.store_library}@{tree}" if tree else self._config.store_library
        own = home if corpus == DOCS else home.folder(BESIDE, corpus)
        return place_of(own, corpus, self._config.store_url, library, self._config.store_read_urls)

    def _others(self, tree: str) -> list[str]:
        """The trees that have an index, the one asked for longest ago first."""
        folder = self._home.folder(AT)
        used: dict[str, int] = {}
        for name in folder.names()[0]:
            facts = folder.folder(name).facts(_USED)
            used[name] = facts.st_mtime_ns if facts else 0
        return sorted((name for name in used if name != tree), key=used.__getitem__)

    def _nearest(self, tree: GitTree, others: list[str]) -> str | None:
        """The tree of the index to copy, empty for that of the present files: the one with the fewest files to parse;
        None where there is none."""
        found: list[tuple[int, str]] = []
        for name in others:
            count = differing(tree, name)
            if count is not None:
                found.append((count, name))
        present = self._present[DOCS]
        if present.is_indexed and (head := head_tree(tree)) and (count := differing(tree, head)) is not None:
            with suppress(StoreError):
                found.append((count + present.store.counts(DOCS).documents // _COMPARING, ""))
        if not found:
            return None
        return min(found)[1]
