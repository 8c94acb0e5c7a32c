"""Only a database with our tables, and nothing beside them, is read; and no statement runs for ever."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from kits.store import entry
from pinakes import safe_sqlite
from pinakes.errors import StoreDamaged
from pinakes.own_folder import OwnFolder
from pinakes.own_folder.database import open_database
from pinakes.records import Change
from pinakes.safe_sqlite import GuardedConnection, OtherSchema, refuse_other_schema, schema_of
from pinakes.store import open_sqlite
from pinakes.store.sqlite.connection import Connection, translate_errors

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"


def test_a_statement_that_comes_to_no_end_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_sqlite(OwnFolder(tmp_path)).close()
    monkeypatch.setattr(safe_sqlite, "_LEAST_S", 0.05)
    path = tmp_path / "library.db"
    connection = Connection(OwnFolder(tmp_path), "library.db", "ro")
    for _ in range(2):
        with pytest.raises(StoreDamaged, match="comes to no end"), translate_errors(path):
            connection.all(ENDLESS)
    assert connection.all("SELECT 1") == [(1,)]
    connection.close()


LONG = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300000) SELECT max(x) FROM n"


def test_a_statement_has_the_time_that_the_file_needs_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = OwnFolder(tmp_path)
    folder.touch("a.db")
    connection = open_database(folder, "a.db")
    monkeypatch.setattr(safe_sqlite, "_LEAST_S", 0.0)
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        connection.execute(LONG)
    os.truncate(tmp_path / "a.db", 400_000_000)
    assert connection.execute(LONG).fetchone() == (300_000,)
    connection.close()


def test_the_time_of_a_script_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = sqlite3.connect(":memory:", factory=GuardedConnection)
    with monkeypatch.context() as short, pytest.raises(sqlite3.OperationalError, match="interrupted"):
        short.setattr(safe_sqlite, "_LEAST_S", 0.0)
        connection.execute(LONG)
    connection.executescript(LONG)
    connection.close()


@pytest.mark.parametrize("more", ["CREATE TABLE b (x)", "CREATE VIEW b AS SELECT 1", "CREATE INDEX b ON a (x + 1)"])
def test_something_beside_the_tables_is_named(more: str) -> None:
    database = sqlite3.connect(":memory:", factory=GuardedConnection)
    database.execute("CREATE TABLE a  (x,\n y)")
    ours = schema_of(["CREATE TABLE a (x, y)"])
    refuse_other_schema(database, ours)
    database.execute(more)
    with pytest.raises(OtherSchema, match=r"b$"):
        refuse_other_schema(database, ours)
    database.close()


def test_functions_of_a_schema_are_not_trusted_and_nothing_can_be_attached(tmp_path: Path) -> None:
    store = open_sqlite(OwnFolder(tmp_path))
    store.write(Change(put=(entry("a.md"),)))
    store.close()
    connection = Connection(OwnFolder(tmp_path), "library.db", "rw")
    assert connection.all("PRAGMA trusted_schema") == [(0,)]
    with pytest.raises(sqlite3.OperationalError, match="too many attached"):
        connection.run("ATTACH ? AS other", (str(tmp_path / "other.db"),))
    connection.close()
