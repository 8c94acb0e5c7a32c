"""Who may come into a workspace: tokens, tickets, other sites, and what works without a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.http import PAGES, serving
from kits.trees import write_tree
from kits.waiting import until
from kits.work import FILES, Working, listening, working
from pinakes.serve.work.routes import ROUTES

BODIES = {
    "mode": {"mode": "code"},
    "edits/preview": {"exchange": "x"},
    "edits/apply": {"exchange": "x"},
    "sessions/resume": {"id": "x"},
    "fetch": {"url": "https://example.org/"},
    "forget-url": {"url": "https://example.org/"},
    "commit": {"message": "x", "paths": []},
    "file": {"path": "x.md", "text": "", "digest": ""},
}
PATHS = [*((one.method, f"/work/{one.path}") for one in ROUTES), ("POST", "/work/ask"), ("GET", "/work/events")]


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_every_path_asks_for_the_token(work: Working, method: str, path: str) -> None:
    body = BODIES.get(path.removeprefix("/work/"), {}) if method != "GET" else None
    for shown, status in ((None, 401), ("Bearer wrong-token-of-somebody", 401)):
        answer = work.server.ask(method, path, body, {"Authorization": shown})
        assert answer.status in (status, 429), (path, answer.body)
        assert answer.media == "application/problem+json"


def test_pages_of_other_sites_are_not_answered(work: Working) -> None:
    for headers in ({"Origin": "https://evil.invalid"}, {"Sec-Fetch-Site": "cross-site"}):
        for path in ("/work/ask", "/work/mode", "/work/edits/apply"):
            assert work.server.ask("POST", path, BODIES.get(path[6:], {"question": "x"}), headers).status == 403
        assert work.server.ask("GET", "/work/state", None, headers).status == 403
        assert work.server.ask("GET", "/work/events", None, headers).status == 403
    assert work.server.ask("GET", "/work/state", None, {"Host": "evil.invalid"}).status == 421


def test_the_page_comes_without_a_token_and_may_do_little(work: Working) -> None:
    page = work.server.ask("GET", "/work", None, {"Authorization": None})
    assert page.status == 200 and page.media == "text/html"
    assert "script-src 'self'" in page.headers["content-security-policy"]
    for name, media in (("work.js", "text/javascript"), ("entry.js", "text/javascript"), ("work.css", "text/css")):
        found = work.server.ask("GET", f"/work/static/{name}", None, {"Authorization": None})
        assert (found.status, found.media) == (200, media)
        again = work.server.ask("GET", f"/work/static/{name}", None, {"If-None-Match": found.headers["etag"]})
        assert again.status == 304
    for name in ("page.html", "..%2f..%2fpage.py", "nothing.js"):
        assert work.server.get(f"/work/static/{name}").status == 404


def test_a_wrong_ticket_opens_nothing(work: Working) -> None:
    refused = work.server.ask("POST", "/work/enter", {"ticket": "x"}, {"Authorization": None})
    assert refused.status == 403 and "token" not in refused.json


def test_the_browser_is_opened_with_a_ticket_that_is_good_once(repository: Path, tmp_path: Path) -> None:
    told = tmp_path / "address"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {told}.part && mv {told}.part {told}\n')
    browser.chmod(0o755)
    with serving(repository, verb="work", environment={"BROWSER": f"{browser} %s"}) as server:
        until(told.exists, "the browser was opened")
        address, _, ticket = told.read_text().partition("#ticket=")
        assert address == f"http://127.0.0.1:{server.port}/work" and ticket
        assert server.headers["Authorization"].removeprefix("Bearer ") not in told.read_text()
        entered = server.ask("POST", "/work/enter", {"ticket": ticket}, {"Authorization": None})
        assert f"Bearer {entered.json['token']}" == server.headers["Authorization"]
        assert server.ask("POST", "/work/enter", {"ticket": ticket}, {"Authorization": None}).status == 403


def test_serve_has_no_workspace(tmp_path: Path) -> None:
    write_tree(tmp_path, dict(PAGES))
    with serving(tmp_path) as server:
        for path in ("/work", "/work/state", "/work/static/work.js", "/work/events"):
            assert server.get(path).status == 404
        assert server.post("/work/ask", {"question": "x"}).status == 404


def test_a_workspace_is_the_library_too(work: Working) -> None:
    assert work.server.get("/search", query="tides").json["hits"]
    assert work.server.get("/health").status == 200


def test_everything_but_the_conversation_works_without_a_key(tmp_path: Path) -> None:
    write_tree(tmp_path, dict(FILES))
    without = {"PINAKES_WORK_ENDPOINT": "", "OPENAI_API_KEY": ""}
    with working(tmp_path, environment=without) as work:
        state = work.get("state")
        assert not state["conversation"]["available"] and state["conversation"]["reason"]
        work.post("mode", mode="docs")
        work.post("selection", paths=["docs/tides.md"])
        assert work.get("context")["tokens"] > 0
        assert work.get("grep", q="water")["matches"]
        opened = work.get("file", path="docs/tides.md")
        body = {"path": opened["path"], "digest": opened["digest"], "text": "# Tides\n"}
        assert work.server.ask("PUT", "/work/file", body).status == 200
        assert work.post("edits/undo") == {"changed": ["docs/tides.md"]}
        refused = work.server.post("/work/ask", {"question": "Are you there?"})
        assert refused.status == 502 and refused.json["detail"]
        assert work.get("messages")[0]["text"] == "Switched to document mode"
        assert work.server.post("/work/compact", {}).status == 502


@pytest.mark.parametrize("body", [{"mode": "poetry"}, {"mode": 7}, {}, {"mode": "docs", "more": 1}, [], "docs"])
def test_what_is_no_request_is_refused(work: Working, body: object) -> None:
    assert work.server.post("/work/mode", body).status in (400, 422)
    assert work.server.ask("DELETE", "/work/mode").status == 405


def test_the_head_of_the_event_stream_leaves_nothing_open(work: Working) -> None:
    assert work.server.ask("HEAD", "/work/events").status == 405
    with listening(work.server) as news:
        assert news.heard[0][0] == "hello"
