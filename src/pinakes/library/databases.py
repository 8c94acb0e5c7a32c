"""The tables of every room that keeps some in PostgreSQL, and the command that makes them.

A room adds a line to `table_sets`; `pinakes migrate` and everything that opens a database ask here.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pinakes.access import GRANT
from pinakes.errors import StoreError
from pinakes.postgres import open_database, shared_database
from pinakes.records.jobs import QueueState

if TYPE_CHECKING:
    from pinakes.postgres.migrations import SchemaStep, TableSet


def table_sets() -> tuple[TableSet, ...]:
    """In the order in which they are made."""
    from pinakes.access.schema import ACCESS_TABLES
    from pinakes.index.kept_readings import READING_TABLES
    from pinakes.jobs.schema import JOB_TABLES
    from pinakes.store.postgres.schema import STORE_TABLES
    from pinakes.vectors.postgres.schema import VECTOR_TABLES
    from pinakes.vectors.postgres.shared import SHARED_VECTOR_TABLES
    from pinakes.words.postgres.schema import WORD_TABLES

    return (STORE_TABLES, WORD_TABLES, VECTOR_TABLES, JOB_TABLES, READING_TABLES, SHARED_VECTOR_TABLES, ACCESS_TABLES)


def queue_of(url: str) -> QueueState | None:
    """What there is to do in a database, for all its libraries; None without one, and where that cannot be asked, which
    whoever opens an index is told. What was set aside is named for libraries that the present request may see."""
    if not url:
        return None
    from pinakes.jobs.queue import queue_state

    with suppress(StoreError):
        found = queue_state(shared_database(url))
        return replace(found, set_aside=tuple(one for one in found.set_aside if GRANT.get().sees(one.library)))
    return None


def remove_library(url: str, library: str) -> None:
    """Forget every index of a library in a database, at all its revisions."""
    database = shared_database(url)
    from pinakes.store.postgres.indexes import indexes_of, remove_index

    for name in indexes_of(database, library):
        remove_index(database, name)


def migrate_database(url: str) -> tuple[SchemaStep, ...]:
    """Make or upgrade all tables in the database at an address; raises `StoreError`, `ConfigError`, `ExtraMissing`."""
    database = open_database(url)
    from pinakes.postgres.migrations import migrate

    try:
        return migrate(database, table_sets())
    finally:
        database.close()
