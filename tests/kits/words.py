"""The engines that keep words, for the tests of what all of them promise."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Protocol

from kits.store import migrated_database, postgres_store
from pinakes.own_folder import OwnFolder
from pinakes.ports import Reader, WordIndex
from pinakes.words import open_words
from pinakes.words.postgres.index import PostgresWords

_NUMBERS = count()


class KeptWords(Protocol):
    """Words that follow a store."""

    def update(self, reader: Reader) -> None: ...

    @property
    def now(self) -> WordIndex: ...


WordEngine = Callable[[Path], KeptWords]


def postgres_words(library: str = "") -> PostgresWords:
    """The words of a library that nobody else has."""
    store = postgres_store(library or f"words {next(_NUMBERS)}")
    return PostgresWords(migrated_database(), store.number)


WORD_ENGINES: dict[str, WordEngine] = {
    "tantivy": lambda folder: open_words(OwnFolder(folder, 2)),
    "postgres": lambda folder: postgres_words(),
}
