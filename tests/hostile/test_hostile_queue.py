"""Rows of a queue that somebody else wrote: a worker runs nothing of them, asks no model of theirs, and goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kits.git import Repo, needs_git
from kits.queue import empty_database
from pinakes.errors import ConfigError
from pinakes.jobs.registry import Registry
from pinakes.library.git_libraries import wanted_library
from pinakes.library.queued.libraries import DatabaseLibraries
from pinakes.library.queued.worker import JobReport, QueueWorker
from pinakes.postgres.database import Database
from pinakes.records.jobs import GitLibrary, JobKind

pytestmark = needs_git


@pytest.fixture(autouse=True)
def places_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PINAKES_NEURAL_MODEL", "static")


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    made = Repo(tmp_path_factory.mktemp("theirs") / "repo")
    made.commit("one", {"tides.md": "# Tides\n\nHigh water comes twice a day.\n"})
    return made


@pytest.fixture
def database(repo: Repo) -> Iterator[Database]:
    made = empty_database()
    DatabaseLibraries(made.url).add(wanted_library("tides", str(repo.folder)), here=True)
    with made.transaction() as connection:
        connection.execute("DELETE FROM jobs")
    yield made


def plant(database: Database, kind: str, given: str, state: str = "waiting", attempts: int = 0) -> None:
    with database.transaction() as connection:
        connection.execute(
            "INSERT INTO jobs (library, kind, part, given, urgency, behind, state, attempts)"
            " VALUES ('tides', %s, 'planted', %s, 0, '{}', %s, %s)",
            (kind, given, state, attempts),
        )


def worked(database: Database) -> list[JobReport]:
    """What becomes of all jobs that a worker would do, each at its first try."""
    done: list[JobReport] = []
    with closing(QueueWorker(database, only="tides")) as worker:
        while worker.do_one(done.append):
            pass
    return done


READ = {"corpus": "docs", "commit": "0" * 40, "sites": "", "modules": "", "stamps": []}


@pytest.mark.parametrize(
    "given",
    [
        "",
        "no json",
        "[" * 100_000,
        "[1]",
        '"text"',
        "1e999",
        json.dumps({**READ, "commit": "--upload-pack=touch ran"}),
        json.dumps({**READ, "stamps": [["../../etc/passwd"]]}),
        json.dumps({**READ, "stamps": {"a": 1}}),
        json.dumps({"vectors": ["docs"]}),
        json.dumps({"vectors": "../docs"}),
    ],
)
def test_a_job_that_says_nothing_of_ours_is_set_aside_and_the_next_is_done(database: Database, given: str) -> None:
    plant(database, "read", given)
    DatabaseLibraries(database.url).begin(["tides"])
    done = worked(database)
    assert ("read", "set aside") in [(one.kind, one.result) for one in done]
    assert ("fetch", "done") in [(one.kind, one.result) for one in done]


def test_a_job_of_a_kind_that_nobody_knows_is_left_alone(database: Database) -> None:
    for state, attempts in (("waiting", 0), ("running", 3), ("aside", 3)):
        plant(database, "run-this", "{}", state, attempts)
    DatabaseLibraries(database.url).begin(["tides"])
    assert {one.kind for one in worked(database)} == {JobKind.FETCH, JobKind.SCAN, JobKind.RANK}
    assert DatabaseLibraries(database.url).queue("tides").set_aside == ()


@pytest.mark.parametrize("model", ["http://127.0.0.1:9/v1#theirs", "sentence-transformers:them/theirs", "/tmp/model"])
def test_texts_are_sent_to_no_model_that_a_row_names(database: Database, model: str) -> None:
    plant(database, "embed", json.dumps({"corpus": "docs", "model": model, "documents": [1]}))
    (report,) = worked(database)
    assert (report.result, report.reason) == (
        "set aside",
        "These vectors are of another model than the one that this worker uses.",
    )


@pytest.mark.parametrize("address", ["--upload-pack=touch ran", "ext::sh -c date", "ssh://-oProxyCommand=date/x", "-x"])
def test_no_address_that_a_row_names_starts_anything(database: Database, address: str) -> None:
    with database.transaction() as connection:
        connection.execute("UPDATE libraries SET address = %s", (address,))
    DatabaseLibraries(database.url).begin(["tides"])
    (report,) = worked(database)
    assert report.result == "set aside"
    assert "is no repository that can be fetched" in report.reason


@pytest.mark.parametrize(
    "odd", [GitLibrary("../../x", "https://host/x"), GitLibrary("x\n\x1b[2J", "https://host/x"), GitLibrary("-x", "/")]
)
def test_a_library_whose_name_is_none_is_neither_asked_nor_worked_on(database: Database, odd: GitLibrary) -> None:
    Registry(database).add(odd)
    with pytest.raises(ConfigError, match="no name of a library"):
        DatabaseLibraries(database.url).get(odd.name)
    with database.transaction() as connection:
        connection.execute(
            "INSERT INTO jobs (library, kind, urgency, behind) VALUES (%s, 'fetch', 0, '{}')", (odd.name,)
        )
    with closing(QueueWorker(database, only=odd.name)) as worker:
        done: list[JobReport] = []
        assert worker.do_one(done.append)
    assert done[0].result == "set aside"
