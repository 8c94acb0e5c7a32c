"""A primary with a replica: who is asked, what is seen, and what happens when one of them goes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count

import psycopg
import pytest

from kits.postgres import USER, PostgresServer, missing
from kits.proxy import network_to
from kits.store import entry, put
from kits.waiting import until
from pinakes.access import Grant, TokenScope
from pinakes.access.tokens import TokenTable
from pinakes.errors import StoreBusy, StoreError, StoreReadOnly
from pinakes.library.databases import table_sets
from pinakes.postgres import open_database
from pinakes.postgres.connection import CheckedConnection
from pinakes.postgres.database import Database
from pinakes.postgres.migrations import migrate
from pinakes.records import DOCS
from pinakes.store.postgres.indexes import IndexName
from pinakes.store.postgres.store import PostgresStore, open_postgres

NUMBERS = count(1)


@pytest.fixture(scope="module")
def primary() -> Iterator[PostgresServer]:
    if why := missing():
        pytest.skip(why)
    with closing(PostgresServer()) as own:
        migrate(open_database(own.url()), table_sets())
        yield own


@pytest.fixture(scope="module")
def replica(primary: PostgresServer) -> Iterator[PostgresServer]:
    with closing(PostgresServer(primary=primary)) as own:
        yield own


@contextmanager
def opened(url: str, *read_urls: str, name: str = "") -> Iterator[PostgresStore]:
    database = open_database(url, read_urls)
    store = open_postgres(database, IndexName(name or f"library {next(NUMBERS)}", DOCS))
    yield store
    store.close()
    database.close()


def asked(store: PostgresStore) -> int:
    """The port of the server that a question about the index goes to."""
    with store.database.snapshot(index=store.number) as connection:
        return connection.info.port


def run(server: PostgresServer, statement: str) -> None:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(statement.encode())


def test_questions_go_to_a_replica_once_it_has_come_as_far(primary: PostgresServer, replica: PostgresServer) -> None:
    with opened(primary.url(), replica.url()) as store:
        store.write(put(entry("a.md")))
        until(lambda: asked(store) == replica.port, "the replica is asked")
        run(replica, "SELECT pg_wal_replay_pause()")
        store.write(put(entry("b.md")))
        assert [*store.files(DOCS)] == ["a.md", "b.md"]  # what was written is read, from the primary
        assert asked(store) == primary.port
        run(replica, "SELECT pg_wal_replay_resume()")
        until(lambda: asked(store) == replica.port, "the replica is asked")
        assert [*store.files(DOCS)] == ["a.md", "b.md"]


def test_a_generation_that_was_heard_of_is_waited_for(primary: PostgresServer, replica: PostgresServer) -> None:
    with opened(primary.url(), replica.url()) as store, opened(primary.url(), name="other") as other:
        store.write(put(entry("a.md")))
        until(lambda: asked(store) == replica.port, "the replica is asked")
        store.database.require(store.number, store.generation + 1)
        assert asked(store) == primary.port
        assert not other.files(DOCS)


def test_what_a_client_has_seen_elsewhere_is_not_read_in_an_older_state(
    primary: PostgresServer, replica: PostgresServer
) -> None:
    with opened(primary.url(), replica.url(), name="seen") as store, opened(primary.url(), name="seen") as other:
        other.write(put(entry("a.md")))
        assert [*store.files(DOCS)] == ["a.md"]
        until(lambda: asked(store) == replica.port, "the replica is asked")
        run(replica, "SELECT pg_wal_replay_pause()")
        other.write(put(entry("b.md")))
        assert [*store.files(DOCS)] == ["a.md"]
        store.database.catch_up(store.number, store.generation)
        assert [*store.files(DOCS)] == ["a.md"]  # no news
        store.database.catch_up(store.number, other.generation)
        assert [*store.files(DOCS)] == ["a.md", "b.md"]
        run(replica, "SELECT pg_wal_replay_resume()")
        store.database.catch_up(store.number, 10**15)  # what no index has holds nobody up
        until(lambda: asked(store) == replica.port, "the replica is asked")


def test_whoever_is_about_to_write_reads_from_the_primary(primary: PostgresServer, replica: PostgresServer) -> None:
    with opened(primary.url(), replica.url()) as store:
        store.write(put(entry("a.md")))
        until(lambda: asked(store) == replica.port, "the replica is asked")
        with store.writing():
            assert asked(store) == primary.port
        assert asked(store) == replica.port


def test_all_that_is_read_for_one_answer_is_read_from_one_replica(
    primary: PostgresServer, replica: PostgresServer
) -> None:
    with opened(primary.url(), replica.url()) as store:
        store.write(put(entry("a.md")))
        until(lambda: asked(store) == replica.port, "the replica is asked")
        with store.database.one_state():
            store.database.ask("SELECT 1", anywhere=True)  # as the number of an index is asked for
            assert asked(store) == replica.port
            store.database.require(store.number, store.generation + 1)
            assert [*store.files(DOCS)] == ["a.md"]
            assert asked(store) == replica.port  # what it began with
        assert asked(store) == primary.port


def test_a_server_that_is_no_replica_is_never_believed(primary: PostgresServer) -> None:
    with closing(PostgresServer()) as stranger:
        migrate(open_database(stranger.url()), table_sets())
        with opened(stranger.url(), name="theirs") as theirs, opened(primary.url(), stranger.url()) as store:
            for number in range(5):
                theirs.write(put(entry(f"{number}.md")))
            store.write(put(entry("mine.md")))
            assert [*store.files(DOCS)] == ["mine.md"]
            assert asked(store) == primary.port


def test_a_replica_that_fails_is_left_out_and_tried_again(
    primary: PostgresServer, replica: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pinakes.postgres.replicas._LEFT_OUT_S", 0.05)
    with opened(primary.url(), replica.url()) as store:
        store.write(put(entry("a.md")))
        until(lambda: asked(store) == replica.port, "the replica is asked")
        replica.kill()
        assert [*store.files(DOCS)] == ["a.md"]
        assert asked(store) == primary.port
        replica.start()
        until(lambda: asked(store) == replica.port, "the replica is asked")


def test_a_network_that_swallows_everything_ends_in_an_error_and_then_in_answers(
    primary: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CheckedConnection, "silence_s", 0.2)
    with network_to(primary.port) as network:
        url = primary.url().replace(f":{primary.port}/", f":{network.port}/") + "?connect_timeout=2"
        with opened(url) as store:
            store.write(put(entry("a.md")))
            network.cut()
            with pytest.raises(StoreError, match="does not answer"):
                store.files(DOCS)
            network.mend()
            assert [*store.files(DOCS)] == ["a.md"]
            store.write(put(entry("b.md")))
            assert [*store.files(DOCS)] == ["a.md", "b.md"]


def test_a_statement_that_takes_long_is_waited_for_while_the_server_works(
    primary: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CheckedConnection, "silence_s", 0.05)
    database = open_database(primary.url())
    with database.snapshot() as connection:
        assert connection.execute("SELECT 1 FROM pg_sleep(0.4)").fetchall() == [(1,)]
    database.close()


def test_every_statement_of_a_question_has_a_limit_of_time_and_a_sentence_for_it(primary: PostgresServer) -> None:
    database = open_database(primary.url())
    with database.snapshot() as connection:
        assert connection.execute("SHOW statement_timeout").fetchall() == [("30s",)]
    assert database.ask("SHOW statement_timeout") == [("30s",)]
    with (
        pytest.raises(StoreBusy, match=r"took too long to answer .* Try again when it has less to do"),
        database.snapshot("SET LOCAL statement_timeout = 10") as connection,
    ):
        connection.execute("SELECT pg_sleep(60)")
    with database.transaction() as connection:
        assert connection.execute("SHOW statement_timeout").fetchall() == [("0",)]
    database.close()


def both(*servers: PostgresServer) -> str:
    """An address that finds whichever of them takes writes."""
    first = servers[0].url().partition("@")[0]
    hosts = ",".join(f"127.0.0.1:{one.port}" for one in servers)
    return f"{first}@{hosts}/postgres?target_session_attrs=read-write"


def named(token: str, name: str) -> tuple[str, str]:
    """The id of a token, and what it is called."""
    return token.split("_")[1], name


def test_a_promoted_replica_takes_over_from_a_primary_that_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    if why := missing():
        pytest.skip(why)
    with closing(PostgresServer("synchronous_commit=remote_apply", "fsync=on")) as first:
        migrate(open_database(first.url()), table_sets())
        with closing(PostgresServer(primary=first)) as second:
            run(first, "ALTER SYSTEM SET synchronous_standby_names = '*'")
            run(first, "SELECT pg_reload_conf()")
            with (
                opened(both(first, second), second.url(), name="kept") as store,
                opened(second.url(), name="kept") as reader,
            ):
                for number in range(3):
                    store.write(put(entry(f"{number}.md")))
                with pytest.raises(StoreReadOnly):
                    reader.write(put(entry("no.md")))
                tokens = TokenTable(store.database)
                valid, _ = tokens.create("bot", TokenScope.READ, ["kept"], None)
                revoked, _ = tokens.create("gone", TokenScope.READ, None, None)
                tokens.revoke("gone")
                assert tokens.verdict(valid).grant
                first.kill()
                with pytest.raises(StoreError, match=r"[Nn]othing can be written|does not answer|takes writes"):
                    store.write(put(entry("lost.md")))
                assert [*store.files(DOCS)] == ["0.md", "1.md", "2.md"]  # by the replica
                assert tokens.verdict(valid).grant == Grant(TokenScope.READ, frozenset({"kept"}), *named(valid, "bot"))
                assert tokens.verdict(revoked).reason == "revoked"
                with pytest.raises(StoreError, match="Tokens cannot be looked up"):
                    TokenTable(store.database).verdict(valid)  # whom the primary never told who it is
                monkeypatch.setattr("pinakes.access.tokens.MOST_AWAY_S", 0.0)
                with pytest.raises(StoreError, match="Tokens cannot be looked up"):
                    tokens.verdict(valid)
                second.promote()
                store.write(put(entry("3.md")))
                monkeypatch.setattr("pinakes.postgres.database._TRUSTED_S", 0.0)
                assert tokens.verdict(valid).grant
                until(lambda: not reader.is_read_only, "it may be written")
                reader.write(put(entry("4.md")))
                assert [*store.files(DOCS)] == [*reader.files(DOCS)] == [f"{number}.md" for number in range(5)]


def test_an_index_that_is_only_read_is_not_written_by_a_user_who_may_not(primary: PostgresServer) -> None:
    with opened(primary.url(), name="rights") as store:
        run(primary, "CREATE ROLE guest LOGIN PASSWORD 'guest'")
        run(primary, "GRANT USAGE ON SCHEMA pinakes TO guest")
        run(primary, "GRANT SELECT ON ALL TABLES IN SCHEMA pinakes TO guest")
        url = primary.url()
        guest = url.replace(url[url.index(USER) : url.index("@")], "guest:guest", 1)
        with opened(guest, name="rights") as reader:
            assert reader.is_read_only
            run(primary, "GRANT ALL ON ALL TABLES IN SCHEMA pinakes TO guest")
            run(primary, "GRANT ALL ON ALL SEQUENCES IN SCHEMA pinakes TO guest")
            until(lambda: not reader.is_read_only, "it may be written")
            reader.write(put(entry("a.md")))
        assert [*store.files(DOCS)] == ["a.md"]


def test_a_database_that_no_server_keeps_now_is_told_with_the_next_step(replica: PostgresServer) -> None:
    database: Database = open_database(f"{replica.url()}?target_session_attrs=read-write")
    with pytest.raises(StoreError, match=r"has no server that takes writes .* Wait until a replica is promoted"):
        database.ask("SELECT 1")
    database.close()
