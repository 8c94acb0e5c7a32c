"""Libraries of a database for servers that have none of their files: what is asked is answered from the index alone.

A database enters; the names of its libraries and each as a `Library` leave. Whoever has the files keeps the index
current. What goes with an index on this machine, such as maps that were drawn, lies in the user's cache:

    served/DIGEST/NAME/    by the database and the library
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from msgspec.structs import replace

from pinakes.added.added_files import AddedSource
from pinakes.config import Config, load_config
from pinakes.errors import ConfigError, NotFound, Unfit
from pinakes.index import QUICK, ignore_progress
from pinakes.index.sync import ReadDocuments
from pinakes.library.corpora import BESIDE, store_folder
from pinakes.library.corpus import Corpus
from pinakes.library.databases import table_sets
from pinakes.library.library import Library
from pinakes.library.refresh import Refresh
from pinakes.memories.texts import MemoryTexts
from pinakes.own_folder import OwnFolder
from pinakes.ports import Progress, Store
from pinakes.postgres import shared_database, without_password
from pinakes.records import ADDED, CODE, DOCS, HISTORY, MEMORIES, CorpusName, Report
from pinakes.sources.stored import StoredSource
from pinakes.user_folders import cache_path

_REVISION = re.compile(r"@[0-9a-f]{40,64}\Z")
"""At the end of a name: an index of a library at a revision, which belongs to whoever has the repository."""
_LONGEST = 100
"""Letters of a name of a folder."""
_ELSEWHERE = "The files of this library are not on this machine."
_STEP = "Change it where they are; the index follows."


def require_served(url: str) -> None:
    """Raise `StoreError` unless all tables of a database are as this program knows them."""
    database = shared_database(url)
    from pinakes.postgres.migrations import require_schema

    require_schema(database, table_sets())


def served_corpora(url: str) -> dict[str, tuple[CorpusName, ...]]:
    """The libraries whose documents are indexed, by name, each with its corpora; raises `StoreError`."""
    rows = shared_database(url).ask(
        "SELECT library, array_agg(corpus ORDER BY id) FROM pinakes.indexes GROUP BY library"
        " HAVING bool_or(corpus = %s AND generation > 0) ORDER BY library",
        (DOCS,),
    )
    return {library: tuple(corpora) for library, corpora in rows if not _REVISION.search(library)}


def open_served(url: str, name: str, corpora: Collection[CorpusName]) -> ServedLibrary:
    """A library of a database, with the corpora that it has there."""
    place = cache_path("served")
    if place is None:
        raise ConfigError("There is no home to keep drawn maps in.", "Set HOME or XDG_CACHE_HOME.")
    digest = hashlib.blake2b(f"{without_password(url)}\n{name}".encode("utf-8", "replace"), digest_size=12).hexdigest()
    shown = quote(name.encode("utf-8", "replace"), safe=" @+,=~")[:_LONGEST].strip(" .") or "library"
    root = OwnFolder.of_user(place).folder(digest, shown).make(parents=True).path
    config = load_config(root, {"store": url, "store.library": name})
    return ServedLibrary(root, config, {one.name: one for one in _corpora(root, config, corpora)})


class ServedLibrary(Library):
    """A library that is asked and not changed."""

    @contextmanager
    def at(self, revision: str, *, progress: Progress = ignore_progress) -> Iterator[Library]:
        raise NotFound("The commits of this library are not on this machine.", "Leave the revision out.")
        yield self

    def refuse_change(self) -> None:
        raise Unfit(_ELSEWHERE, _STEP)


class _ServedCorpus(Corpus):
    """A corpus whose index others keep current."""

    @property
    def store(self) -> Store:
        self.require_index()  # or opening it would make one
        return super().store

    def refresh(
        self,
        paths: Collection[str] | None = None,
        *,
        verify: bool = False,
        wait_s: float | None = None,
        keywords_s: float | None = 2.0,
        progress: Progress = ignore_progress,
        read: ReadDocuments | None = None,
    ) -> Refresh:
        """There is nothing to compare the index with."""
        return Refresh(None)

    def sync(
        self,
        *,
        verify: bool = False,
        rebuild: bool = False,
        paths: Collection[str] | None = None,
        wait: bool = True,
        progress: Progress = ignore_progress,
    ) -> Report:
        raise Unfit(_ELSEWHERE, _STEP)

    def complete(self, *, progress: Progress = ignore_progress) -> None:
        """Whoever has the files does."""

    def embed_in_background(self) -> None:
        """Whoever has the files does."""


def _corpora(root: Path, config: Config, names: Collection[CorpusName]) -> Iterator[Corpus]:
    home = store_folder(config)
    quiet = replace(config, keywords=replace(config.keywords, enabled=False))
    # There may be a hundred thousand commits, for which only quick vectors are made.
    hurried = replace(quiet, neural=replace(config.neural, model=QUICK), search=replace(config.search, per_document=1))
    special: Mapping[CorpusName, Config] = {CODE: quiet, HISTORY: hurried}
    yield _ServedCorpus(StoredSource(DOCS), root, config, home)
    for name in _in_order(names):
        yield _ServedCorpus(StoredSource(name), root, _beside(special.get(name, config), name), home)
    # Notes and added documents are files, which are where the others are.
    local = replace(quiet, store_url="", store_library="")
    yield Corpus(MemoryTexts(root, config.memories), root, _beside(local, MEMORIES), home)
    yield Corpus(AddedSource(home.folder(ADDED)), root, _beside(local, ADDED), home)


def _in_order(names: Collection[CorpusName]) -> Sequence[CorpusName]:
    """Further roots, then the code and the commits, as in a library with files."""
    others = [name for name in names if name not in (DOCS, CODE, HISTORY, MEMORIES, ADDED)]
    return [*sorted(others), *(name for name in (CODE, HISTORY) if name in names)]


def _beside(config: Config, corpus: CorpusName) -> Config:
    return replace(config, store=config.store / BESIDE / corpus)
