"""Which indexes a database keeps: their names and numbers, one more of them, one less.

An `IndexName` enters, the number that its rows are told by leaves.
"""

from __future__ import annotations

import time

from msgspec import Struct

from pinakes.postgres.database import Database
from pinakes.records import CorpusName
from pinakes.store.postgres.lock import PostgresLock


class IndexName(Struct, frozen=True):
    """Which index of a database: names of libraries are the users' own, and no two libraries share one."""

    library: str
    corpus: CorpusName

    def __str__(self) -> str:
        return f"the index of {self.corpus} of {self.library}"


def index_number(database: Database, name: IndexName) -> int:
    """Tells an index from another one that takes its place; 0 when there is none."""
    return _NUMBERS.of(database, name.library).get(name.corpus, 0)


class _IndexNumbers:
    """The numbers of the indexes of libraries, by their corpora. Every question asks for them thirty times, so what the
    database said is believed for a moment, unless this process makes or removes one."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[float, dict[CorpusName, int]]] = {}

    def of(self, database: Database, library: str) -> dict[CorpusName, int]:
        """Those of one library. The others that were asked for are looked at again with it: whoever asks many libraries
        at once asks the database once."""
        name, now = (database.url, library), time.monotonic()
        known = self._known.get(name)
        if known is None or now - known[0] > _BELIEVED_S:
            if len(self._known) >= _MOST_LIBRARIES:
                self._known.clear()
            names = {library, *(other for url, other in tuple(self._known) if url == database.url)}
            found: dict[str, dict[CorpusName, int]] = {one: {} for one in names}
            asked = "SELECT library, corpus, id FROM pinakes.indexes WHERE library = ANY(%s::text[])"
            for one, corpus, number in database.ask(asked, (sorted(names),), anywhere=True):
                found[one][corpus] = number
            self._known.update({(database.url, one): (now, numbers) for one, numbers in found.items()})
            return found[library]
        return known[1]

    def forget(self, database: Database, library: str) -> None:
        """One was made or removed."""
        self._known.pop((database.url, library), None)


_NUMBERS = _IndexNumbers()
_BELIEVED_S = 0.1
_MOST_LIBRARIES = 1000


def name_of(database: Database, number: int) -> IndexName | None:
    """Whose number it is; None when there is no such index any more."""
    rows = database.ask("SELECT library, corpus FROM pinakes.indexes WHERE id = %s", (number,))
    return IndexName(*rows[0]) if rows else None


def indexes_of(database: Database, library: str) -> list[IndexName]:
    """Those of a library, at all revisions of which there are some: their names begin with its own and an @."""
    asked = "SELECT library, corpus FROM pinakes.indexes WHERE library = %s OR starts_with(library, %s) ORDER BY id"
    return [IndexName(*row) for row in database.ask(asked, (library, f"{library}@"))]


def remove_index(database: Database, name: IndexName) -> None:
    """Forget an index, and all rows of it; whoever has it open finds it gone."""
    with database.on_primary():
        number = index_number(database, name)
    if number:
        lock = PostgresLock(database, number, str(name))
        with lock.held(30.0), database.transaction() as connection:
            connection.execute("DELETE FROM indexes WHERE id = %s", (number,))
        _NUMBERS.forget(database, name.library)
        lock.close()


def new_index(database: Database, name: IndexName) -> int:
    """Make one, unless there is one by now; returns its number."""
    with database.transaction() as connection:
        connection.execute(
            "INSERT INTO indexes (library, corpus) VALUES (%s, %s) ON CONFLICT DO NOTHING", (name.library, name.corpus)
        )
    _NUMBERS.forget(database, name.library)
    with database.on_primary():
        return index_number(database, name)
