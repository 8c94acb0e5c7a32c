"""Commits, memories and added documents over HTTP, asked of a real server, and what it refuses."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from kits.git import Repo, needs_git
from kits.http import PAGES, Server, serving
from kits.trees import SECRET, with_ways_out, write_tree
from pinakes.library import open_library
from pinakes.records import HISTORY

WRITES: dict[str, dict[str, Any]] = {
    "/remember": {"text": "A note of somebody else."},
    "/update": {"id": "kept", "title": "Another"},
    "/append": {"id": "kept", "text": "more"},
    "/archive": {"id": "kept"},
    "/forget": {"id": "kept"},
    "/restore": {"id": "kept"},
    "/merge": {"id": ["kept", "other"], "title": "One"},
    "/add": {"text": "# Added by somebody else"},
    "/drop": {"id": ["kept"]},
    "/updates": {},
}
ASKS: dict[str, dict[str, Any]] = {"/history": {}, "/recall": {}}
LOOKS = ("/memories", "/trash", "/list", "/updates")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("living")
    files = PAGES | {
        ".env": SECRET,
        ".gitignore": "private.md\n",
        "private.md": SECRET,
        "page.html": "<h1>Lamps</h1>oil",
    }
    root = with_ways_out(folder, files)
    with serving(root) as running:
        assert running.get("/search", query="tides").status == 200
        yield running
        assert running.process.poll() is None, "the server died"


def kept(server: Server, **note: object) -> Any:
    answer = server.post("/remember", {"text": "High water floods the quay, see [[guide/tides.md]].", **note})
    assert answer.status == 200, answer.body
    return answer.json


# What one does with it


def test_a_memory_lives_and_is_forgotten(server: Server) -> None:
    memory = kept(server, title="Floods", type="fact", tag=["sea"])
    assert (memory["id"], memory["links"][0]["to"]) == ("floods", "docs:guide/tides.md")
    found = server.post("/recall", {"query": "what floods the quay?"}).json["found"]
    assert found[0]["memory"]["id"] == "floods"
    assert server.post("/recall", {"linked_to": "guide/tides.md"}).json["found"]
    assert not server.post("/recall", {"type": "plan"}).json["found"]
    assert "Since May" in server.post("/append", {"id": "floods", "text": "Since May."}).json["text"]
    assert server.post("/update", {"id": "floods", "review_by": "2020-01-01"}).json["review_by"] == "2020-01-01"
    listed = server.get("/memories", type="fact").json
    assert [mark["kind"] for mark in listed["memories"][0]["marks"]] == ["due"]
    assert listed["by_tag"] == {"sea": 1}
    kept(server, title="Tides")
    merged = server.post("/merge", {"id": ["floods", "tides"], "title": "Water"}).json
    assert set(merged["supersedes"]) == {"floods", "tides"}
    assert server.get("/memories", status="archived").json["memories"]
    assert server.post("/archive", {"id": "water"}).json["status"] == "archived"
    assert server.post("/search", {"query": "floods the quay", "corpus": ["memories"]}).json["hits"]
    assert server.get("/read", address="memories:water.md").json["ref"] == "memories:water.md"
    gone = server.post("/forget", {"id": "water"}).json
    assert gone["id"] in {one["id"] for one in server.get("/trash").json}
    assert server.post("/forget", {"id": "water"}).status == 404
    assert server.post("/restore", {"id": gone["id"]}).json["id"] == "water"


def test_a_document_is_added_found_and_dropped(server: Server) -> None:
    made = server.post("/add", {"text": "# Winches\n\nA winch pulls forty tonnes.", "project": "handbook"}).json
    assert made["became"] == "added"
    hits = server.post("/search", {"query": "what pulls forty tonnes", "project": "handbook"}).json["hits"]
    assert hits[0]["ref"].startswith(made["ref"])
    assert server.post("/add", {"source": "page.html", "type": "html"}).json["document"]["title"] == "Lamps"
    assert server.get("/get", id=made["document"]["id"]).json["text"].startswith("# Winches")
    assert [one["project"] for one in server.get("/list", project="handbook").json] == ["handbook"]
    assert [one["state"] for one in server.get("/updates").json] == ["unchanged"]
    assert [one["is_applied"] for one in server.post("/updates", {}).json] == [False]
    assert server.post("/drop", {"id": [made["document"]["id"]]}).json[0]["id"] == made["document"]["id"]
    assert server.get("/list", project="handbook").status == 404
    assert server.post("/search", {"query": "winch", "project": "handbook"}).status == 404


@needs_git
def test_commits_are_found_with_their_filters(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "docs")
    repo.commit("Tides by hand", {"tides.md": "# Tides\n\nHigh water.\n"})
    wanted = repo.commit("Remove the cache\n\nIt was slower than without.", {"src/cache.py": "pass\n"}, who="Grace")
    with serving(repo.folder) as server:
        assert [hit["title"] for hit in server.post("/history", {}).json["hits"]] == [
            "Remove the cache",
            "Tides by hand",
        ]
        assert server.post("/history", {"query": "slower cache"}).json["hits"][0]["path"] == wanted
        assert server.post("/history", {"query": wanted[:9]}).json["hits"][0]["path"] == wanted
        assert len(server.post("/history", {"file": ["src/**"], "author": "grace"}).json["hits"]) == 1
        assert not server.post("/history", {"before": "2020"}).json["hits"]
        assert server.get("/read", address=f"history:{wanted[:9]}").json["path"] == wanted
        found = server.post("/search", {"query": "slower cache", "corpus": ["all"]}).json["hits"]
        assert found[0]["ref"].startswith(f"history:{wanted}")


@needs_git
def test_while_commits_are_read_for_the_first_time_nobody_is_kept_waiting(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "docs")
    wanted = repo.commit("Tides by hand", {"tides.md": "# Tides\n\nHigh water.\n"})
    with open_library(repo.folder) as library, serving(repo.folder) as server:
        with library.corpus(HISTORY).store.writing(5.0):  # somebody else writes, for as long as we like
            asked = {"/history": {}, "/search": {"query": "tides", "corpus": ["all"]}}
            with ThreadPoolExecutor(8) as pool:
                answers = list(pool.map(lambda path: server.post(path, asked[path]), [*asked, *asked, *asked, *asked]))
            assert {answer.status for answer in answers} == {503}
            assert all(answer.headers["retry-after"] for answer in answers)
            assert server.get("/read", address=f"history:{wanted}").status == 503
            assert server.get("/search", query="tides").json["hits"]
            page = server.get("/in/docs/history")
            assert (page.status, b"being read for the first time" in page.body) == (200, True)
            assert server.get("/in/docs/history.json").status == 503
        while (answer := server.post("/history", {})).status == 503:
            continue
        assert answer.json["hits"][0]["path"] == wanted
        assert server.post("/search", asked["/search"]).status == 200


def test_many_who_write_at_once_lose_nothing(server: Server) -> None:
    before = server.get("/memories").json["total"]
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda number: kept(server, title="At once", text=f"Note {number}"), range(24)))
        added = list(pool.map(lambda number: server.post("/add", {"text": f"# {number}", "project": "many"}), range(8)))
    assert len({memory["id"] for memory in made}) == 24
    assert {memory["text"] for memory in made} == {f"Note {number}" for number in range(24)}
    assert server.get("/memories").json["total"] == before + 24
    assert [answer.status for answer in added] == [200] * 8
    assert len(server.get("/list", project="many").json) == 8


def test_without_a_repository_history_is_not_there(server: Server) -> None:
    answer = server.post("/history", {"query": "tides"})
    assert (answer.status, answer.media) == (404, "application/problem+json")


def test_a_memory_is_kept_while_there_is_no_index_yet(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {f"{number}.md": f"# {number}\n\nwords\n" * 50 for number in range(300)})
    with serving(root) as server:
        assert kept(server)["ref"].startswith("memories:")
        assert server.post("/recall", {"query": "quay"}).json["found"]


# What is refused


@pytest.mark.parametrize("path", WRITES | ASKS)
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Host": "evil.example"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Type": None},
    ],
)
def test_nothing_is_written_for_a_page_of_another_site(
    server: Server, path: str, headers: dict[str, str | None]
) -> None:
    before = server.get("/memories").json["total"], len(server.get("/list").json)
    answer = server.ask("POST", path, (WRITES | ASKS)[path], headers)
    assert answer.status in (403, 415, 421)
    assert (server.get("/memories").json["total"], len(server.get("/list").json)) == before


@pytest.mark.parametrize("path", LOOKS)
def test_pages_of_other_sites_see_nothing_of_it_either(server: Server, path: str) -> None:
    assert server.ask("GET", path, headers={"Sec-Fetch-Site": "cross-site"}).status == 403
    assert server.ask("GET", path, headers={"Origin": "http://evil.example"}).status == 403
    assert server.ask("GET", path, headers={"Host": "evil.example"}).status == 421


@pytest.mark.parametrize("path", [path for path in WRITES if path not in LOOKS])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_what_writes_is_a_post_and_nothing_else(server: Server, path: str, method: str) -> None:
    answer = server.ask(method, f"{path}?text=x&id=x&source=README.md")
    assert answer.status == 405
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize("path", WRITES | ASKS)
def test_a_body_that_is_too_large_or_odd_is_refused(server: Server, path: str) -> None:
    assert server.post(path, {"text": "x" * 5_000_000}).status == 413
    assert server.ask("POST", path, b"{").status == 400
    bodies: list[Any] = [[], "text", None, {"unknown": 1}, {"text": 1, "id": 1}, {"id": [1], "source": 5}]
    for body in bodies:
        assert server.ask("POST", path, b"null" if body is None else body).status == 422
    assert server.ask("POST", path, b'{"text": "\\ud800"}').status in (400, 422)
    assert server.ask("POST", path, b"[" * 100_000).status in (400, 422)


@pytest.mark.parametrize(
    "source",
    [
        "/etc/passwd",
        "../secret.md",
        "guide/../../secret.md",
        "out.md",
        "out/secret.md",
        ".env",
        "private.md",
        ".pinakes/library.db",
        "guide",
        "a\0b",
        "file:///etc/passwd",
        "ftp://example.org/a",
        "http://127.0.0.1:{port}/status",
        "http://localhost:{port}/status",
        "http://[::1]:{port}/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://169.254.169.254/",
        "http://10.0.0.1/",
        "gopher://127.0.0.1/",
    ],
)
def test_a_client_cannot_have_files_and_addresses_read_for_it(server: Server, source: str) -> None:
    answer = server.post("/add", {"source": source.format(port=server.port)})
    assert answer.status == 403, answer.body
    assert SECRET.encode() not in answer.body


@pytest.mark.parametrize(
    "name", ["../../secret", "..", ".", "/etc/passwd", "memories:../x", ".trash/x", "a\0b", "a\\b", "con"]
)
def test_a_name_that_is_no_memory_touches_nothing(server: Server, name: str) -> None:
    for path in ("/forget", "/restore", "/archive"):
        assert server.post(path, {"id": name}).status == 404
    assert server.post("/append", {"id": name, "text": "x"}).status == 404
    assert server.get("/get", id=name).status == 404
    assert server.post("/drop", {"id": [name]}).status == 404


def test_what_cannot_be_kept_is_refused_in_words(server: Server) -> None:
    for path, body in {
        "/remember": {"text": " \n "},
        "/add": {"text": "both", "source": "README.md"},
        "/merge": {"id": [kept(server, title="Same")["id"]] * 2, "title": "x"},
        "/update": {"id": kept(server, title="Nothing")["id"]},
    }.items():
        answer = server.post(path, body)
        assert (answer.status, answer.media) == (409, "application/problem+json"), (path, answer.body)
        assert answer.json["next_step"]
    assert server.post("/remember", {"text": "x", "type": "rumour"}).status == 422
    assert server.post("/remember", {"text": "x", "review_by": "2026-02-30"}).status == 422
    assert server.post("/add", {"text": "x", "project": "../x"}).status == 422


def test_a_token_is_asked_for_before_anything_is_written(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", PAGES)
    with serving(root, token="a-long-enough-token-for-tests") as server:
        for path, body in WRITES.items():
            assert server.ask("POST", path, body, {"Authorization": None}).status == 401
            assert server.ask("POST", path, body, {"Authorization": "Bearer wrong"}).status == 401
        assert not (root / ".memories").exists()


def test_with_fetching_switched_off_nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            self.wfile.write(b"words of a page")

        def log_message(self, format: str, *arguments: object) -> None:
            return

    with HTTPServer(("127.0.0.1", 0), Page) as elsewhere:
        thread = threading.Thread(target=elsewhere.serve_forever)
        thread.start()
        monkeypatch.setenv("PINAKES_ADDED_ALLOW", "127.0.0.1")
        source = {"source": f"http://127.0.0.1:{elsewhere.server_port}/page"}
        try:
            for switch, status in (("false", 403), ("true", 200)):
                monkeypatch.setenv("PINAKES_ADDED_FETCH", switch)
                with serving(write_tree(tmp_path / switch, PAGES)) as server:
                    assert server.post("/add", source).status == status
                    assert asked == ([] if status == 403 else ["/page"])
        finally:
            elsewhere.shutdown()
            thread.join()
