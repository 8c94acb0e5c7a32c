"""The place of an index in a PostgreSQL database.

The address of the database enters with the names of library and corpus; its store, words and vectors leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from pinakes.errors import NotFound, StoreDamaged
from pinakes.own_folder import OwnFolder
from pinakes.ports import Store
from pinakes.records import CorpusName

if TYPE_CHECKING:
    from pinakes.index.place import IndexPlace, KeptWords
    from pinakes.index.vector_folders import VectorShelf
    from pinakes.postgres.database import Database


class DatabasePlace(Struct, frozen=True):
    """An index in a PostgreSQL database."""

    own: OwnFolder
    url: str
    library: str
    corpus: CorpusName
    read_urls: tuple[str, ...] = ()
    """Of replicas."""

    @property
    def shown(self) -> str:
        return f"{self._database.shown} as {self.library}"

    @property
    def is_made(self) -> bool:
        return self.identity != (0, 0)

    @property
    def identity(self) -> tuple[int, int]:
        from pinakes.store.postgres.indexes import index_number

        number = index_number(self._database, self._name)
        return (number, number)

    @property
    def file_bytes(self) -> int:
        return 0

    @property
    def is_followed(self) -> bool:
        return False

    @property
    def announcer(self) -> str:
        return self.url

    def announced(self) -> Iterator[object]:
        from pinakes.store.postgres.announcements import announced_writes

        return announced_writes(self._database)

    def is_meant(self, write: object) -> bool:
        from pinakes.store.postgres.announcements import IndexWrite

        return isinstance(write, IndexWrite) and write.index == self._name

    def one_state(self) -> AbstractContextManager[None]:
        opened: Database = self._database
        return opened.one_state()

    def open(self, *, read_only: bool = False) -> Store:
        from pinakes.store.postgres.store import open_postgres

        return open_postgres(self._database, self._name, read_only=read_only)

    def words(self) -> KeptWords:
        from pinakes.words.postgres.index import PostgresWords

        return PostgresWords(self._database, self._number)

    def vectors(self) -> VectorShelf:
        from pinakes.index.vector_tables import VectorTables

        return VectorTables(self._database, self._number, self)

    def state(self) -> object:
        from pinakes.vectors.postgres.rows import derived_state

        return derived_state(self._database, self._number)

    def damage(self) -> str:
        try:
            store = self.open(read_only=True)
            for _ in store.documents_by_number(store.feed(0).changed):
                pass  # each is compared with its checksum
        except NotFound:
            return ""
        except StoreDamaged as error:
            return error.problem
        return ""

    def catch_up(self, generation: int) -> None:
        self._database.catch_up(self._number, generation)

    def forget_words(self) -> None:
        from pinakes.words.postgres.update import forget_words

        forget_words(self._database, self._number)

    def copy_from(self, other: IndexPlace) -> None:
        from pinakes.store.postgres.copy import copy_postgres

        if isinstance(other, DatabasePlace) and other.url == self.url:
            copy_postgres(self._database, other._name, self._name)

    def remove(self) -> None:
        self.set_aside()

    def set_aside(self, only: tuple[int, int] | None = None) -> Path | None:
        from pinakes.store.postgres.indexes import remove_index

        if only is None or only == self.identity:
            remove_index(self._database, self._name)
        return None

    @property
    def _database(self) -> Any:
        from pinakes.postgres import shared_database

        return shared_database(self.url, self.read_urls)

    @property
    def _name(self) -> Any:
        from pinakes.store.postgres.indexes import IndexName

        return IndexName(self.library, self.corpus)

    @property
    def _number(self) -> int:
        return self.identity[0]
