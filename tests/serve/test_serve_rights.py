"""Who may ask what: every door, with tokens of every scope and of other libraries, over a real server and database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from kits.http import PAGES, Answer, Server, read, serving
from kits.mcp import ENVELOPE, HELLO
from kits.store import migrated_database
from kits.trees import write_tree
from kits.waiting import until
from pinakes import open as open_library
from pinakes.access import TokenScope
from pinakes.access.access_log import read_access_log
from pinakes.access.tokens import TokenTable
from pinakes.serve.http.rights import REQUESTS, needed
from pinakes.serve.mcp.tools import PRESETS, TOOLS

SEEN, UNSEEN = "harbour", "garden"
"""A token of few libraries sees the first and not the second."""
BODIES: Mapping[tuple[str, str], dict[str, Any]] = {
    ("GET", "/search"): {"query": "crane"},
    ("POST", "/search"): {"query": "crane"},
    ("POST", "/query_documents"): {"query": "crane"},
    ("POST", "/search/stream"): {"query": "crane", "profile": "fast"},
    ("POST", "/query_documents_stream"): {"query": "crane", "profile": "fast"},
    ("POST", "/history"): {"query": "crane"},
    ("GET", "/read"): {"address": "README.md"},
    ("GET", "/links"): {"address": "README.md"},
    ("POST", "/recall"): {"query": "crane"},
    ("POST", "/remember"): {"text": "A note."},
    ("POST", "/update"): {"id": "nothing", "text": "x"},
    ("POST", "/append"): {"id": "nothing", "text": "x"},
    ("POST", "/archive"): {"id": "nothing"},
    ("POST", "/forget"): {"id": "nothing"},
    ("POST", "/restore"): {"id": "nothing"},
    ("POST", "/merge"): {"id": ["nothing", "more"], "title": "x"},
    ("POST", "/add"): {"text": "# Added", "title": "Added"},
    ("POST", "/drop"): {"id": ["nothing"]},
    ("GET", "/get"): {"id": "nothing"},
    ("POST", "/model"): {"name": "no such model"},
}
"""What a route has to be given, where that is something."""
VIEWS: tuple[str, ...] = (
    "search?query=crane",
    "search.json?query=crane",
    "map",
    "map.json",
    "graph.json",
    "history",
    "memories",
    "files",
)
VIEWS += (
    "files.json",
    "manage",
    "manage.json",
    "read/README.md",
    "read/README.md.json",
    "raw/README.md",
    "branch/guide",
)
VIEWS += ("progress.json",)
TOOL_ARGUMENTS: Mapping[str, dict[str, Any]] = {
    "search": {"query": "crane"},
    "read": {"address": "README.md"},
    "links": {"address": "README.md"},
    "remember": {"text": "By a tool."},
    "context": {"mode": "docs"},
}
PEERS = count(2)


class Bearer:
    """A client with a token, at an address of its own: wrong tokens are counted by address."""

    def __init__(self, server: Server, token: str, peer: str = "127.0.0.1") -> None:
        self.server, self.token, self.peer = server, token, peer

    def ask(self, method: str, path: str, body: object = None, **more: str) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.server.port, timeout=60, source_address=(self.peer, 0))
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= {"Content-Type": "application/json"} if body is not None else {}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), {**headers, **more})
            return read(connection.getresponse())
        finally:
            connection.close()

    def of(self, library: str, method: str, path: str) -> Answer:
        """A route, asked for a library with what it has to be given."""
        given = {**BODIES.get((method, path), {}), "library": library}
        if method == "GET":
            return self.ask("GET", f"{path}?{urlencode(given)}")
        return self.ask(method, path, given)


@pytest.fixture(scope="module")
def table() -> TokenTable:
    return TokenTable(migrated_database())


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("rights")
    return write_tree(folder / SEEN, PAGES), write_tree(folder / UNSEEN, PAGES)


@pytest.fixture(scope="module")
def server(roots: tuple[Path, Path]) -> Iterator[Server]:
    url = migrated_database().url
    for root in roots:
        with open_library(root, {"store": url}) as library:
            library.sync()
    with serving(*roots, environment={"PINAKES_STORE_URL": url}) as running:
        running.headers.clear()
        yield running


def made(table: TokenTable, scope: TokenScope, *libraries: str) -> str:
    return table.create(f"token {next(PEERS)}", scope, libraries or None, None)[0]


@pytest.fixture(scope="module")
def tokens(table: TokenTable) -> Mapping[tuple[TokenScope, str], str]:
    """Of every scope: one that sees all libraries, one that sees the first, and one that sees neither."""
    reaches = {"all": (), "one": (SEEN,), "none": ("elsewhere",)}
    return {(scope, reach): made(table, scope, *names) for scope in TokenScope for reach, names in reaches.items()}


def sees(reach: str, library: str) -> bool:
    return reach == "all" or (reach == "one" and library == SEEN)


def refused_tokens(table: TokenTable) -> Mapping[str, str]:
    expired, revoked = made(table, TokenScope.ADMIN), made(table, TokenScope.ADMIN)
    with migrated_database().transaction() as connection:
        connection.execute("UPDATE tokens SET expires = now() WHERE id = %s", (expired.split("_")[1],))
    table.revoke(revoked.split("_")[1])
    wrong = made(table, TokenScope.ADMIN)
    return {"none": "", "wrong": f"{wrong[:-3]}xyz", "other": "no-token-at-all", "expired": expired, "revoked": revoked}


def routes(server: Server, token: str) -> list[tuple[str, str]]:
    paths = Bearer(server, token).ask("GET", "/openapi.json").json["paths"]
    return [(method.upper(), path) for path, methods in paths.items() for method in methods]


def test_every_route_stands_in_the_table(server: Server, tokens: Mapping[tuple[TokenScope, str], str]) -> None:
    found = set(routes(server, tokens[TokenScope.READ, "all"]))
    assert found - set(REQUESTS) == {("GET", "/health"), ("GET", "/ready"), ("GET", "/events"), ("GET", "/metrics")}
    assert set(REQUESTS) <= found
    assert set(BODIES) <= found


@pytest.mark.parametrize("scope", TokenScope)
@pytest.mark.parametrize("reach", ["all", "one", "none"])
def test_every_route_is_open_to_the_tokens_it_is_for_and_to_no_others(
    server: Server, tokens: Mapping[tuple[TokenScope, str], str], scope: TokenScope, reach: str
) -> None:
    client = Bearer(server, tokens[scope, reach])
    every = client.of("*", "GET", "/search").json.get("hits", ())
    assert {hit["library"] for hit in every} == {name for name in (SEEN, UNSEEN) if sees(reach, name)}
    wrong = []
    for method, path in REQUESTS:
        for library in (SEEN, UNSEEN):
            answer = client.of(library, method, path)
            needs = needed(method, path)
            assert needs is not None
            if not scope.covers(needs):
                is_right = answer.status == 403 and needs.value in answer.json["detail"]
            elif not sees(reach, library):
                is_right = answer.status == 404 and "There is no library" in answer.json["detail"]
                others = {SEEN, UNSEEN} - ({SEEN} if reach == "one" else set()) - {library}
                is_right = is_right and not any(name.encode() in answer.body for name in others)
            else:
                is_right = answer.status not in (401, 403) and b"There is no library" not in answer.body
                is_right = is_right and (
                    answer.status == 200 or needs is not TokenScope.READ or path in ("/history", "/get")
                )
            if not is_right:
                wrong.append((method, path, library, answer.status, answer.body[:300]))
    assert not wrong


def test_no_other_token_opens_any_route(server: Server, table: TokenTable) -> None:
    for kind, token in refused_tokens(table).items():
        for method, path in [*REQUESTS, ("GET", "/events"), ("GET", "/metrics"), ("GET", "/openapi.json")]:
            client = Bearer(server, token, f"127.0.1.{next(PEERS) % 250 + 2}")
            answer = client.of(SEEN, method, path)
            assert (answer.status, kind) == (401, kind), (method, path)
        detail = answer.json["detail"]
        assert {"expired": "expired", "revoked": "revoked", "none": "asks for its token"}.get(
            kind, "not the token"
        ) in detail
        page = client.ask("GET", f"/in/{SEEN}/search")
        assert page.status == 401
        assert client.ask("POST", "/mcp", {}).status == 401
        assert client.ask("GET", "/static/page.css").status == 401
    assert Bearer(server, "").ask("GET", "/health").status == 200
    assert Bearer(server, "").ask("GET", "/ready").json == {"status": "ready"}


@pytest.mark.parametrize("reach", ["all", "one", "none"])
def test_every_view_of_the_page_is_there_for_who_sees_the_library(
    server: Server, tokens: Mapping[tuple[TokenScope, str], str], reach: str
) -> None:
    client = Bearer(server, tokens[TokenScope.READ, reach])
    for library in (SEEN, UNSEEN):
        for view in VIEWS:
            answer = client.ask("GET", f"/in/{library}/{view}", Accept="text/html")
            assert (answer.status, view) == (200 if sees(reach, library) else 404, view), answer.body
            hidden = [name for name in (SEEN, UNSEEN) if not sees(reach, name) and name != library]
            assert not any(f"/in/{name}".encode() in answer.body for name in hidden), view
    everywhere = client.ask("GET", "/everywhere.json?query=crane")
    names = [name for name in (SEEN, UNSEEN) if sees(reach, name)]
    assert (everywhere.status, sorted(everywhere.json) if names else []) == (200 if names else 404, sorted(names))
    home = client.ask("GET", "/")
    assert home.status == (303 if names else 404)


@pytest.mark.parametrize("reach", ["all", "one", "none"])
def test_what_lists_libraries_lists_those_of_the_token(
    server: Server, tokens: Mapping[tuple[TokenScope, str], str], reach: str
) -> None:
    client = Bearer(server, tokens[TokenScope.READ, reach])
    names = [name for name in (SEEN, UNSEEN) if sees(reach, name)]
    metrics = client.ask("GET", "/metrics").body.decode()
    assert [name for name in (SEEN, UNSEEN) if f'library="{name}"' in metrics] == names
    assert "pinakes_requests_total" in metrics
    if names:
        assert client.ask("GET", "/status").json["libraries"] == names
    every = client.ask("GET", "/search?library=*&query=crane")
    found = {hit["library"] for hit in every.json["hits"]} if every.status == 200 else set()
    assert (every.status, sorted(found)) == (200 if names else 404, sorted(names))
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", "/events", headers={"Authorization": f"Bearer {client.token}"})
    stream = connection.getresponse()
    hello = b""
    while not hello.endswith(b"\n\n"):
        hello += stream.readline()
    assert json.loads(hello.split(b"data: ")[1])["libraries"] == names
    connection.close()


def spoken(client: Bearer, method: str, params: Mapping[str, object], era: str) -> dict[str, Any]:
    """The answer to a message of MCP in one of its eras."""
    asked: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params)}
    headers = {"Accept": "application/json, text/event-stream"}
    if era == "later":
        asked["params"]["_meta"] = ENVELOPE
        named = str(params.get("name") or params.get("uri") or "")
        headers |= {
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": method,
            **({"Mcp-Name": named} if named else {}),
        }
    else:
        headers["MCP-Protocol-Version"] = "2025-11-25"
    answer = client.ask("POST", "/mcp", asked, **headers)
    assert answer.status in (200, 400, 404), answer.body
    lines = [line.removeprefix(b"data: ") for line in answer.body.splitlines() if line.startswith((b"data: {", b"{"))]
    found: dict[str, Any] = json.loads(lines[-1])
    return found


@pytest.mark.parametrize("era", ["handshake", "later"])
@pytest.mark.parametrize("reach", ["all", "one", "none"])
def test_every_tool_is_open_to_the_tokens_it_is_for_and_to_no_others(
    server: Server, tokens: Mapping[tuple[TokenScope, str], str], era: str, reach: str
) -> None:
    for scope in TokenScope:
        client = Bearer(server, tokens[scope, reach])
        for tool in PRESETS["few"]:
            for library in (SEEN, UNSEEN):
                given = {"name": tool, "arguments": {**TOOL_ARGUMENTS.get(tool, {}), "library": library}}
                answer = spoken(client, "tools/call", given, era)["result"]
                text = answer["content"][0]["text"]
                if not scope.covers(TOOLS[tool].request.needs):
                    assert "asks for a token that may write" in text, (tool, text)
                elif not sees(reach, library):
                    assert "There is no library" in text, (tool, text)
                    assert not (reach == "none" and SEEN in text.replace(library, "")), (tool, text)
                else:
                    assert "There is no library" not in text, (tool, text)
                    assert not answer.get("isError") or tool == "history", (tool, text)


@pytest.mark.parametrize("era", ["handshake", "later"])
@pytest.mark.parametrize("reach", ["all", "one", "none"])
def test_the_rest_of_the_protocol_knows_the_libraries_of_the_token_alone(
    server: Server, tokens: Mapping[tuple[TokenScope, str], str], era: str, reach: str
) -> None:
    client = Bearer(server, tokens[TokenScope.READ, reach])
    names = [name for name in (SEEN, UNSEEN) if sees(reach, name)]
    listed = json.dumps(spoken(client, "tools/list", {}, era)["result"])
    assert [name for name in (SEEN, UNSEEN) if f'"{name}"' in listed] == (names if len(names) > 1 else [])
    resources = spoken(client, "resources/list", {}, era)["result"]["resources"]
    assert sorted({one["uri"].split("/")[2] for one in resources}) == sorted(names)
    for library in (SEEN, UNSEEN):
        answer = spoken(client, "resources/read", {"uri": f"pinakes://{library}/README.md"}, era)
        assert ("result" in answer) == sees(reach, library)
        asked = {"ref": {"type": "ref/resource", "uri": "pinakes://{library}/{+path}"}}
        completed = spoken(
            client,
            "completion/complete",
            {**asked, "argument": {"name": "path", "value": "R"}, "context": {"arguments": {"library": library}}},
            era,
        )
        assert ("result" in completed) == sees(reach, library)
    asked = {"ref": {"type": "ref/resource", "uri": "pinakes://{library}/{+path}"}}
    completed = spoken(client, "completion/complete", {**asked, "argument": {"name": "library", "value": ""}}, era)
    assert sorted(completed["result"]["completion"]["values"]) == sorted(names)
    prompt = spoken(client, "prompts/get", {"name": "summarise", "arguments": {"address": "README.md"}}, era)
    assert ("result" in prompt) == bool(names)
    if reach == "one":
        assert f"pinakes://{UNSEEN}" not in json.dumps(prompt)


def test_a_handshake_opens_no_session_so_that_any_server_can_answer_the_next_request(
    server: Server, tokens: Mapping[tuple[TokenScope, str], str]
) -> None:
    client = Bearer(server, tokens[TokenScope.READ, "one"])
    begun = client.ask(
        "POST",
        "/mcp",
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        Accept="application/json, text/event-stream",
    )
    assert begun.status == 200
    assert "mcp-session-id" not in begun.headers
    refused = spoken(client, "resources/subscribe", {"uri": f"pinakes://{SEEN}/README.md"}, "handshake")
    assert "keeps no sessions" in refused["error"]["message"]


def test_a_revoked_token_is_refused_within_seconds_and_its_streams_end(server: Server, table: TokenTable) -> None:
    token = made(table, TokenScope.READ, SEEN)
    client = Bearer(server, token, "127.0.2.2")
    assert client.ask("GET", "/search?query=crane").status == 200
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", "/events", headers={"Authorization": f"Bearer {token}"})
    stream = connection.getresponse()
    assert stream.readline().startswith(b"id:")
    table.revoke(token.split("_")[1])
    stream.read()  # ends; else it would go on for ever, and the time is out
    connection.close()
    assert client.ask("GET", "/search?query=crane").status == 401


def logged() -> set[tuple[str, ...]]:
    rows = read_access_log(migrated_database(), None, 10_000)
    return {(one.token, one.action, one.object, one.library, one.result) for one in rows}


def test_writes_and_refusals_are_logged_without_any_token(server: Server, table: TokenTable) -> None:
    writer, reader = made(table, TokenScope.WRITE, SEEN), made(table, TokenScope.READ, SEEN)
    note = Bearer(server, writer).of(SEEN, "POST", "/remember").json["ref"]
    assert Bearer(server, reader).of(SEEN, "POST", "/remember").status == 403
    called = {"name": "remember", "arguments": {"text": "x", "library": SEEN}}
    spoken(Bearer(server, reader), "tools/call", called, "later")
    assert Bearer(server, f"{reader[:-3]}abc", "127.0.3.3").ask("GET", "/map").status == 401
    wanted = {
        (writer.split("_")[1], "remember", note, SEEN, "done"),
        (reader.split("_")[1], "POST /remember", "", "", "scope"),
        (reader.split("_")[1], "POST /mcp remember", "", "", "scope"),
        ("", "GET /map", "", "", "unknown"),
    }
    until(lambda: wanted <= logged(), "all of it is logged")
    said = migrated_database().ask("SELECT string_agg(access_log::text, ' ') FROM pinakes.access_log")[0][0]
    assert not any(token.split("_", 2)[2] in said for token in (writer, reader))


def test_wrong_tokens_are_slowed_and_right_ones_never(
    server: Server, tokens: Mapping[tuple[TokenScope, str], str]
) -> None:
    right = tokens[TokenScope.READ, "all"]
    with ExitStack() as stack:
        connections = [
            stack.enter_context(closing(HTTPConnection("127.0.0.1", server.port, source_address=("127.0.4.4", 0))))
            for _ in range(40)
        ]
        for number, one in enumerate(connections):
            one.request("GET", "/map", headers={"Authorization": f"Bearer {right[:-2]}{number:02d}"})
        assert Bearer(server, right, "127.0.4.4").ask("GET", "/map").status == 200
        statuses = [one.getresponse().status for one in connections]
    assert set(statuses) == {401, 429}
    assert statuses.count(429) >= 10
