"""The schema: numbered scripts that bring the tables of several rooms from one version to the next.

A `TableSet` is what one room keeps. `migrate` makes and upgrades all sets in one transaction under a lock, so two that
are started at once do it once, and a script that fails leaves everything as it was. `require_schema` refuses a database
whose tables are older or newer than this program.

    pinakes.versions    one row per set: its name, its version, and when it was reached
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from psycopg import errors

from pinakes.errors import StoreError, StoreTooNew
from pinakes.postgres.connection import SCHEMA, WRITES, PostgresConnection, in_transaction, sql
from pinakes.postgres.database import Database
from pinakes.postgres.failures import MIGRATE

_LOCK = 7_307_199_747
"""Of whoever migrates; a number of our own choice."""
_OLDEST_SERVER = 16
_OLDEST_VECTORS = (0, 8)
_VERSIONS = f"""
CREATE TABLE IF NOT EXISTS {SCHEMA}.versions (
    name text PRIMARY KEY, version integer NOT NULL, reached timestamptz NOT NULL DEFAULT now()
)
"""


class TableSet(Struct, frozen=True):
    """The tables of one room."""

    name: str
    scripts: Sequence[str]
    """Each brings the tables from the version that is its position to the next; only ever append."""

    @property
    def version(self) -> int:
        """The one that this program works with."""
        return len(self.scripts)


class SchemaStep(Struct, frozen=True):
    """What was done to one set; both versions are equal where there was nothing to do."""

    name: str
    before: int
    after: int


def migrate(database: Database, sets: Iterable[TableSet]) -> tuple[SchemaStep, ...]:
    """Make or upgrade the tables of all sets, or change nothing; raises `StoreError` and `StoreTooNew`."""
    with database.session() as connection, in_transaction(connection, WRITES):
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        _require_server(database, connection)
        connection.execute(sql(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
        _require_vectors(database, connection)
        connection.execute(sql(_VERSIONS))
        return tuple([_bring_up_to_date(database, connection, one) for one in sets])


def require_schema(database: Database, sets: Iterable[TableSet]) -> None:
    """Raise `StoreError` with the next step unless the tables of all sets are those that this program works with."""
    try:
        with database.snapshot(anywhere=True) as connection:
            known: dict[str, int] = dict(connection.execute("SELECT name, version FROM versions").fetchall())
    except StoreError as error:
        if isinstance(error.__context__, errors.UndefinedTable | errors.InvalidSchemaName):
            raise StoreError(f"The database {database.shown} has no tables of Pinakes yet.", MIGRATE) from None
        raise
    for one in sets:
        _refuse_newer(database, one, known)
        if known.get(one.name, 0) < one.version:
            raise StoreError(
                f"The database {database.shown} has version {known.get(one.name, 0)} of the tables “{one.name}”;"
                f" this Pinakes works with version {one.version}.",
                MIGRATE,
            )


def _bring_up_to_date(database: Database, connection: PostgresConnection, one: TableSet) -> SchemaStep:
    known: dict[str, int] = dict(
        connection.execute("SELECT name, version FROM versions WHERE name = %s", (one.name,)).fetchall()
    )
    _refuse_newer(database, one, known)
    before = known.get(one.name, 0)
    for script in one.scripts[before:]:
        connection.execute(sql(script))
    if before < one.version:
        connection.execute(
            "INSERT INTO versions (name, version) VALUES (%s, %s)"
            " ON CONFLICT (name) DO UPDATE SET version = excluded.version, reached = now()",
            (one.name, one.version),
        )
    return SchemaStep(one.name, before, one.version)


def _refuse_newer(database: Database, one: TableSet, known: Mapping[str, int]) -> None:
    if known.get(one.name, 0) > one.version:
        raise StoreTooNew(
            f"The database {database.shown} has version {known[one.name]} of the tables “{one.name}”; this Pinakes"
            f" knows versions up to {one.version}.",
            "Update Pinakes on this machine.",
        )


def _require_server(database: Database, connection: PostgresConnection) -> None:
    version = connection.info.server_version // 10_000
    if version < _OLDEST_SERVER:
        raise StoreError(
            f"The database {database.shown} is kept by PostgreSQL {version}.",
            f"Use PostgreSQL {_OLDEST_SERVER} or newer.",
        )


def _require_vectors(database: Database, connection: PostgresConnection) -> None:
    """The extension for vectors, created where this user may; an administrator may have done so before."""
    found = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    if found is None:
        try:
            connection.execute("CREATE EXTENSION vector SCHEMA public")
        except (errors.InsufficientPrivilege, errors.FeatureNotSupported, errors.UndefinedFile) as error:
            said = (error.diag.message_primary or "").rstrip(".")
            raise StoreError(
                f"The extension vector could not be created in {database.shown} ({said}).",
                "Install pgvector 0.8 or newer, and let an administrator run CREATE EXTENSION vector there.",
            ) from None
        found = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    version = str(found[0]) if found else "0"
    if tuple(int(part) for part in version.split(".")[:2]) < _OLDEST_VECTORS:
        raise StoreError(
            f"The database {database.shown} has version {version} of the extension vector.",
            "Install pgvector 0.8 or newer, and let an administrator run ALTER EXTENSION vector UPDATE there.",
        )
