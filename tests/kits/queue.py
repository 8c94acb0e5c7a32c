"""Queues for tests: libraries of a database that nobody else has, and workers as processes of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from kits.postgres import server
from pinakes.other_python import NEUTRAL, environment, python
from pinakes.postgres import shared_database
from pinakes.postgres.database import Database
from pinakes.postgres.migrations import migrate


def empty_database() -> Database:
    """One with tables and nothing in them."""
    database = _database()
    with database.transaction() as connection:
        connection.execute("DELETE FROM libraries; DELETE FROM workers; DELETE FROM indexes; DELETE FROM made_vectors")
    return database


@cache
def _database() -> Database:
    from pinakes.library.databases import table_sets

    database = shared_database(server().new_database())
    migrate(database, table_sets())
    return database


@contextmanager
def worker_process(url: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A worker in a process of its own; it is ended at the end."""
    process = subprocess.Popen(
        python("-m", "pinakes", "worker", *words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=NEUTRAL,
        env=environment() | {"PINAKES_STORE_URL": url},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
