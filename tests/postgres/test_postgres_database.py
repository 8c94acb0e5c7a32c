"""Connections to a database: kept for the next question, and replaced when they break."""

from __future__ import annotations

import threading

import pytest

from kits.postgres import PostgresServer, missing, server
from pinakes.errors import StoreBusy, StoreError
from pinakes.postgres import open_database, without_password
from pinakes.postgres.database import MOST_CONNECTIONS


def test_a_transaction_is_kept_whole_or_not_at_all() -> None:
    database = open_database(server().new_database())
    with database.transaction() as connection:
        connection.execute("CREATE TABLE public.one (number integer)")
    with pytest.raises(ZeroDivisionError), database.transaction() as connection:
        connection.execute("INSERT INTO one VALUES (1)")
        raise ZeroDivisionError
    with database.snapshot() as connection:
        assert connection.execute("SELECT count(*) FROM one").fetchall() == [(0,)]
    database.close()


def test_a_snapshot_does_not_see_what_is_written_meanwhile() -> None:
    database = open_database(server().new_database())
    with database.transaction() as connection:
        connection.execute("CREATE TABLE public.one (number integer)")
    with database.snapshot() as reading:
        assert reading.execute("SELECT count(*) FROM one").fetchall() == [(0,)]
        with database.transaction() as writing:
            writing.execute("INSERT INTO one VALUES (1)")
        assert reading.execute("SELECT count(*) FROM one").fetchall() == [(0,)]
    database.close()


def test_connections_that_broke_with_their_server_are_replaced() -> None:
    if why := missing():
        pytest.skip(why)
    own = PostgresServer()
    database = open_database(own.url())
    with database.snapshot() as connection:
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
    own.kill()
    with pytest.raises(StoreError, match="does not answer"), database.snapshot() as connection:
        connection.execute("SELECT 1")
    own.start()
    with database.snapshot() as connection:
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
    database.close()
    own.close()


def test_whoever_finds_all_connections_in_use_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pinakes.postgres.pool._WAIT_S", 0.0)
    database = open_database(server().url())
    done = threading.Event()
    started = threading.Barrier(MOST_CONNECTIONS + 1)

    def hold() -> None:
        with database.snapshot():
            started.wait(30)
            done.wait(30)

    threads = [threading.Thread(target=hold) for _ in range(MOST_CONNECTIONS)]
    for thread in threads:
        thread.start()
    started.wait(30)
    with pytest.raises(StoreBusy, match=r"connections to .* are in use"), database.snapshot():
        pass
    done.set()
    for thread in threads:
        thread.join()
    database.close()


def test_what_is_notified_reaches_whoever_listens() -> None:
    database = open_database(server().new_database())
    heard = database.listen("changes", beat_s=30)
    assert next(heard) == ""
    with database.transaction() as connection:
        connection.execute("SELECT pg_notify('changes', '5 7')")
    assert next(heard) == "5 7"
    heard.close()  # type: ignore[attr-defined]
    database.close()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ada:secret@host/db", "postgresql://ada:***@host/db"),
        ("postgresql://ada:se@cr/et@host/db", "postgresql://ada:***@host/db"),
        ("postgresql://ada@host:5432/db", "postgresql://ada@host:5432/db"),
        ("postgresql://host:5432/db", "postgresql://host:5432/db"),
        ("postgresql://host/db?user=ada&password=secret", "postgresql://host/db?user=ada&password=***"),
        ("postgresql://ada:secret@a,b:1/db?target_session_attrs=primary",
         "postgresql://ada:***@a,b:1/db?target_session_attrs=primary"),
    ],
)  # fmt: skip
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown


def test_all_that_is_read_for_one_answer_is_of_one_state() -> None:
    database = open_database(server().new_database())
    with database.transaction() as connection:
        connection.execute("CREATE TABLE public.one (number integer)")

    def count() -> int:
        ((found,),) = database.ask("SELECT count(*) FROM public.one")
        with database.snapshot("SET LOCAL work_mem = '8MB'") as connection:
            assert connection.execute("SELECT count(*) FROM one").fetchall() == [(found,)]
        return int(found)

    def write() -> None:
        with database.transaction() as connection:
            connection.execute("INSERT INTO one VALUES (1)")

    with database.one_state():
        assert (count(), database.once("count", count)) == (0, 0)
        other = threading.Thread(target=write)
        other.start()
        other.join()
        assert (count(), database.once("count", count)) == (0, 0)
        with database.one_state():
            assert count() == 0
        write()
        assert (count(), database.once("count", count)) == (2, 2)
    assert (count(), database.once("count", count)) == (2, 2)
    database.close()


def test_a_statement_that_fails_leaves_the_rest_of_an_answer_to_the_next_state() -> None:
    database = open_database(server().new_database())
    with database.one_state():
        assert database.ask("SELECT 1") == [(1,)]
        with pytest.raises(StoreError), database.snapshot() as connection:
            connection.execute("SELECT nothing FROM nowhere")
        assert database.ask("SELECT 2") == [(2,)]
        ((process,),) = database.ask("SELECT pg_backend_pid()")
        with database.session() as other:
            other.execute("SELECT pg_terminate_backend(%s)", (process,))
        with pytest.raises(StoreError, match="does not answer"):
            database.ask("SELECT 3")
        assert database.ask("SELECT 4") == [(4,)]
    database.close()
