"""The vectors of one index in a database: whose there are, and how far they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinakes.index.vector_folders import EmbeddingProgress, VectorShelf, pages_reader
from pinakes.vectors.postgres.index import PostgresVectors
from pinakes.vectors.postgres.rows import embedders_of, forget_sets
from pinakes.vectors.postgres.shared import SharedVectors

if TYPE_CHECKING:
    from pinakes.index.place import IndexPlace
    from pinakes.postgres.database import Database

_KEPT_SETS = 2
"""Of the selected embedder, and of the one before, in case somebody goes back."""


class VectorTables(VectorShelf):
    """The promise `VectorShelf`, kept by tables. How far an embedder is, is known to the process that is at it."""

    def __init__(self, database: Database, store: int, place: IndexPlace) -> None:
        super().__init__()
        self._database = database
        self._store = store
        self._place = place
        self._files: dict[str, PostgresVectors] = {}
        self._notes: dict[str, EmbeddingProgress] = {}
        self._shared = SharedVectors(database)

    def names(self) -> tuple[str, ...]:
        """See `VectorShelf`."""
        return embedders_of(self._database, self._store)

    def file(self, name: str) -> PostgresVectors:
        """See `VectorShelf`."""
        if name not in self._files:
            self._files[name] = self.another(name)
        return self._files[name]

    def another(self, name: str) -> PostgresVectors:
        """See `VectorShelf`."""
        pages_of = pages_reader(self._place) if self.is_quick(name) else None
        return PostgresVectors(self._database, self._store, name, self.cache_of(name), pages_of)

    def cache_of(self, name: str) -> SharedVectors | None:
        """Vectors made before, for all libraries of the database; none of the quick embedder, whose vectors are made
        sooner than they are fetched."""
        return None if self.is_quick(name) else self._shared

    def prune_cache(self) -> None:
        """See `VectorShelf`."""
        self._shared.sweep()

    def discard_damaged(self) -> tuple[str, ...]:
        """What a transaction wrote is whole."""
        return ()

    def discard(self, name: str) -> None:
        """See `VectorShelf`."""
        forget_sets(self._database, self._store, [name])

    def forget(self, *newest: str) -> None:
        """See `VectorShelf`."""
        others = [name for name in self.names() if name not in newest]
        forget_sets(self._database, self._store, others[: max(0, len(others) + len(newest) - _KEPT_SETS)])
        self.prune_cache()

    @property
    def has_home(self) -> bool:
        """See `VectorShelf`."""
        return self._place.identity[0] == self._store

    def clear_the_way(self, name: str) -> None:
        """Nothing can take the place of rows."""

    def note(self, name: str, note: EmbeddingProgress) -> None:
        """See `VectorShelf`."""
        self._notes[name] = note

    def read_progress(self, name: str) -> EmbeddingProgress:
        """See `VectorShelf`."""
        return self._notes.get(name, EmbeddingProgress())

    def clear_progress(self, name: str) -> None:
        """See `VectorShelf`."""
        self._notes.pop(name, None)
