"""Who may write: on loopback every user of the machine reaches the server, and only its own user knows the token."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kits.http import PAGES, Server, serving
from kits.mcp import ENVELOPE, HELLO
from kits.trees import write_tree
from pinakes.access import TokenScope
from pinakes.errors import ConfigError
from pinakes.serve.http.rights import REQUESTS
from pinakes.serve.kept_token import kept_token
from pinakes.user_folders import data_path

NOBODY = {"Authorization": None}
NOTE = {"text": "Cranes are oiled in May."}
OURS = "a-token-of-our-own"
MANY = 40


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tree(tmp_path_factory.mktemp("served") / "harbour", PAGES)


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[Server]:
    with serving(root) as running:
        yield running


def routes(server: Server) -> Iterator[tuple[str, str]]:
    for path, methods in server.get("/openapi.json").json["paths"].items():
        for method in methods:
            yield method.upper(), path


def test_every_route_that_does_not_merely_read_asks_for_the_token(server: Server) -> None:
    closed = {
        (method, path)
        for method, path in routes(server)
        if path != "/events" and server.ask(method, path, {} if method == "POST" else None, NOBODY).status == 401
    }
    reading = {path for (_, path), request in REQUESTS.items() if request.needs is TokenScope.READ}
    writing = {(method, path) for method, path in routes(server) if method == "POST" and path not in reading}
    assert closed == writing | {("GET", "/updates")}
    names = (
        "remember",
        "update",
        "append",
        "archive",
        "forget",
        "restore",
        "merge",
        "add",
        "drop",
        "updates",
        "sync",
        "model",
    )
    assert {path for _, path in closed} == {f"/{name}" for name in names}
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert server.ask(method, "/remember", None, NOBODY).status == 401


def test_without_the_token_one_reads_and_with_it_one_writes(server: Server) -> None:
    assert server.ask("GET", "/search?query=crane", None, NOBODY).status == 200
    assert server.ask("POST", "/search", {"query": "crane"}, NOBODY).status == 200
    assert server.ask("GET", "/in/harbour/search?query=crane", None, NOBODY).status == 200
    refused = server.ask("POST", "/remember", NOTE, NOBODY)
    assert refused.status == 401
    assert "pinakes token prints it" in refused.json["next_step"]
    assert refused.headers["www-authenticate"].startswith("Bearer")
    assert server.post("/remember", NOTE).json["title"] == "Cranes are oiled in May."
    assert server.ask("GET", "/trash", None, {"Authorization": "Bearer wrong"}).status == 401


def call(server: Server, tool: str, headers: Mapping[str, str | None], **arguments: object) -> dict[str, Any]:
    """A tool's result over streamable HTTP, by a session of the older era."""
    asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    return spoken(server, asked, {**session(server), **headers})


def session(server: Server) -> dict[str, str | None]:
    """The headers of a session that was begun with the token."""
    accepts = {"Accept": "application/json, text/event-stream"}
    begun = server.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}, accepts)
    assert begun.status == 200, begun.body
    headers: dict[str, str | None] = {**accepts, "Mcp-Session-Id": begun.headers["mcp-session-id"]}
    server.ask("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers)
    return headers


def spoken(server: Server, asked: object, headers: Mapping[str, str | None]) -> dict[str, Any]:
    answer = server.ask("POST", "/mcp", asked, headers)
    assert answer.status == 200, answer.body
    lines = [line.removeprefix(b"data: ") for line in answer.body.splitlines() if line.startswith((b"data: {", b"{"))]
    result: dict[str, Any] = json.loads(lines[-1])["result"]
    return result


def test_a_tool_that_writes_asks_for_the_token_with_every_call(server: Server) -> None:
    assert not call(server, "search", NOBODY, query="crane").get("isError")
    refused = call(server, "remember", NOBODY, text="By nobody.")
    assert refused["isError"]
    assert "pinakes token prints the token" in refused["content"][0]["text"]
    assert not call(server, "remember", {}, text="By a client.").get("isError")
    titles = [one["title"] for one in server.get("/memories").json["memories"]]
    assert "By a client." in titles
    assert "By nobody." not in titles


def test_a_tool_that_writes_asks_for_the_token_without_a_session_too(server: Server) -> None:
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "remember", "arguments": {"text": "Later era."}, "_meta": ENVELOPE},
    }
    headers: dict[str, str | None] = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "remember",
    }
    assert spoken(server, asked, {**headers, **NOBODY})["isError"]
    assert not spoken(server, asked, headers).get("isError")


def test_the_token_is_kept_for_its_user_alone(server: Server, root: Path) -> None:
    place = data_path("serve.token")
    assert place is not None
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert kept_token() == place.read_text().strip()
    with serving(root) as again:  # the same one
        assert again.headers == server.headers
        assert again.post("/remember", NOTE).status == 200


def test_the_command_prints_the_token_and_makes_another(new_user: Path) -> None:
    def printed(*words: str) -> str:
        command = [sys.executable, "-P", "-m", "pinakes", "token", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    first = printed()
    assert len(first) > 32
    assert printed("--header") == f"Authorization: Bearer {first}"
    assert printed("--new") != first
    place = new_user / ".local/share/pinakes/serve.token"
    place.chmod(0o644)
    with pytest.raises(ConfigError, match="others can read it"):
        kept_token()
    os.replace(place, new_user / "elsewhere")
    place.symlink_to(new_user / "elsewhere")
    with pytest.raises(ConfigError, match="is a link"):
        kept_token()


def test_where_no_token_can_be_kept_one_reads_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.delenv("HOME")
    with pytest.raises(ConfigError, match="no home"):
        kept_token()
    with serving(root) as server:
        assert server.said[0].startswith("pinakes: Nobody can write here. There is no home to keep a token in.")
        assert server.get("/search", query="crane").status == 200
        assert server.post("/remember", NOTE).status == 401


def test_a_token_of_the_user_covers_reading(root: Path) -> None:
    with serving(root, token=OURS) as server:
        assert server.ask("GET", "/search?query=crane", None, NOBODY).status == 401
        assert server.get("/search", query="crane").status == 200
        assert server.post("/remember", NOTE).status == 200


def test_everybody_may_write_when_the_user_says_so(root: Path) -> None:
    with serving(root, options=("--no-token",)) as server:
        assert server.ask("POST", "/remember", NOTE, NOBODY).status == 200
        assert not call(server, "remember", NOBODY, text="By anybody.").get("isError")


def test_a_token_and_none_cannot_both_be_asked_for(root: Path) -> None:
    command = [sys.executable, "-P", "-m", "pinakes", "serve", str(root), "--no-token", "--token", OURS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.partition(".")[0]) == (2, "pinakes: --no-token was given, and a token is set")


def test_wrong_tokens_are_slowed_and_the_right_one_never(server: Server) -> None:
    head = f"POST /drop HTTP/1.1\r\nHost: {server.authority}\r\nAuthorization: Bearer %d\r\nContent-Length: 0\r\n\r\n"
    connections = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(MANY)]
    try:
        for number, connection in enumerate(connections):
            connection.sendall((head % number).encode())
        assert server.post("/remember", NOTE).status == 200
        statuses = [int(connection.recv(65_536).split()[1]) for connection in connections]
    finally:
        for connection in connections:
            connection.close()
    assert set(statuses) == {401, 429}
    # Five are free, eight are held back at a time, all others are turned away at once.
    assert statuses.count(429) >= MANY // 4
    assert server.post("/remember", NOTE).status == 200
