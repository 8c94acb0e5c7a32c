"""A PostgreSQL database that several rooms keep tables in: its connections, its errors and its schema.

An address enters, connections leave (`open_database`), whose errors are ours. Rooms hand their tables to `migrate` as
numbered scripts and ask `require_schema` for them before they use them; what the tables mean is not known here.
psycopg is imported when the first database is opened.
"""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from pinakes.postgres.address import is_database_url, without_password

if TYPE_CHECKING:
    from pinakes.postgres.database import Database

__all__ = ["is_database_url", "open_database", "shared_database", "without_password"]


def open_database(url: str, read_urls: Sequence[str] = ()) -> Database:
    """The database at an address such as ``postgresql://user:password@host/name``, with those of its replicas. Nothing
    is connected yet; raises `ConfigError` for what is no address, and `ExtraMissing` without psycopg."""
    from pinakes.postgres.address import require_client

    require_client()
    from pinakes.postgres.database import Database

    return Database(url, read_urls)


@cache
def shared_database(url: str, read_urls: tuple[str, ...] = ()) -> Database:
    """The database at an address, one for all of a process: its connections are kept until the process ends."""
    database = open_database(url, read_urls)
    atexit.register(database.close)
    return database
