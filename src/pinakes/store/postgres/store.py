"""`PostgresStore`: the `Store` promise kept by a PostgreSQL database, for one corpus of one library.

It joins the parts: which connection answers, who may write, what errors mean. Statements are in `store.tables`. A
question is one transaction that sees one state of the database. A write is one transaction, too: it names the
generation it goes on from, and where somebody else was faster it is undone and may be tried again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple, ParamSpec, TypeVar

from pinakes.errors import NotFound, StoreBusy, StoreDamaged, StoreError, StoreReadOnly
from pinakes.postgres.connection import WRITES
from pinakes.postgres.database import Database, PostgresConnection, in_transaction
from pinakes.postgres.failures import translate_database_errors
from pinakes.postgres.migrations import require_schema
from pinakes.records import Change
from pinakes.store.postgres.connection import PostgresTables
from pinakes.store.postgres.indexes import IndexName, new_index
from pinakes.store.postgres.lock import PostgresLock
from pinakes.store.postgres.schema import CHANNEL, STORE_TABLES, TABLES
from pinakes.store.tables import read
from pinakes.store.tables.connection import Tables
from pinakes.store.tables.questions import TableReader
from pinakes.store.tables.read import SHORT, Meta
from pinakes.store.tables.statements import INSERT_DERIVED
from pinakes.store.tables.write import apply

P = ParamSpec("P")
T = TypeVar("T")

_PLAN = "SET LOCAL join_collapse_limit = 1"
"""Tables are joined in the order in which the statements name them, which is that of a good plan. The planner would
look for another one, and where much was just written it knows too little: one question took a thousand times as long.
"""
_MANY, _MANY_EDGES = 200, 2000
"""Documents and links put by a change after which the planner is told of them."""

_MAY_WRITE = "NOT pg_is_in_recovery() AND has_table_privilege('pinakes.all_files', 'INSERT')"
_AGAIN_S = 1.0
"""How often a store that may not be written asks whether it may be by now."""

REPAIR = "Run `pinakes sync --rebuild`, to make it again from the sources."

_FACTS = (
    "SELECT generation, floor, history, ARRAY(SELECT name FROM settings ORDER BY name),"
    f" ARRAY(SELECT CASE WHEN length(value) <= {SHORT} THEN value END FROM settings ORDER BY name) FROM meta"
)


class _Facts(NamedTuple):
    """What every question asks about an index: one statement tells it."""

    meta: Meta
    settings: Mapping[str, str | None]
    """None for long ones."""


def open_postgres(database: Database, name: IndexName, *, read_only: bool = False) -> PostgresStore:
    """An index in the database, made if it is not there.

    Opened `read_only`, or as long as the server or this user's rights allow no writes, it creates nothing and refuses
    writes. Opened `read_only` it reads from the primary alone: something is made of what is read. Raises `NotFound`
    when there is none to read, and `StoreError` for a database with other tables.
    """
    require_schema(database, [STORE_TABLES])
    asked = f"SELECT {_MAY_WRITE}, (SELECT id FROM pinakes.indexes WHERE library = %s AND corpus = %s)"
    ((may_write, number),) = database.ask(asked, (name.library, name.corpus), anywhere=True)
    if number is None:
        if read_only or not may_write:
            raise NotFound(
                f"There is no index of {name.library} in {database.shown}.", "Run `pinakes sync` to make one."
            )
        number = new_index(database, name)
    return PostgresStore(database, name, number, may_write=may_write and not read_only, is_asked_only=read_only)


class PostgresStore(TableReader):
    """The index of one corpus: one writer at a time, any number of readers on any number of machines."""

    def __init__(
        self, database: Database, name: IndexName, number: int, *, may_write: bool, is_asked_only: bool
    ) -> None:
        super().__init__()
        self.database = database
        self._may_write = may_write
        self._is_asked_only = is_asked_only
        self._looked = time.monotonic()
        """When it was last asked whether the server takes writes."""
        self.number = number
        """Of the index in the database: no other one ever has it."""
        self._name = f"{name} in {database.shown}"
        self._lock = PostgresLock(database, number, self._name)
        self._generation = 0
        """The one that the next write goes on from, while the lock is held."""
        self._writing: tuple[int, PostgresTables] | None = None
        """The thread that has begun a transaction, and what it reads."""

    @property
    def is_read_only(self) -> bool:
        """Whether every write would raise `StoreReadOnly`. A replica may become the primary, and rights be granted."""
        if not (self._may_write or self._is_asked_only) and time.monotonic() - self._looked > _AGAIN_S:
            self._looked = time.monotonic()
            with suppress(StoreError):  # whoever reads is told why
                self._may_write = bool(self.database.ask(f"SELECT {_MAY_WRITE}")[0][0])
        return not self._may_write

    @property
    def settings(self) -> str:
        """What a transaction begins with so that it sees the rows of this index."""
        return f"SET LOCAL pinakes.store = {self.number}; {_PLAN}"

    # Writing

    @contextmanager
    def writing(self, wait_s: float = 30.0) -> Iterator[None]:
        with self._held(wait_s):
            yield

    @contextmanager
    def _held(self, wait_s: float = 30.0) -> Iterator[PostgresConnection]:
        if self.is_read_only:
            raise StoreReadOnly(f"{self._name.capitalize()} can only be read.", "Name the primary server to write.")
        try:
            with self.database.on_primary(), self._lock.held(wait_s) as connection:
                if not self._lock.is_taken_again:
                    with translate_database_errors(self.database.url):
                        row = connection.execute(
                            "SELECT generation FROM pinakes.indexes WHERE id = %s", (self.number,)
                        ).fetchone()
                    self._generation = self._there(row)
                yield connection
        except StoreReadOnly:  # the primary has become a replica
            self._may_write = False
            raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self.changing():
            yield

    def write(self, change: Change) -> None:
        with self.changing() as tables:
            apply(tables, change)
            self._generation += 1
            tables.run("SELECT pg_notify(?, ?)", (CHANNEL, f"{self.number} {self._generation}"))
            if len(change.put) >= _MANY or len(change.edges) >= _MANY_EDGES:
                tables.run(f"ANALYZE {', '.join([f'all_{name}' for name in TABLES])}")

    @contextmanager
    def changing(self) -> Iterator[PostgresTables]:
        """A transaction that writes, joined where one is under way. Raises `StoreBusy` where somebody else has written
        since this writer took the lock: he may have lost it together with a connection."""
        with self._held() as connection:
            before = self._generation
            try:
                if self._writing is not None:
                    with self._writing[1].transaction():
                        yield self._writing[1]
                else:
                    with self._begun(connection) as tables:
                        yield tables
            except BaseException:
                self._generation = before
                raise

    @contextmanager
    def _begun(self, connection: PostgresConnection) -> Iterator[PostgresTables]:
        with (
            translate_database_errors(self.database.url),
            in_transaction(connection, WRITES, self.settings),
        ):
            tables = PostgresTables(connection, self.number)
            self._writing = (threading.get_ident(), tables)
            try:
                self._require_generation(tables)
                yield tables
            finally:
                self._writing = None
            position = self.database.position(connection, self.number)
        self.database.saw(self.number, position)

    def _require_generation(self, tables: PostgresTables) -> None:
        found = self._there(tables.one("SELECT generation FROM indexes WHERE id = ? FOR UPDATE", (self.number,)))
        if found != self._generation:
            problem = f"{self._name.capitalize()} was changed by somebody else meanwhile."
            raise StoreBusy(problem, "Try again; nothing of this change was kept.")

    def _there(self, row: tuple[int, ...] | None) -> int:
        if row is None:
            raise self._gone()
        return row[0]

    def _gone(self) -> NotFound:
        return NotFound(f"{self._name.capitalize()} was removed.", "Run `pinakes sync` to make it again.")

    def keep_derived(self, name: str, payload: bytes) -> None:
        generation = self._asked.get(name, self.generation)
        # Not worth waiting for: whoever needs the part later makes it again.
        with self.writing(wait_s=0.0), self.changing() as tables:
            tables.run(INSERT_DERIVED, (name, generation, payload))

    def close(self) -> None:
        self._lock.close()

    # Reading

    @contextmanager
    def reading(self) -> Iterator[PostgresTables]:
        """The tables in one state; to the thread that has begun a transaction, those that it has changed."""
        try:
            writing = self._writing
            if writing is not None and writing[0] == threading.get_ident():
                yield writing[1]
                return
            with self.database.snapshot(self.settings, self._read_of) as connection:
                yield PostgresTables(connection, self.number)
        except (ValueError, TypeError, LookupError) as error:
            raise self._damaged(error) from error

    @property
    def _read_of(self) -> int:
        """The index that replicas may be asked about; none where something is made of what is read."""
        return 0 if self._is_asked_only else self.number

    def _made(self, records: Iterator[T]) -> Iterator[T]:
        """Records are made as they are asked for, after the connection was given back."""
        try:
            yield from records
        except (ValueError, TypeError, LookupError) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> StoreDamaged:
        return StoreDamaged(f"{self._name.capitalize()} holds what nobody wrote ({error}).", REPAIR)

    @property
    def generation(self) -> int:
        if self.database.is_one_state or (self._writing is not None and self._writing[0] == threading.get_ident()):
            return super().generation
        asked = "SELECT generation FROM pinakes.indexes WHERE id = %s"
        rows = self.database.ask(asked, (self.number,), self._read_of)
        return self._there(rows[0] if rows else None)

    def setting(self, name: str) -> str:
        with self.reading() as tables:
            facts = self._facts(tables)
            short = facts.settings.get(name, "") if facts else None
            return read.setting(tables, name) if short is None else short

    def _meta(self, tables: Tables) -> Meta:
        if (facts := self._facts(tables)) is not None:
            return facts.meta
        if (row := tables.one("SELECT generation, floor, history FROM meta")) is None:
            raise self._gone()
        return Meta(*row)

    def _facts(self, tables: Tables) -> _Facts | None:
        """None where they would be read for one of them alone."""
        if not self.database.is_one_state or not self._is_settled(tables):
            return None
        return self.database.once(("facts", self.number), lambda: self._read_facts(tables))

    def _read_facts(self, tables: Tables) -> _Facts:
        if (row := tables.one(_FACTS)) is None:
            raise self._gone()
        *meta, names, values = row
        return _Facts(Meta(*meta), dict(zip(names, values, strict=True)))

    def _is_settled(self, tables: Tables) -> bool:
        return self._writing is None or self._writing[1] is not tables
