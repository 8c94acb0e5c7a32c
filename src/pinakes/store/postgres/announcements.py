"""Writes to indexes of a database, by whichever process on whichever machine.

Each write tells a channel its index and generation when its transaction ends; from here the name of the index leaves,
and this process reads no state of it from before.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from pinakes.postgres.database import Database
from pinakes.store.postgres.indexes import IndexName, name_of
from pinakes.store.postgres.schema import CHANNEL


class IndexWrite(Struct, frozen=True):
    """One write that somebody made."""

    index: IndexName
    generation: int


def announced_writes(database: Database) -> Iterator[IndexWrite | None]:
    """Every write from now on; None at first, when nothing can be missed any more, and whenever none came for a second.
    Raises `StoreError` when the connection is lost."""
    names: dict[int, IndexName | None] = {}
    for told in database.listen(CHANNEL):
        first, _, second = told.partition(" ")
        if not (first.isdecimal() and second.isdecimal()):  # anybody may tell a channel anything
            yield None
            continue
        number, generation = int(first), int(second)
        database.require(number, generation)
        if number not in names:
            names[number] = name_of(database, number)
        index = names[number]
        yield None if index is None else IndexWrite(index, generation)
