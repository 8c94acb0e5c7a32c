"""The libraries from git that a database knows, for every machine that asks it.

A `GitLibrary` enters and leaves. Names are checked by whoever adds one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pinakes.errors import ConfigError, NotFound
from pinakes.jobs.schema import JOB_TABLES, JOBS_CHANNEL
from pinakes.postgres.database import Database, PostgresConnection, sql
from pinakes.postgres.migrations import require_schema
from pinakes.records.jobs import GitLibrary

_ASK = "SELECT name, address, ref, path, git_commit, synced FROM pinakes.libraries"


class Registry:
    """All of a database."""

    def __init__(self, database: Database) -> None:
        """Raises `StoreError` where the tables are missing, or are others."""
        require_schema(database, [JOB_TABLES])
        self._database = database

    def list(self) -> Sequence[GitLibrary]:
        """Every library, by name."""
        return [_record(row) for row in self._database.ask(f"{_ASK} ORDER BY name")]

    def get(self, name: str) -> GitLibrary:
        """The library of that name; raises `NotFound` with the names there are."""
        rows = self._database.ask(f"{_ASK} WHERE name = %s", (name,))
        if not rows:
            names = ", ".join(one.name for one in self.list())
            step = f"There are {names}." if names else "pinakes library add NAME --git URL makes one."
            raise NotFound(f"There is no library “{name[:80]}” in {self._database.shown}.", step)
        return _record(rows[0])

    def add(self, one: GitLibrary) -> None:
        """Remember a library; raises `ConfigError` where there is one of that name."""
        with self._database.transaction() as connection:
            made = connection.execute(
                "INSERT INTO libraries (name, address, ref, path) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"
                " RETURNING name",
                (one.name, one.address, one.ref, one.path),
            ).fetchone()
            connection.execute("SELECT pg_notify(%s, %s)", (JOBS_CHANNEL, one.name))
        if made is None:
            raise ConfigError(
                f"There is a library “{one.name}” already.", f"pinakes library remove {one.name} removes it."
            )

    def remove(self, name: str) -> None:
        """Forget a library and all jobs for it: whoever works on one may write no more."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM libraries WHERE name = %s", (name,))
            connection.execute("SELECT pg_notify(%s, %s)", (JOBS_CHANNEL, name))


def note_commit(connection: PostgresConnection, name: str, commit: str) -> None:
    """Write down what the ref of a library means now."""
    connection.execute("UPDATE libraries SET git_commit = %s WHERE name = %s", (commit, name))


def note_synced(connection: PostgresConnection, name: str) -> None:
    """Write down that the index of a library agrees with its commit now."""
    connection.execute(sql("UPDATE libraries SET synced = now() WHERE name = %s"), (name,))


def _record(row: tuple[Any, ...]) -> GitLibrary:
    name, address, ref, path, commit, synced = row
    return GitLibrary(name, address, ref, path, commit, _time(synced))


def _time(value: datetime | None) -> str:
    return value.astimezone(UTC).isoformat(timespec="seconds") if value is not None else ""
