"""Libraries of a database: listed for every machine, and kept up to date by workers, which may be killed."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner

from kits.git import Repo, needs_git
from kits.http import serving
from kits.queue import empty_database, worker_process
from kits.trees import write_tree
from pinakes import open as open_library
from pinakes.access import TokenScope
from pinakes.access.tokens import TokenTable
from pinakes.errors import ConfigError, NotFound, Unreadable
from pinakes.library.git_libraries import wanted_library
from pinakes.library.queued.libraries import DatabaseLibraries
from pinakes.postgres.database import Database
from pinakes.records import DOCS, Query
from pinakes.records.jobs import JobKind
from pinakes.serve.cli import commands
from pinakes.store.postgres.indexes import IndexName, index_number

pytestmark = needs_git
PAGES = {
    "guide/auth.md": "# Signing in\n\nTokens expire after an hour. See [the tides](../tides.md#high).\n",
    "tides.md": "# Tides\n\n## High\n\nHigh water comes twice a day.\n\n## Low\n\nLow water does, too.\n",
}


@pytest.fixture(autouse=True)
def places_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PINAKES_NEURAL_MODEL", "static")


@pytest.fixture
def database() -> Database:
    made = empty_database()
    return made


@pytest.fixture
def libraries(database: Database) -> DatabaseLibraries:
    return DatabaseLibraries(database.url)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "theirs")
    made.commit("one", PAGES)
    made.git("tag", "v1")
    return made


def found(libraries: DatabaseLibraries, name: str, question: str) -> list[str]:
    with libraries.opened(name) as opened:
        return [hit.ref.path for hit in opened.search(Query(question)).hits]


def test_a_library_goes_from_commit_to_commit_in_one_index(
    libraries: DatabaseLibraries, database: Database, repo: Repo
) -> None:
    made = libraries.add(wanted_library("tides", str(repo.folder)))
    assert (made.commit, bool(made.synced)) == (repo.head(), True)
    number = index_number(database, IndexName("tides", DOCS))
    latest = repo.commit("two", {"tides.md": "# Tides\n\nThe moon pulls.\n"})
    with libraries.opened("tides") as opened:
        assert "moon pulls" not in opened.read("tides.md").text
    assert libraries.sync("tides").commit == latest
    with libraries.opened("tides") as opened:
        assert [hit.ref.path for hit in opened.search(Query("moon pulls")).hits][:1] == ["tides.md"]
        assert opened.read("tides.md").text == "# Tides\n\nThe moon pulls.\n"
        assert opened.status().keywords == "complete"
    assert index_number(database, IndexName("tides", DOCS)) == number
    with libraries.opened("tides", "v1") as then:
        assert "twice" in then.read("tides.md").text
    with libraries.opened("tides", has_files=True) as opened:
        assert {one.ref.path for one in opened.check()} == {"guide/auth.md"}
    libraries.remove("tides")
    assert not index_number(database, IndexName("tides", DOCS))
    assert libraries.list() == []
    with pytest.raises(NotFound, match="no library “tides”"), libraries.opened("tides"):
        pass


def test_another_machine_asks_a_library_without_its_repository(
    libraries: DatabaseLibraries, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries.add(wanted_library("tides", str(repo.folder), path="guide"))
    repo.folder.rename(tmp_path / "gone")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another machine"))
    assert found(libraries, "tides", "when do tokens expire") == ["auth.md"]
    with libraries.opened("tides") as opened:
        assert "Signing in" in opened.map_text().text
    assert not list((tmp_path / "another machine").rglob("HEAD"))


def test_what_cannot_be_fetched_is_no_library_and_what_was_fetched_goes_on_being_asked(
    libraries: DatabaseLibraries, repo: Repo, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    for wanted, why in (
        (wanted_library("tides", str(tmp_path / "empty")), "could not be fetched"),
        (wanted_library("tides", str(repo.folder), "v9"), "no revision"),
    ):
        with pytest.raises(Unreadable, match=why):
            libraries.add(wanted)
    assert libraries.list() == []
    libraries.add(wanted_library("tides", str(repo.folder)))
    with pytest.raises(ConfigError, match="already"):
        libraries.add(wanted_library("tides", str(repo.folder)))
    repo.folder.rename(tmp_path / "gone")
    with pytest.raises(Unreadable, match="could not be fetched"):
        libraries.sync("tides")
    assert found(libraries, "tides", "high water")[:1] == ["tides.md"]
    (aside,) = libraries.queue("tides").set_aside
    assert aside.kind is JobKind.FETCH
    (tmp_path / "gone").rename(repo.folder)
    libraries.sync("tides")
    assert libraries.queue("tides").set_aside == ()


def test_a_worker_does_what_others_ask_for_and_says_so(
    libraries: DatabaseLibraries, database: Database, repo: Repo
) -> None:
    with worker_process(database.url, "--json") as worker:
        assert worker.stderr is not None
        assert worker.stdout is not None
        assert "listens at postgresql://pinakes:***@" in worker.stderr.readline()
        (name,) = libraries.queue().workers
        assert name.endswith(f" {worker.pid}")
        assert libraries.add(wanted_library("tides", str(repo.folder))).commit == repo.head()
        assert found(libraries, "tides", "high water")[:1] == ["tides.md"]
        said = [json.loads(worker.stdout.readline()) for _ in range(3)]
        assert [(one["library"], one["kind"], one["result"]) for one in said] == [
            ("tides", "fetch", "done"),
            ("tides", "scan", "done"),
            ("tides", "rank", "done"),
        ]
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(30) == 0
        assert "left to others" in worker.stderr.read()
    assert libraries.queue().workers == ()


def test_the_terminal_adds_lists_asks_and_removes(database: Database, repo: Repo) -> None:
    def run(*words: str, code: int = 0) -> str:
        done = CliRunner().invoke(commands, words)
        assert done.exit_code == code, done.output
        return done.output

    store = ("--store", database.url)
    run("library", "add", "tides", "--git", str(repo.folder), "--ref", "v1", *store)
    listed = run("library", "list", *store)
    assert listed.startswith(f"tides  {repo.folder}  v1 {repo.head('v1')[:12]}")
    assert "0 workers; 1 job waits, 0 are being done" in listed
    assert json.loads(run("library", "list", "--json", *store))["queue"]["workers"] == []
    assert "twice" in run("search", "high water", "--library", "tides", *store)
    assert "late" not in run("read", "tides.md", "--plain", "--library", "tides", *store)
    repo.git("rm", "-q", "tides.md")
    repo.commit("two")
    run("library", "sync", "tides", "--no-wait", *store)
    assert "2 jobs wait" in run("library", "list", *store)
    assert "tides fetch done" in run("worker", "--once", *store)
    assert "0 jobs wait" in run("library", "list", *store)
    run("library", "sync", "--here", *store)
    assert "is no address" in run("library", "list", "--store", "folder", code=2)
    run("library", "remove", "tides", *store)
    assert "There are no libraries" in run("library", "list", *store)


def test_libraries_of_folders_are_listed_and_asked_beside_those_from_git(
    libraries: DatabaseLibraries, database: Database, repo: Repo, tmp_path: Path
) -> None:
    libraries.add(wanted_library("tides", str(repo.folder)))
    folder = write_tree(tmp_path / "guide", {"a.md": "# Albatross\n\nHigh water for birds.\n"})
    with open_library(folder, {"store": database.url, "store.library": "guide"}) as opened:
        opened.sync()
    assert libraries.of_folders() == ["guide"]
    assert found(libraries, "guide", "albatross") == ["a.md"]
    store = ("--store", database.url)
    listed = CliRunner().invoke(commands, ["library", "list", *store]).output
    assert "guide  a folder; pinakes sync there keeps it current" in listed
    both = CliRunner().invoke(commands, ["search", "high water", "--library", "*", *store]).output
    assert "a.md" in both
    assert "tides.md" in both
    with pytest.raises(NotFound, match="There are tides"):
        libraries.sync("guide")


def test_what_is_set_aside_is_seen_in_status_and_metrics(
    libraries: DatabaseLibraries, database: Database, repo: Repo, tmp_path: Path
) -> None:
    libraries.add(wanted_library("tides", str(repo.folder)))
    repo.folder.rename(tmp_path / "gone")
    with pytest.raises(Unreadable):
        libraries.sync("tides")
    folder = write_tree(tmp_path / "guide", {"a.md": "# A\n"})
    CliRunner().invoke(commands, ["sync", "--root", str(folder), "--store", database.url])
    said = CliRunner().invoke(commands, ["status", "--root", str(folder), "--store", database.url]).output
    assert "jobs        0 workers; 1 job waits, 0 are being done" in said
    assert "set aside: fetch of tides, tried once: The repository could not be fetched" in said
    token, _ = TokenTable(database).create("prometheus", TokenScope.READ, None, None)
    with serving(folder, options=("--store", database.url)) as server:
        server.headers = {"Authorization": f"Bearer {token}"}
        lines = server.get("/metrics").body.decode().splitlines()
    assert 'pinakes_jobs{state="aside"} 1' in lines
    assert 'pinakes_jobs_set_aside{library="tides",kind="fetch"} 1' in lines
    assert "pinakes_workers 0" in lines


def test_a_worker_without_a_database_says_what_it_needs() -> None:
    done = CliRunner().invoke(commands, ["worker"])
    assert done.exit_code == 2
    assert "There is no database to work for. Name it with --store or PINAKES_STORE_URL." in done.output
