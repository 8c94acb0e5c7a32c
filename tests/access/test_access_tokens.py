"""Tokens in a database: what is made is shown once, what is kept tells nobody, what was revoked allows nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from click.testing import CliRunner, Result

from kits.store import migrated_database
from kits.waiting import until
from pinakes.access import TokenScope
from pinakes.access.access_log import AccessLog, AccessRow, Refusal, TokenWrite, read_access_log
from pinakes.access.tokens import TokenTable, is_token
from pinakes.errors import ConfigError, NotFound, StoreError
from pinakes.serve.cli import commands

NUMBERS = count()


@pytest.fixture
def table() -> TokenTable:
    return TokenTable(migrated_database())


def name() -> str:
    return f"bot {next(NUMBERS)}"


def run(*words: str) -> Result:
    return CliRunner().invoke(commands, ["token", *words, "--store", migrated_database().url])


def test_a_token_allows_what_it_was_made_for(table: TokenTable) -> None:
    text, row = table.create(name(), TokenScope.WRITE, ["garden", "garden"], None)
    grant = table.verdict(text).grant
    assert grant is not None
    assert (grant.scope, grant.libraries, grant.token, grant.name) == (
        TokenScope.WRITE, frozenset({"garden"}), row.id, row.name
    )  # fmt: skip
    assert (grant.may(TokenScope.READ), grant.may(TokenScope.ADMIN)) == (True, False)
    assert (grant.sees("garden"), grant.sees("harbour")) == (True, False)
    everything, _ = table.create(name(), TokenScope.ADMIN, None, None)
    assert (grant := table.verdict(everything).grant) is not None
    assert grant.sees("anything")


def test_the_database_holds_no_token(table: TokenTable) -> None:
    text, row = table.create(name(), TokenScope.READ, None, None)
    secret = text.split("_", 2)[2]
    with migrated_database().snapshot() as connection:
        found = connection.execute("SELECT tokens::text, hash, salt FROM tokens WHERE id = %s", (row.id,)).fetchall()
    assert len(found) == 1
    assert secret not in str(found)
    others = connection_salts()
    assert len(others) == len(set(others))


def connection_salts() -> list[bytes]:
    return [bytes(salt) for (salt,) in migrated_database().ask("SELECT salt FROM pinakes.tokens")]


def test_what_is_not_a_token_of_this_database_is_unknown(table: TokenTable) -> None:
    text, row = table.create(name(), TokenScope.READ, None, None)
    another, _ = table.create(name(), TokenScope.READ, None, None)
    swapped = f"pinakes_{row.id}_{another.split('_', 2)[2]}"
    last = "A" if text[-1] != "A" else "B"
    for wrong in ("", "pinakes", text[:-1], text[:-1] + last, swapped, text.upper(), f"{text} ", "pinakes_' OR 1=1_x"):
        assert table.verdict(wrong).reason == "unknown", wrong
    assert is_token(text)


def test_an_expired_and_a_revoked_token_say_so_to_their_holder_alone(table: TokenTable) -> None:
    text, row = table.create(name(), TokenScope.READ, None, datetime.now(UTC) + timedelta(hours=1))
    assert table.verdict(text).grant is not None
    with migrated_database().transaction() as connection:
        connection.execute("UPDATE tokens SET expires = now() WHERE id = %s", (row.id,))
    assert table.verdict(text).reason == "expired"
    assert table.verdict(text[:-2] + "zz").reason == "unknown"
    assert table.revoke(row.name).state == "revoked"
    assert table.verdict(text).reason == "revoked"
    with pytest.raises(NotFound, match="no valid token"):
        table.revoke(row.name)


def test_a_name_is_free_again_when_its_token_was_revoked(table: TokenTable) -> None:
    first, row = table.create(wanted := name(), TokenScope.READ, None, None)
    with pytest.raises(ConfigError, match="already"):
        table.create(wanted, TokenScope.READ, None, None)
    table.revoke(row.id)
    second, _ = table.create(wanted, TokenScope.READ, None, None)
    assert table.verdict(first).grant is None
    assert table.verdict(second).grant is not None
    assert [one.state for one in table.list() if one.name == wanted] == ["revoked", "valid"]


@pytest.mark.parametrize(
    ("wanted", "libraries", "expires", "said"),
    [
        ("", None, None, "no name of a token"),
        ("a\nb", None, None, "no name of a token"),
        ("x" * 65, None, None, "no name of a token"),
        ("fine", [], None, "names 1 to 1,000 libraries"),
        ("fine", [""], None, "1 to 255"),
        ("fine", ["x" * 256], None, "1 to 255"),
        ("fine", None, datetime(2020, 1, 1, tzinfo=UTC), "expired already"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_makes_nothing(
    table: TokenTable, wanted: str, libraries: list[str] | None, expires: datetime | None, said: str
) -> None:
    before = len(table.list())
    with pytest.raises(ConfigError, match=said):
        table.create(wanted, TokenScope.READ, libraries, expires)
    assert len(table.list()) == before


def test_the_command_shows_a_token_once(table: TokenTable) -> None:
    wanted = name()
    made = run("create", wanted, "--library", "garden", "--library", "harbour", "--scope", "write", "--expires", "12h")
    assert made.exit_code == 0, made.output
    text = made.stdout.strip()
    assert table.verdict(text).grant is not None
    assert "shown once" in made.stderr
    listed = run("list")
    assert text not in listed.output
    assert f"{wanted}  {text.split('_')[1]}  write  garden, harbour  until " in listed.output
    gone = run("revoke", wanted)
    assert gone.stdout.rstrip().endswith("revoked")
    assert run("revoke", wanted).exit_code == 1
    (row,) = [one for one in json.loads(run("list", "--json").stdout) if one["name"] == wanted]
    assert (row["state"], row["libraries"], row["scope"]) == ("revoked", ["garden", "harbour"], "write")
    assert {"salt", "hash", "token"}.isdisjoint(row)


def test_the_command_takes_all_libraries_and_no_end(table: TokenTable) -> None:
    made = json.loads(run("create", name(), "--library", "*", "--expires", "never", "--json").stdout)
    assert (made["libraries"], made["expires"], made["state"]) == (None, "", "valid")
    assert table.verdict(made["token"]).grant is not None
    for odd in ("soon", "0d", "-1d", "2027-13-01", "9999999d"):
        refused = run("create", name(), "--library", "*", "--expires", odd)
        assert (refused.exit_code, "no time" in refused.output) == (2, True), odd
    assert "Missing option '--library'" in run("create", name()).output


def test_without_the_tables_the_next_step_is_told() -> None:
    from kits.postgres import server

    done = CliRunner().invoke(commands, ["token", "list", "--store", server().new_database()])
    assert done.exit_code == 2
    assert "pinakes migrate" in done.output


def test_refusals_alike_are_one_row_and_writes_are_rows_each(table: TokenTable) -> None:
    database = migrated_database()
    before = len(read_access_log(database, None, 1000))
    log = AccessLog(database)
    for _ in range(50):
        log.refused(Refusal("", "", "http", "GET /search", "unknown", "127.0.0.9"))
    for number in range(500):
        log.refused(Refusal("", "", "http", f"GET /{number}", "unknown", "127.0.0.9"))
    log.wrote(TokenWrite("abc", "bot", "http", "remember", "memories:x.md", "garden", "done"))
    log.close()
    rows = read_access_log(database, None, 1000)[before:]
    assert rows[0].count == 50
    assert sum(one.count for one in rows) == 551
    assert len(rows) <= 210
    written = [one for one in rows if one.token == "abc"]
    assert written == [
        AccessRow(written[0].time, "abc", "bot", "http", "remember", "memories:x.md", "garden", "done", "", 1)
    ]
    assert read_access_log(database, datetime.now(UTC) + timedelta(days=1), 10) == ()
    shown = CliRunner().invoke(commands, ["log", "--store", database.url, "--limit", "1000"])
    assert "bot abc  remember  done      garden memories:x.md" in shown.output
    assert "http    - -  GET /search unknown  127.0.0.9  50 times" in shown.output
    as_json = CliRunner().invoke(commands, ["log", "--store", database.url, "--since", "2100-01-01", "--json"])
    assert (as_json.exit_code, json.loads(as_json.stdout)) == (1, [])
    both = CliRunner().invoke(commands, ["log", "--store", database.url, "--all"])
    assert (both.exit_code, "Give one of them" in both.output) == (2, True)


def test_a_log_that_cannot_be_written_keeps_nobody(table: TokenTable, caplog: pytest.LogCaptureFixture) -> None:
    from kits.postgres import server
    from pinakes.postgres import open_database

    empty = open_database(server().new_database())
    log = AccessLog(empty)
    log.refused(Refusal("", "", "http", "GET /search", "unknown", "127.0.0.9"))
    log.close()
    assert "The log of access could not be written" in caplog.text
    with pytest.raises(StoreError):
        TokenTable(empty).require()
    empty.close()


def test_refusals_of_ever_other_kinds_fill_no_table(table: TokenTable) -> None:
    database = migrated_database()
    before = len(read_access_log(database, None, 5000))
    log = AccessLog(database)
    for part in range(5):
        for number in range(300):
            log.refused(Refusal("", "", "http", f"GET /{part}/{number}\x00\x1b[2J\ud800", "unknown", "127.0.0.9"))
        log.wrote(TokenWrite("abc", "bot", "http", "remember", f"memories:{part}.md", "garden", "done"))
        last = f"memories:{part}.md"
        until(lambda: any(one.object == last for one in read_access_log(database, None, 5000)[before:]), "written")  # noqa: B023
    log.close()
    rows = read_access_log(database, None, 5000)[before:]
    assert sum(one.count for one in rows) == 1505
    assert len(rows) <= 250
    shown = CliRunner().invoke(commands, ["log", "--store", database.url, "--limit", "1000"])
    assert "\x1b" not in shown.output
