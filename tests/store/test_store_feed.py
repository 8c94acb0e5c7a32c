"""What only a store that lives long meets: older formats, more losses than it remembers, another in its place."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from kits.store import FULL, at, edge, entry, put, stamp, vouch
from pinakes.errors import StoreError
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, Change, Filter, Ref, Scope, formats
from pinakes.store import damage, open_sqlite, set_aside
from pinakes.store.sqlite.schema import MIGRATIONS
from pinakes.store.tables.changes import REMEMBERED


def outdated(folder: Path, version: int) -> Path:
    """The same library as in `folder`, as a Pinakes of that format would have written it."""
    older = folder.with_name(f"version {version}")
    older.mkdir()
    driver = sqlite3.connect(older / "library.db", isolation_level=None)
    driver.execute("PRAGMA journal_mode = WAL")
    for script in MIGRATIONS[:version]:
        driver.executescript(script)
    driver.execute(f"PRAGMA user_version = {version}")
    driver.execute("ATTACH ? AS newer", (str(folder / "library.db"),))
    for (table,) in driver.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'").fetchall():
        columns = ", ".join(row[1] for row in driver.execute(f"PRAGMA main.table_info({table})"))
        driver.execute(f"DELETE FROM main.{table}")
        driver.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}")
    driver.close()
    vouch(older)
    return older


@pytest.fixture
def first_format(tmp_path: Path) -> Path:
    folder = tmp_path / "index"
    store = open_sqlite(OwnFolder(folder))
    user = entry("a.md", links=("b.md",))
    store.write(Change(put=(user, entry("b.md"), FULL), assets=(stamp("p.png", media=formats.ASSET),)))
    store.write(Change(edges=(edge(user, 0, at("b.md")),)))
    store.close()
    return outdated(folder, 1)


def test_an_index_of_the_first_format_is_brought_up_to_date(first_format: Path) -> None:
    with pytest.raises(StoreError, match="older Pinakes"):
        open_sqlite(OwnFolder(first_format), read_only=True)
    store = open_sqlite(OwnFolder(first_format))
    now = store.generation
    feed = store.feed(0)
    found = {one.document.ref.path: one for one in store.documents_by_number(feed.changed)}

    assert now == 2
    assert feed.history
    assert sorted(found) == ["a.md", "b.md", "guide/auth.md"]
    # Where its text begins was not kept then; the next sync reads everything again.
    assert found["guide/auth.md"].document == replace(FULL.document, body=0)
    assert found["guide/auth.md"].chunks == FULL.chunks
    assert found["b.md"].called == ("to b.md", "")
    assert store.feed(1).is_whole
    assert store.feed(now).changed == ()
    assert store.scope(Filter(author="ME")) == Scope(frozenset({found["guide/auth.md"].number}))
    store.close()
    assert damage(OwnFolder(first_format)) == ""


def test_an_index_of_the_first_format_goes_on_as_any_other(first_format: Path) -> None:
    store = open_sqlite(OwnFolder(first_format))
    before = store.feed(0)
    now = store.generation
    store.write(Change(drop=(Ref(DOCS, "guide/auth.md"), Ref(DOCS, "p.png"), Ref(DOCS, "a.md"))))
    store.write(put(FULL))
    store.close()
    store = open_sqlite(OwnFolder(first_format))
    feed = store.feed(now)

    assert not feed.is_whole
    assert feed.history == before.history
    assert len(feed.gone) == 2
    assert [one.document.ref.path for one in store.documents_by_number(feed.changed)] == ["b.md", "guide/auth.md"]
    assert feed.changed[-1] > max(before.changed)
    store.close()
    assert damage(OwnFolder(first_format)) == ""


def test_losses_that_are_forgotten_make_everything_new(tmp_path: Path) -> None:
    store = open_sqlite(OwnFolder(tmp_path))
    store.write(put(FULL, entry("a.md"), entry("b.md")))
    store.write(Change())
    then = store.generation
    store.close()
    with sqlite3.connect(tmp_path / "library.db") as driver:
        lost = ((then, 1000 + number) for number in range(REMEMBERED))
        driver.executemany("INSERT INTO gone VALUES (?, ?)", lost)
        driver.execute("UPDATE meta SET last_number = 1000000")
    driver.close()
    vouch(tmp_path)  # or it would be told that somebody else wrote into it
    store = open_sqlite(OwnFolder(tmp_path))
    assert len(store.feed(then - 1).gone) == REMEMBERED
    store.write(Change(drop=(at("a.md"),)))
    store.write(Change(drop=(at("b.md"),)))

    assert store.feed(then - 1) == store.feed(0)
    assert store.feed(0).is_whole
    assert len(store.feed(0).changed) == 1
    recent = store.feed(then)
    assert (recent.is_whole, len(recent.gone)) == (False, 2)
    store.close()
    with sqlite3.connect(tmp_path / "library.db") as driver:
        assert driver.execute("SELECT count(*) FROM gone").fetchone() == (REMEMBERED,)
    driver.close()


def test_an_index_made_anew_has_another_history(tmp_path: Path) -> None:
    store = open_sqlite(OwnFolder(tmp_path))
    store.write(put(FULL))
    where = Filter(tags=("a",))
    before = store.feed(0)
    assert store.scope(where) == Scope(frozenset(before.changed))
    set_aside(OwnFolder(tmp_path))
    open_sqlite(OwnFolder(tmp_path)).close()
    store.write(put(entry("a.md")))

    assert store.generation == before.generation
    assert store.feed(0).history != before.history
    assert store.scope(where) == Scope(frozenset())
    store.close()


def test_doctor_finds_former_links_that_should_be_forgotten(tmp_path: Path) -> None:
    store = open_sqlite(OwnFolder(tmp_path))
    user = entry("a.md", links=("b.md",))
    store.write(put(user, entry("b.md")))
    store.write(Change(edges=(edge(user, 0, at("b.md")),)))
    store.close()
    with sqlite3.connect(tmp_path / "library.db") as driver:
        driver.execute("INSERT INTO former SELECT document, place, anchor, 'x' FROM edges")
    driver.close()

    assert damage(OwnFolder(tmp_path)) == "There are former links of documents that wait for none: 1."
