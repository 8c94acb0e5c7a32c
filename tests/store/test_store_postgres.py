"""An index in PostgreSQL: who writes, who is told, and what is kept apart."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kits.store import at, entry, migrated_database, postgres_store, put
from pinakes.errors import NotFound, StoreBusy, StoreReadOnly
from pinakes.ports import Store
from pinakes.postgres import open_database
from pinakes.records import DOCS, Change, Failure
from pinakes.store.postgres.indexes import IndexName, index_number, remove_index
from pinakes.store.postgres.schema import CHANNEL, STORE_LOCK
from pinakes.store.postgres.store import PostgresStore, open_postgres


def opened(library: str) -> PostgresStore:
    store = postgres_store(library)
    assert isinstance(store, PostgresStore)
    return store


def test_indexes_of_other_libraries_and_corpora_are_out_of_reach() -> None:
    one, other, history = (postgres_store(*name) for name in (("mine",), ("theirs",), ("mine", "history")))
    one.write(put(entry("a.md", links=("b.md",))))
    other.write(put(entry("a.md", version="2"), entry("b.md")))
    history.write(put(entry("a.md", version="3")))

    assert [list(store.files(DOCS)) for store in (one, other, history)] == [["a.md"], ["a.md", "b.md"], ["a.md"]]
    one.write(Change(drop=(at("a.md"),)))
    assert [store.counts(DOCS).documents for store in (one, other, history)] == [0, 2, 1]


def test_an_index_that_is_removed_takes_its_rows_along_and_leaves_the_others() -> None:
    database = migrated_database()
    one, other = postgres_store("leaving"), postgres_store("staying")
    for store in (one, other):
        store.write(put(entry("a.md", ("one", "two"), ("b.md",))))
    number = index_number(database, IndexName("leaving", DOCS))
    remove_index(database, IndexName("leaving", DOCS))

    assert index_number(database, IndexName("leaving", DOCS)) == 0
    assert other.counts(DOCS).documents == 1
    with pytest.raises(NotFound, match="was removed"):
        one.write(put(entry("b.md")))
    again = opened("leaving")
    assert again.counts(DOCS).documents == 0
    assert again.number != number


def test_one_that_waits_is_told_who_writes() -> None:
    one, other = postgres_store("busy"), postgres_store("busy")
    with one.writing():
        with pytest.raises(
            StoreBusy, match=r"pinakes \d+ on 127\.0\.0\.1 has been writing to the index of docs of busy"
        ):
            _write_at_once(other)
        one.write(put(entry("mine.md")))
    _write_at_once(other)
    assert list(one.files(DOCS)) == ["mine.md", "theirs.md"]


def _write_at_once(store: Store) -> None:
    with store.writing(wait_s=0.01):
        store.write(put(entry("theirs.md")))


def test_one_that_waits_writes_when_the_other_is_through() -> None:
    one, other = postgres_store("patient"), postgres_store("patient")
    begun = threading.Event()

    def wait() -> None:
        begun.set()
        other.write(put(entry("theirs.md")))

    thread = threading.Thread(target=wait)
    with one.writing():
        thread.start()
        begun.wait(30)
        one.write(put(entry("mine.md")))
    thread.join(30)
    assert list(one.files(DOCS)) == ["mine.md", "theirs.md"]


def test_a_writer_that_lost_its_lock_loses_the_race_and_changes_nothing() -> None:
    one, other = opened("race"), postgres_store("race")
    with pytest.raises(StoreBusy, match="was changed by somebody else meanwhile"), one.writing():
        with one._lock.held(0) as holder:
            holder.execute("SELECT pg_advisory_unlock(%s, %s)", (STORE_LOCK, one.number))
        other.write(put(entry("theirs.md")))
        one.write(put(entry("mine.md")))

    assert list(other.files(DOCS)) == ["theirs.md"]
    one.write(put(entry("mine.md")))
    assert list(other.files(DOCS)) == ["mine.md", "theirs.md"]


HOLD = """
import sys
from kits.store import entry, put
from pinakes.postgres import shared_database
from pinakes.store.postgres.indexes import IndexName
from pinakes.store.postgres.store import open_postgres
store = open_postgres(shared_database(sys.argv[1]), IndexName("killed", "docs"))
with store.transaction():
    store.write(put(entry("half.md")))
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_writer_that_is_killed_leaves_nothing_of_its_transaction_and_its_lock_to_others() -> None:
    store = postgres_store("killed")
    command = [sys.executable, "-c", HOLD, migrated_database().url]
    kits = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=kits) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StoreBusy, match=f"pinakes {other.pid} on"):
            _write_at_once(store)
        assert list(store.files(DOCS)) == []
        other.kill()
    store.write(put(entry("mine.md")))
    assert list(store.files(DOCS)) == ["mine.md"]


def test_whoever_listens_hears_of_every_write() -> None:
    store = opened("heard")
    heard = store.database.listen(CHANNEL, beat_s=30)
    next(heard)
    store.write(put(entry("a.md")))
    assert next(heard) == f"{store.number} {store.generation}"
    heard.close()  # type: ignore[attr-defined]


def test_an_index_that_is_only_read_is_not_made_and_not_written() -> None:
    database = migrated_database()
    name = IndexName("nowhere", DOCS)
    with pytest.raises(NotFound, match="no index of nowhere"):
        open_postgres(database, name, read_only=True)
    open_postgres(database, name).close()
    reader = open_postgres(database, name, read_only=True)
    assert reader.is_read_only
    with pytest.raises(StoreReadOnly):
        reader.write(Change())


def test_a_user_who_may_only_read_reads() -> None:
    store = postgres_store("shared")
    store.write(put(entry("a.md")))
    with migrated_database().transaction() as connection:
        connection.execute(
            "DO $$ BEGIN CREATE ROLE reader LOGIN PASSWORD 'r'; EXCEPTION WHEN duplicate_object THEN END $$"
        )
        connection.execute("GRANT USAGE ON SCHEMA pinakes TO reader")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA pinakes TO reader")
    url = migrated_database().url
    database = open_database(url.replace(url[13 : url.index("@")], "reader:r"))
    reader = open_postgres(database, IndexName("shared", DOCS))
    assert reader.is_read_only
    assert list(reader.files(DOCS)) == ["a.md"]
    database.close()


def test_text_that_postgresql_refuses_comes_back_as_it_was() -> None:
    odd = "\x00\x01\x02\ud7ff\ud800\udfff\ue000\x01\x00"
    store = postgres_store("odd")
    store.write(
        Change(settings={"odd": odd, odd: "1"}, failures=tuple(Failure(at(f"{sign}z"), "1", "no") for sign in odd))
    )

    assert store.setting("odd") == odd
    assert store.setting(odd) == "1"
    assert [one.ref.path for one in store.failures(DOCS)] == sorted({f"{sign}z" for sign in odd})


def test_many_rows_are_written_as_few_are() -> None:
    few, many = postgres_store("few"), postgres_store("many")
    entries = [entry(f"{number}.md", links=("1.md", "2.md")) for number in range(30)]
    for one in entries:
        few.write(put(one))
    many.write(put(*entries))
    many.write(put(*entries))
    assert {*few.files(DOCS)} == {*many.files(DOCS)}
    assert few.counts(DOCS) == many.counts(DOCS)
