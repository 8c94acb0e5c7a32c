"""Servers without any folder: all libraries of a database, by any number of servers that know nothing of each other."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kits.http import PAGES, Answer, Server, serving
from kits.mcp import HELLO
from kits.postgres import server as postgres
from kits.trees import write_tree
from kits.waiting import until
from pinakes import open as open_library
from pinakes.access import TokenScope
from pinakes.access.access_log import read_access_log
from pinakes.access.tokens import TokenTable
from pinakes.jobs.registry import Registry
from pinakes.library.databases import migrate_database, remove_library
from pinakes.postgres import shared_database
from pinakes.records.jobs import GitLibrary
from pinakes.serve.served_libraries import ServedLibraries

CODE = {
    "src/crane.py": 'def lift(tonnes: int) -> None:\n    """Lift it."""\n',
    "guide/cranes.md": PAGES["guide/cranes.md"],
}
NAMES = count()


@pytest.fixture(scope="module")
def url() -> str:
    found = postgres().new_database()
    migrate_database(found)
    return found


def index(url: str, folder: Path, name: str, files: dict[str, str]) -> None:
    """Index a library, and forget its files."""
    root = write_tree(folder / f"{name}-{next(NAMES)}", files)
    with open_library(root, {"store": url, "store.library": name, "code.enabled": True}) as library:
        library.sync()
    shutil.rmtree(root)


@pytest.fixture(scope="module")
def folder(url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stateless")
    index(url, folder, "harbour", {**PAGES, **CODE})
    index(url, folder, "garden", {"roses.md": "# Roses\n\nPrune roses in March.\n"})
    return folder


@contextmanager
def stateless(url: str, home: Path, *options: str, workers: int = 1) -> Iterator[Server]:
    home.mkdir(exist_ok=True)
    environment = {"PINAKES_STORE_URL": url, "HOME": str(home), "PINAKES_WORKERS": str(workers)}
    environment |= {f"XDG_{name}_HOME": str(home / name) for name in ("CACHE", "DATA", "CONFIG")}
    with serving(options=options, environment=environment) as running:
        token, _ = TokenTable(shared_database(url)).create(f"bot {next(NAMES)}", TokenScope.ADMIN, None, None)
        running.headers = {"Authorization": f"Bearer {token}"}
        yield running


@pytest.fixture(scope="module")
def server(url: str, folder: Path) -> Iterator[Server]:
    with stateless(url, folder / "home") as running:
        yield running


def refs(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.body
    return [hit["ref"] for hit in answer.json["hits"]]


def test_every_library_of_the_database_is_asked_without_a_folder(server: Server, folder: Path) -> None:
    assert refs(server.get("/search", library="harbour", query="forty tonnes"))[0] == "docs:guide/cranes.md#cranes"
    assert refs(server.get("/search", library="garden", query="when to prune"))[0] == "docs:roses.md#roses"
    assert refs(server.get("/search", library="harbour", query="lift tonnes", corpus="code"))[:1] == [
        "code:src/crane.py#lift"
    ]
    assert server.get("/read", library="harbour", address="guide/tides.md#tables").json["text"].startswith("## Tables")
    assert server.get("/links", library="harbour", address="README.md").json["outgoing"]
    assert "nowhere.md" in server.get("/check", library="harbour").body.decode()
    assert "Tides" in server.get("/map", library="harbour", format="text").body.decode()
    assert server.get("/context", library="harbour", question="tides").status == 200
    assert server.get("/files", library="harbour").status == 200
    assert server.get("/files", library="harbour", path="README.md").json[0]["state"] == "indexed"
    status = server.get("/status", library="harbour").json
    assert (status["libraries"], status["counts"]["documents"]) == (["garden", "harbour"], 3)
    assert server.get("/memories", library="harbour").json["memories"] == []
    assert server.get("/list", library="harbour").json == []
    assert [path for path in (folder / "home").rglob("*") if path.suffix in (".db", ".jsonl")] == []


def test_the_page_shows_every_library(server: Server) -> None:
    for view in ("search?query=crane", "map", "graph", "files", "memories", "manage", "read/guide/tides.md"):
        answer = server.ask("GET", f"/in/harbour/{view}", None, {"Accept": "text/html"})
        assert (answer.status, view) == (200, view), answer.body
        assert b"/in/garden/search" in answer.body
    assert set(server.get("/everywhere.json", query="crane").json) == {"harbour", "garden"}


def test_what_needs_files_is_refused_in_words_and_nothing_is_written(server: Server) -> None:
    for path, body in (
        ("/remember", {"text": "A note."}),
        ("/add", {"text": "# Added"}),
        ("/forget", {"id": "x"}),
        ("/sync", {}),
        ("/model", {"name": "static"}),
    ):
        answer = server.post(path, {**body, "library": "harbour"})
        assert (answer.status, answer.json["detail"]) == (409, "The files of this library are not on this machine."), (
            path
        )
    past = server.get("/search", library="harbour", query="crane", at="HEAD")
    assert (past.status, "not on this machine" in past.json["detail"]) == (404, True)
    assert server.get("/map", library="harbour", since="HEAD~1").status == 404
    assert server.get("/in/harbour/asset/picture.png").status == 404


def test_libraries_come_and_go_while_it_runs(server: Server, url: str, folder: Path) -> None:
    assert server.get("/search", library="cellar", query="wine").status == 404
    index(url, folder, "cellar", {"wine.md": "# Wine\n\nWine lies in the cellar.\n"})
    until(lambda: server.get("/search", library="cellar", query="wine").status == 200, "the new library is there")
    index(url, folder, "cellar", {"wine.md": "# Wine\n\nBeer lies in the cellar.\n"})
    assert "Beer" in server.get("/search", library="cellar", query="beer").json["hits"][0]["text"]
    remove_library(url, "cellar")
    until(lambda: server.get("/search", library="cellar", query="wine").status == 404, "the library is gone")
    assert server.get("/search", library="garden", query="roses").status == 200


def logged(url: str) -> list[tuple[str, ...]]:
    return [(one.action, one.object, one.result) for one in read_access_log(shared_database(url), None, 1000)]


def test_a_library_from_git_is_synced_by_workers(server: Server, url: str) -> None:
    Registry(shared_database(url)).add(GitLibrary("garden", "https://docs.example/garden"))
    begun = server.post("/sync", {"library": "garden"})
    assert (begun.status, begun.json) == (200, {"library": "garden", "is_syncing": True})
    until(lambda: ("sync", "garden", "begun") in logged(url), "it is logged")
    waiting = server.get("/status", library="garden").json["jobs"]["waiting"]
    assert waiting == 1
    assert 'pinakes_jobs{state="waiting"} 1' in server.get("/metrics").body.decode()


def test_many_libraries_are_not_all_kept_open(url: str, folder: Path) -> None:
    libraries = ServedLibraries(url, most_open=1)
    for name in ("harbour", "garden", "harbour"):
        assert libraries.get(name).status().counts.documents
        assert libraries.open_names == (name,)
    libraries.close()


def test_a_conversation_may_go_from_server_to_server(server: Server, url: str, folder: Path) -> None:
    with stateless(url, folder / "other", workers=2) as other:
        accepts: dict[str, str | None] = {"Accept": "application/json, text/event-stream"}
        begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
        begun = server.ask("POST", "/mcp", begin, accepts)
        assert (begun.status, "mcp-session-id" in begun.headers) == (200, False)
        headers: dict[str, str | None] = {**accepts, "MCP-Protocol-Version": str(HELLO["protocolVersion"])}
        other.headers = server.headers
        assert (
            other.ask("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers).status == 202
        )
        for number, one in enumerate([other, server, other, other, server, other]):
            called = {"name": "search", "arguments": {"query": "forty tonnes", "library": "harbour"}}
            asked = {"jsonrpc": "2.0", "id": number + 2, "method": "tools/call", "params": called}
            answer = one.ask("POST", "/mcp", asked, headers)
            assert b"guide/cranes.md" in answer.body, answer.body
        assert other.get("/search", library="garden", query="roses").status == 200
        assert other.get("/metrics").status == 200
        assert other.get("/ready").json == {"status": "ready"}


def test_it_is_ready_while_the_database_answers_and_lives_all_the_time(url: str, tmp_path: Path) -> None:
    own = postgres().new_database()
    migrate_database(own)
    with stateless(own, tmp_path / "home") as server:
        empty = server.ask("GET", "/ready", None, {"Authorization": None})
        assert (empty.status, empty.json["detail"]) == (503, "No library of the database has an index yet.")
        assert server.get("/search", query="x").status == 404
        index(own, tmp_path, "harbour", PAGES)
        until(lambda: server.get("/ready").status == 200, "it is ready")
        name = urlsplit(own).path[1:]
        shared_database(own).close()
        admin = shared_database(url)
        with admin.session() as connection:
            connection.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false'.encode())
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        down = server.ask("GET", "/ready", None, {"Authorization": None})
        assert (down.status, down.json["detail"]) == (503, "The database cannot be used.")
        assert server.ask("GET", "/health", None, {"Authorization": None}).status == 200
        with admin.session() as connection:
            connection.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true'.encode())
        until(lambda: server.get("/ready").status == 200, "it is ready again")
        assert refs(server.get("/search", query="forty tonnes"))


def test_a_database_without_tables_is_refused_with_the_next_step(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "pinakes", "serve", "--port", "0", "--store", postgres().new_database()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, "pinakes migrate" in done.stderr) == (2, True), done.stderr
    assert "a-word" not in done.stderr


def test_one_token_and_none_can_still_be_asked_for(url: str, folder: Path) -> None:
    with stateless(url, folder / "open", "--no-token") as server:
        assert server.ask("GET", "/search?query=roses&library=garden", None, {"Authorization": None}).status == 200
        assert server.ask("POST", "/remember", {"text": "x"}, {"Authorization": None}).status == 409
    listed = json.loads(server_output(url))
    assert all(one["state"] in ("valid", "revoked", "expired") for one in listed)


def server_output(url: str) -> str:
    command = [sys.executable, "-P", "-m", "pinakes", "token", "list", "--json", "--store", url]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
