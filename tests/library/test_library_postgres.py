"""A library whose index lies in a database answers like one whose index lies in a folder, at every door."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner

from kits.git import Repo, needs_git
from kits.http import serving
from kits.store import migrated_database
from kits.trees import write_tree
from pinakes import open as open_library
from pinakes.access import TokenScope
from pinakes.access.tokens import TokenTable
from pinakes.errors import ConfigError, NotFound, StoreError
from pinakes.library import Library
from pinakes.records import DOCS, HISTORY, MEMORIES, Filter, Query
from pinakes.serve.cli import commands
from pinakes.store.postgres.indexes import IndexName, index_number

PAGES = {
    "guide/auth.md": "# Signing in\n\nTokens expire after an hour. See [the tides](../tides.md#high).\n",
    "tides.md": "# Tides\n\n## High\n\nHigh water comes twice a day.\n\n## Low\n\nLow water does, too.\n",
    "broken.md": "# Broken\n\n[nowhere](nowhere.md) and [there](tides.md#middle)\n",
    "src/clock.py": 'def turn_the_tide(hours: int) -> None:\n    """Turn it."""\n',
}
NUMBERS = count()


@pytest.fixture
def url() -> str:
    return migrated_database().url


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / f"library-{next(NUMBERS)}", PAGES)


@pytest.fixture
def library(root: Path, url: str) -> Iterator[Library]:
    with open_library(root, {"store": url}) as opened:
        opened.sync()
        yield opened


def said(*words: str) -> str:
    done = CliRunner().invoke(commands, words)
    assert done.exit_code in (0, 1), done.output
    return done.output


def test_both_places_give_the_same_answers(library: Library, root: Path, tmp_path: Path) -> None:
    with open_library(root, {"store": tmp_path / "index"}) as folder:
        folder.sync()
        for text in ("when do tokens expire", "high water", '"twice a day"', "turn_the_tide", "tieds"):
            hits = [(hit.ref, hit.score, hit.text) for hit in library.search(Query(text)).hits]
            assert hits == [(hit.ref, hit.score, hit.text) for hit in folder.search(Query(text)).hits]
            assert hits
        assert library.map() == folder.map()
        assert library.read("tides.md").text == folder.read("tides.md").text
        assert library.links("tides.md") == folder.links("tides.md")
        assert library.check() == folder.check()
        assert {*library.files()} == {*folder.files()}


def test_the_commands_work_on_it_and_never_show_the_password(
    root: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINAKES_STORE_URL", url)
    monkeypatch.chdir(root)
    outputs = [said("sync"), said("status"), said("doctor"), said("map"), said("links", "tides.md"), said("check")]
    assert "guide/auth.md" in said("search", "tokens")
    assert "High water" in said("read", "tides.md")
    assert "postgresql://pinakes:***@" in outputs[1]
    assert " B)" not in outputs[1].splitlines()[1]  # its size is the database's business
    assert "is sound" in outputs[2]
    assert "nowhere.md" in outputs[5]
    assert not any("a-word" in output for output in outputs)
    assert not [path for path in (root / ".pinakes").rglob("*") if path.suffix == ".db"]


def test_a_changed_a_new_and_a_removed_file_are_noticed(library: Library, root: Path) -> None:
    (root / "tides.md").write_text("# Tides\n\nThe moon pulls.\n")
    (root / "new.md").write_text("# Albatross\n\nA bird.\n")
    (root / "guide" / "auth.md").unlink()
    library.sync()
    assert [hit.ref.path for hit in library.search(Query("moon")).hits][:1] == ["tides.md"]
    assert [hit.ref.path for hit in library.search(Query("albatross")).hits][:1] == ["new.md"]
    assert "guide/auth.md" not in [hit.ref.path for hit in library.search(Query("tokens expire")).hits]


def test_two_servers_see_what_either_writes(library: Library, root: Path, url: str) -> None:
    with open_library(root, {"store": url}) as other:
        assert other.search(Query("high water")).hits
        (root / "new.md").write_text("# Albatross\n\nA bird.\n")
        library.sync()
        assert [hit.ref.path for hit in other.search(Query("albatross")).hits][:1] == ["new.md"]


def test_a_rebuild_puts_a_new_index_in_the_place_of_the_old_one(library: Library, root: Path, url: str) -> None:
    name = IndexName(library.config.store_library, DOCS)
    before = index_number(migrated_database(), name)
    with open_library(root, {"store": url}) as other:
        assert other.search(Query("tokens")).hits
        library.sync(rebuild=True)
        assert index_number(migrated_database(), name) != before
        assert library.search(Query("tokens")).hits
        assert other.search(Query("tokens")).hits


def test_a_damaged_text_is_found_and_made_again(library: Library) -> None:
    with migrated_database().transaction() as connection:
        connection.execute(
            "UPDATE all_bodies SET checksum = checksum + 1 WHERE store = %s",
            (index_number(migrated_database(), IndexName(library.config.store_library, DOCS)),),
        )
    assert any(not one.is_sound for one in library.doctor())
    assert library.mend()
    assert all(one.is_sound for one in library.doctor() if one.topic == "index")
    assert library.read("tides.md").text


def test_notes_are_found_and_history_is(root: Path, url: str) -> None:
    repo = Repo(root)
    repo.commit("the moon was added", {"moon.md": "# Moon\n"})
    with open_library(root, {"store": url}) as library:
        library.sync(corpora=(DOCS, HISTORY))
        library.memories.remember("The harbour closes at night.", tags=["harbour"])
        found = library.search(Query("harbour closes", where=Filter(corpora=(MEMORIES,)))).hits
        assert [hit.ref.corpus for hit in found] == [MEMORIES]
        assert library.search(Query("moon was added")).hits


def test_a_server_answers_from_it(root: Path, url: str) -> None:
    token, _ = TokenTable(migrated_database()).create("one question", TokenScope.READ, [root.name], None)
    with serving(root, options=("--store", url)) as server:
        assert server.get("/search", query="high water").status == 401
        server.headers["Authorization"] = f"Bearer {token}"
        found = server.get("/search", query="high water").json
        assert found["hits"][0]["path"] == "tides.md"


@needs_git
def test_a_revision_is_a_copy_of_the_nearest_index(root: Path, url: str) -> None:
    repo = Repo(root)
    repo.commit("one", {"tides.md": PAGES["tides.md"]})
    repo.commit("two", {"tides.md": "# Tides\n\nThe moon pulls.\n"})
    with open_library(root, {"store": url}) as library:
        library.sync()
        library.search(Query("moon"))
        with library.at("HEAD~1") as then:
            assert [hit.ref.path for hit in then.search(Query("high water")).hits][:1] == ["tides.md"]
            assert "moon pulls" not in then.read("tides.md").text
        assert library.search(Query("moon pulls")).hits
        assert library.read("tides.md").text == "# Tides\n\nThe moon pulls.\n"


def test_a_database_that_is_not_there_is_named_without_its_password(root: Path) -> None:
    with (
        open_library(root, {"store": "postgresql://ada:secret@127.0.0.1:1/none"}) as library,
        pytest.raises(StoreError, match="does not answer") as trouble,
    ):
        library.sync()
    assert "secret" not in str(trouble.value)


def test_a_project_may_not_send_its_index_to_a_database(root: Path) -> None:
    for text in ('[store]\nurl = "postgresql://evil.invalid/x"\n', 'store = "postgresql://evil.invalid/x"\n'):
        (root / "pinakes.toml").write_text(text)
        with pytest.raises(ConfigError, match="may not decide"):
            open_library(root)


def test_a_place_that_is_named_wins_over_the_environment(
    root: Path, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINAKES_STORE_URL", "postgresql://ada@127.0.0.1:1/none")
    said("sync", "--root", str(root), "--store", str(tmp_path / "index"))
    assert (tmp_path / "index" / "library.db").exists()
    said("sync", "--root", str(root), "--store", url)


def test_what_was_never_indexed_is_said_to_be_so(root: Path, url: str) -> None:
    with open_library(root, {"store": url}) as library, pytest.raises(NotFound, match="pinakes sync"):
        library.map()
