"""The tables of a database: made once, upgraded, refused where they are of another version."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field

import psycopg
import pytest
from click.testing import CliRunner

from kits.postgres import PASSWORD, server
from pinakes.errors import PinakesError, StoreError, StoreTooNew
from pinakes.library.databases import table_sets
from pinakes.postgres import open_database
from pinakes.postgres.migrations import SchemaStep, TableSet, migrate, require_schema
from pinakes.serve.cli.migrate import command

FIRST = "CREATE TABLE notes_of_a_room (id integer PRIMARY KEY);"
SECOND = "ALTER TABLE notes_of_a_room ADD COLUMN text text;"


@dataclass
class Outcomes:
    """What threads came to."""

    steps: list[tuple[SchemaStep, ...]] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)


def test_every_room_s_tables_are_made_once_and_brought_from_version_to_version() -> None:
    database = open_database(server().new_database())
    assert migrate(database, [TableSet("room", (FIRST,))]) == (SchemaStep("room", 0, 1),)
    assert migrate(database, [TableSet("room", (FIRST,))]) == (SchemaStep("room", 1, 1),)
    both = TableSet("room", (FIRST, SECOND))
    with pytest.raises(StoreError, match="version 1 of the tables “room”; this Pinakes works with version 2"):
        require_schema(database, [both])
    assert migrate(database, [both]) == (SchemaStep("room", 1, 2),)
    require_schema(database, [both])
    database.close()


def test_newer_tables_are_refused_by_whoever_asks_and_whoever_migrates() -> None:
    database = open_database(server().new_database())
    migrate(database, [TableSet("room", (FIRST, SECOND))])
    for refused in (migrate, require_schema):
        with pytest.raises(StoreTooNew, match="Update Pinakes"):
            refused(database, [TableSet("room", (FIRST,))])
    database.close()


def test_a_database_without_tables_names_the_next_step() -> None:
    database = open_database(server().new_database())
    with pytest.raises(StoreError, match=r"has no tables of Pinakes yet\. Run `pinakes migrate"):
        require_schema(database, table_sets())
    database.close()


def test_a_script_that_fails_leaves_everything_as_it_was() -> None:
    database = open_database(server().new_database())
    with pytest.raises(StoreError):
        migrate(database, [TableSet("room", (FIRST,)), TableSet("other", ("CREATE TABLE broken (",))])
    with pytest.raises(StoreError, match="no tables of Pinakes yet"):
        require_schema(database, [TableSet("room", (FIRST,))])
    database.close()


def test_several_that_migrate_at_once_do_it_once() -> None:
    url = server().new_database()
    done = Outcomes()

    def run() -> None:
        database = open_database(url)
        try:
            done.steps.append(migrate(database, table_sets()))
        except PinakesError as error:
            done.errors.append(error)
        finally:
            database.close()

    threads = [threading.Thread(target=run) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done.errors == []
    assert sorted(steps[0].before for steps in done.steps) == [0, *[table_sets()[0].version] * 4]


def test_the_command_makes_the_tables_and_says_so() -> None:
    url = server().new_database()
    first = CliRunner().invoke(command, ["--store", url])
    assert (first.exit_code, first.output.splitlines()[0]) == (0, "store: version 3, was 0")
    again = CliRunner().invoke(command, [], env={"PINAKES_STORE_URL": url})
    assert (again.exit_code, again.output.splitlines()[0]) == (0, "store: version 3, as it was")


def test_a_user_without_rights_is_told_what_to_grant() -> None:
    url = server().new_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS guest")
        connection.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    guest = url.replace(url[len("postgresql://") : url.index("@")], "guest:guest")
    database = open_database(guest)
    with pytest.raises(StoreError, match=r"does not allow this .* Grant this user"):
        migrate(database, table_sets())
    database.close()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda url: url.replace("%20with", "%20without"), "refuses this user"),
        (lambda url: f"{url}_nowhere", "does not exist. Create it with createdb"),
        (lambda url: url.replace(f":{server().port}/", ":1/"), "does not answer"),
        (lambda url: "postgresql://host:port/x", "cannot be read|does not answer"),
        (lambda url: "mysql://host/x", "is no address of a PostgreSQL database"),
    ],
)
def test_an_address_that_does_not_work_is_told_apart_and_never_shows_its_password(change, message: str) -> None:  # type: ignore[no-untyped-def]
    url = change(server().url())
    done = CliRunner().invoke(command, ["--store", url])
    assert done.exit_code == 2
    assert re.search(message, done.output.replace("\n", " ")), done.output
    assert "a-word" not in done.output
    assert PASSWORD not in done.output
