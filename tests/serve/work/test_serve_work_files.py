"""Files of a workspace over HTTP: listed, searched, opened, saved, reviewed, committed; web pages in the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.git import Repo
from kits.work import FILES, Working, listening, working


def test_all_files_are_listed_with_their_kind_in_both_modes(work: Working) -> None:
    listed = {one["path"]: one["kind"] for one in work.get("files")}
    assert listed == {
        "docs/harbour.md": "document",
        "docs/plan.svg": "drawing",
        "docs/tides.md": "document",
        "pinakes.toml": "other",
        "src/crane.py": "code",
    }
    work.post("mode", mode="docs")
    assert {one["path"]: one["kind"] for one in work.get("files")} == listed


def test_lines_of_files_are_found_in_both_modes(work: Working) -> None:
    wanted = {"matches": [{"path": "src/crane.py", "line": 1, "text": "def lift(tonnes):"}], "is_cut": False}
    for mode in ("code", "docs"):
        work.post("mode", mode=mode)
        assert work.get("grep", q="LIFT(") == wanted
        assert work.get("grep", q="LIFT(", case=True)["matches"] == []
        assert work.get("grep", q=r"^def \w+\(", regex=True) == wanted
    refused = work.server.get("/work/grep", q="(", regex=True)
    assert refused.status == 400 and "regular expression" in refused.json["detail"]
    assert work.server.get("/work/grep").status == 422


def test_a_file_is_opened_and_saved_and_the_next_prompt_has_it(work: Working, repository: Path) -> None:
    opened = work.get("file", path="docs/plan.svg")
    assert opened["media"] == "image/svg+xml" and opened["text"] == FILES["docs/plan.svg"]
    changed = opened["text"].replace("Crane", "Winch")
    with listening(work.server) as news:
        saved = work.server.ask("PUT", "/work/file", {**named(opened), "text": changed})
        assert saved.status == 200
        assert news.until("changed")[1]["paths"] == ["docs/plan.svg"]
    assert (repository / "docs/plan.svg").read_text() == changed
    assert saved.json["digest"] == work.get("file", path="docs/plan.svg")["digest"] != opened["digest"]
    work.post("selection", paths=["docs/plan.svg"])
    work.ask("What is drawn?")
    assert "Winch" in str(work.provider.asked[-1].body)

    conflict = work.server.ask("PUT", "/work/file", {**named(opened), "text": "lost"})
    assert (conflict.status, conflict.json["detail"]) == (409, "docs/plan.svg has been changed meanwhile.")
    assert (repository / "docs/plan.svg").read_text() == changed
    back = {"path": "docs/plan.svg", "digest": saved.json["digest"], "text": opened["text"]}
    assert work.server.ask("PUT", "/work/file", back).status == 200


def named(opened: dict[str, str]) -> dict[str, str]:
    return {"path": opened["path"], "digest": opened["digest"]}


def test_the_largest_file_that_is_opened_can_be_saved(work: Working, repository: Path) -> None:
    (repository / "large.txt").write_text("\x1b" * 3_999_999)
    opened = work.get("file", path="large.txt")
    saved = work.server.ask("PUT", "/work/file", {**named(opened), "text": f"{opened['text']}!"})
    assert saved.status == 200, saved.body
    assert (repository / "large.txt").stat().st_size == 4_000_000
    more = {**named(saved.json), "text": "x" * 4_000_001}
    assert work.server.ask("PUT", "/work/file", more).status == 422
    (repository / "large.txt").unlink()


def test_only_a_long_text_makes_a_body_large(work: Working) -> None:
    assert work.server.ask("PUT", "/work/file", [0] * 1_000_000).status == 413
    assert work.server.post("/work/ask", {"question": "x" * 2_000_000}).status == 413


def test_a_new_file_is_made_once(work: Working, repository: Path) -> None:
    new = {"path": "docs/new.md", "text": "# New\n", "digest": ""}
    assert work.server.ask("PUT", "/work/file", new).json["digest"]
    assert work.server.ask("PUT", "/work/file", new).status == 409
    (repository / "docs/new.md").unlink()


@pytest.mark.parametrize("path", ["../x.md", "/tmp/x.md", ".env", ".git/config", "a\0b", "C:/x.md", "x/../../y"])
def test_nothing_hidden_or_outside_is_opened_or_saved(work: Working, path: str) -> None:
    assert work.server.get("/work/file", path=path).status in (404, 422)
    assert work.server.ask("PUT", "/work/file", {"path": path, "text": "x", "digest": ""}).status == 422


def test_only_a_file_that_somebody_else_changed_is_a_conflict(work: Working, repository: Path) -> None:
    opened = work.get("file", path="docs/tides.md")
    refused = work.server.ask("PUT", "/work/file", {**named(opened), "text": "no\0text"})
    assert (refused.status, refused.json["detail"]) == (422, "The text for docs/tides.md holds signs that are no text.")
    assert work.server.ask("PUT", "/work/file", {**named(opened), "text": "x", "digest": "another"}).status == 409


def test_a_web_page_is_fetched_by_the_rules_of_add(work: Working) -> None:
    for url, status in (("http://127.0.0.1:1/", 403), ("file:///etc/passwd", 403), ("docs/tides.md", 403)):
        assert work.server.post("/work/fetch", {"url": url}).status == status
    assert work.server.post("/work/forget-url", {"url": "https://example.org/"}).status == 404


def test_a_fetched_page_stands_in_the_prompt_until_it_is_forgotten(repository: Path, page: str) -> None:
    with working(repository, environment={"PINAKES_ADDED_ALLOW": "127.0.0.1"}) as work:
        fetched = work.post("fetch", url=page)
        assert fetched["url"] == page and fetched["tokens"] > 0
        assert work.get("state")["urls"] == [page]
        work.ask("What does it say?")
        assert "Gulls nest on cranes" in str(work.provider.asked[-1].body)
        work.post("forget-url", url=page)
        work.ask("And now?")
        assert "Gulls nest on cranes" not in str(work.provider.asked[-1].body)


def test_changes_are_reviewed_put_into_the_prompt_and_committed(tmp_path: Path, repository: Path) -> None:
    made = Repo(tmp_path / "harbour")
    made.commit("First", FILES)
    (made.folder / "docs/tides.md").write_text("# Tides\n\nNeap tides are weak.\n")
    ada = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
    with working(made.folder, ["Tell of neap tides"], environment=ada) as work:
        review = work.get("review")
        assert [one["path"] for one in review["changes"]] == ["docs/tides.md"]
        assert review["changes"][0]["after"] == "# Tides\n\nNeap tides are weak.\n" and review["tokens"] > 0
        assert work.post("review", on=True, range="") == {"on": True, "range": ""}
        assert work.get("state")["review"] == {"on": True, "range": ""}
        work.ask("Is it good?")
        assert "+Neap tides are weak." in str(work.provider.asked[-1].body)
        assert work.post("commit/message") == {"message": "Tell of neap tides"}
        done = work.post("commit", message="Tell of neap tides", paths=["docs/tides.md"])
        assert len(done["commit"]) == 40
        assert work.get("review")["changes"] == []
        assert work.server.post("/work/commit/message", {}).status == 404
        assert work.server.get("/work/review", range="--output=/tmp/x").status in (400, 404)


@pytest.fixture
def page() -> Iterator[str]:
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from threading import Thread

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"# Gulls\n\nGulls nest on cranes.\n"
            self.send_response(200)
            self.send_header("Content-Type", "text/markdown")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/gulls.md"
        server.shutdown()
        thread.join()
