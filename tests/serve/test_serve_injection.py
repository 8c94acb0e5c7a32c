"""SQL through every text of every door: none of it reaches the database as a statement, and no error of it is shown.

`PINAKES_FUZZ_EXAMPLES=1000` tries so many texts for each parameter; here a few are tried.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kits.http import PAGES, Server, serving
from kits.store import migrated_database
from kits.trees import write_tree
from pinakes import open as open_library
from pinakes.access import TokenScope
from pinakes.access.tokens import TokenTable
from pinakes.serve.cli import commands
from pinakes.serve.http.rights import REQUESTS
from pinakes.serve.mcp.tools import PRESETS, TOOLS
from pinakes.serve.requests.parameters import Doors, parameters

EXAMPLES = int(os.environ.get("PINAKES_FUZZ_EXAMPLES", "0"))
NASTY = (
    "'; DROP TABLE pinakes.tokens; --",
    "' OR '1'='1",
    "'||(SELECT hash FROM pinakes.tokens LIMIT 1)||'",
    "1; DELETE FROM pinakes.indexes; COMMIT; --",
    "\\'; SELECT pg_terminate_backend(pg_backend_pid()); --",
    "%s %(name)s %% $1 :name ?",
    "' UNION SELECT secret, NULL FROM pinakes.access_log --",
    '"; DROP SCHEMA pinakes CASCADE; --',
    "$$; DROP TABLE pinakes.all_files; $$",
    "E'\\x27; SET search_path = public; --",
    "crane') ; TRUNCATE pinakes.tokens; --",
    "\x00'; DROP TABLE pinakes.tokens; --",
    "ʼ＇; DROP TABLE pinakes.tokens; --",
    "/* ' */ crane -- \n; DROP TABLE pinakes.tokens",
    "{1,2}'::int[]; --",
    "{'a': 1}",
)
TOLD = ("syntax error", "psycopg", "sqlstate", "unterminated", "invalid input", "pg_catalog")
"""What an error of the database would say. None of the documents does."""
BODIES: Mapping[str, dict[str, Any]] = {
    "/search": {"query": "crane"},
    "/query_documents": {"query": "crane"},
    "/search/stream": {"query": "crane", "profile": "fast"},
    "/query_documents_stream": {"query": "crane", "profile": "fast"},
    "/merge": {"id": ["one", "two"], "title": "x"},
    "/update": {"id": "nothing", "text": "x"},
    "/append": {"id": "nothing", "text": "x"},
}
texts = st.one_of(
    st.sampled_from(NASTY),
    st.text(max_size=60),
    st.builds(lambda text, nasty: f"{text}{nasty}", st.text(max_size=20), st.sampled_from(NASTY)),
    st.text("'\"\\;-$%()/* \x00\x01\ud7ff", max_size=20),
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_tree(tmp_path_factory.mktemp("injection") / "docks", PAGES)
    with open_library(root, {"store": migrated_database().url}) as library:
        library.sync()
    return root


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[Server]:
    url = migrated_database().url
    token, _ = TokenTable(migrated_database()).create("injection", TokenScope.ADMIN, None, None)
    with serving(root, environment={"PINAKES_STORE_URL": url, "PINAKES_ADDED_FETCH": "false"}) as running:
        running.headers = {"Authorization": f"Bearer {token}"}
        yield running


def state() -> list[tuple[Any, ...]]:
    """What a statement that came in from outside would have changed: the tables, who may ask, what is indexed."""
    ask = migrated_database().ask
    tables = ask(
        "SELECT nspname, relname, relkind::text FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace"
        " WHERE nspname IN ('pinakes', 'public') ORDER BY 1, 2, 3"
    )
    rows = ask("SELECT id, name, scope, libraries, expires, revoked, hash FROM pinakes.tokens ORDER BY id")
    indexes = ask("SELECT id, library, corpus FROM pinakes.indexes ORDER BY id")
    return [*tables, *rows, *indexes]


@pytest.fixture(autouse=True)
def nothing_is_changed(server: Server) -> Iterator[None]:
    server.post("/remember", {"text": "So that there is an index of memories."})
    server.post("/recall", {"query": "index"})
    before = state()
    yield
    after = state()
    assert [one for one in before if one not in after] == []
    assert [one for one in after if one not in before and one[-1] != "memories" and one[-1] != "added"] == []
    said = "".join(server.said).lower()
    assert not any(told in said for told in TOLD), server.said


def check(status: int, body: bytes, sent: object) -> None:
    assert status not in (500, 503), (sent, body)
    said = body.decode("utf-8", "replace").lower()
    for told in TOLD:
        assert told not in said.replace(str(sent).lower(), "") or told in str(sent).lower(), (sent, body)


def text_parameters() -> list[tuple[str, str, str, bool]]:
    """Method, path, name and whether it is a list, of every text that a route takes."""
    return [
        (method, path, one.name, one.is_many)
        for (method, path), kind in REQUESTS.items()
        for one in parameters(kind, Doors.HTTP).values()
        if issubclass(one.base, str)
    ]


def send(server: Server, method: str, path: str, given: Mapping[str, Any]) -> None:
    if method == "GET":
        query = urlencode({name: _encoded(value) for name, value in given.items()}, doseq=True)
        answer = server.ask("GET", f"{path}?{query}")
    else:
        answer = server.ask("POST", path, json.dumps(given).encode())
    check(answer.status, answer.body, given)


def _encoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_encoded(one) for one in value]
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value


def test_no_parameter_of_a_route_is_a_statement(server: Server) -> None:
    nasty = cycle(NASTY)
    for method, path, name, is_many in text_parameters():
        for text in islice(nasty, len(NASTY) if EXAMPLES else 2):
            send(server, method, path, {**BODIES.get(path, {}), name: [text] if is_many else text})


@pytest.mark.timeout(3600 if EXAMPLES else 120)
@settings(max_examples=EXAMPLES or 40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.sampled_from(text_parameters()), texts)
def test_no_made_up_text_is_a_statement(server: Server, one: tuple[str, str, str, bool], text: str) -> None:
    method, path, name, is_many = one
    send(server, method, path, {**BODIES.get(path, {}), name: [text] if is_many else text})


def test_no_path_header_or_library_is_a_statement(server: Server) -> None:
    for number, text in enumerate(NASTY):
        named = quote(text.encode("utf-8", "surrogatepass"), safe="")
        for path in (f"/in/{named}/search", f"/in/docks/read/{named}", f"/in/docks/map/{named}", f"/{named}"):
            answer = server.ask("GET", path)
            check(answer.status, answer.body, text)
            assert answer.status in (400, 404, 307, 405), path
        plain = text.encode("ascii", "ignore").decode().replace("\n", " ").replace("\x00", "")
        for shown in (plain, f"pinakes_{plain[:12]}_{plain}", f"pinakes_aaaaaaaaaaaa_{plain[:43].ljust(43, 'a')}"):
            # Wrong tokens are counted by address, and slowed after five.
            connection = HTTPConnection("127.0.0.1", server.port, source_address=(f"127.0.5.{number + 2}", 0))
            connection.request("GET", "/map", headers={"Authorization": f"Bearer {shown}"})
            assert connection.getresponse().status == 401, shown
            connection.close()


def test_no_argument_of_a_tool_is_a_statement(server: Server) -> None:
    nasty = cycle(NASTY)
    required = {"search": {"query": "crane"}, "remember": {"text": "x"}, "context": {"mode": "docs"}}
    for tool in PRESETS["few"]:
        rows = [one for one in parameters(TOOLS[tool].request, Doors.MCP).values() if issubclass(one.base, str)]
        for name in ["library", *(one.name for one in rows)]:
            for text in islice(nasty, len(NASTY) if EXAMPLES else 2):
                given = {**required.get(tool, {}), name: text}
                asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
                asked["params"] = {"name": tool, "arguments": given}
                headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
                answer = server.ask("POST", "/mcp", json.dumps(asked).encode(), headers)
                check(answer.status, answer.body, given)
    for method, name in (("resources/read", "uri"), ("resources/list", "cursor"), ("tools/call", "name")):
        for text in NASTY:
            asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {name: text, "arguments": {}}}
            answer = server.ask("POST", "/mcp", json.dumps(asked).encode(), headers)
            check(answer.status, answer.body, text)


@pytest.mark.parametrize(
    "words",
    [
        ("search",),
        ("read",),
        ("links",),
        ("map",),
        ("history",),
        ("recall",),
        ("search", "crane", "--path"),
        ("search", "crane", "--tag"),
        ("search", "crane", "--author"),
        ("search", "crane", "--linked-to"),
        ("search", "crane", "--corpus"),
        ("map", "--focus"),
        ("check", "--only"),
        ("list", "--project"),
        ("get",),
    ],
    ids=" ".join,
)
def test_no_word_of_a_command_is_a_statement(
    root: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINAKES_STORE_URL", migrated_database().url)
    for text in NASTY if EXAMPLES else NASTY[:6]:
        if "\x00" not in text:  # which no argument can hold
            done = CliRunner().invoke(commands, [*words, text, "--root", str(root)])
            assert done.exit_code in (0, 1, 2), done.output
            check(200, done.output.encode("utf-8", "replace"), text)


def test_no_word_about_tokens_is_a_statement() -> None:
    url = migrated_database().url
    before = state()
    for text in NASTY:
        for words in (
            ["create", text, "--library", "x"],
            ["create", "fine", "--library", text, "--expires", "1m"],
            ["create", "fine", "--library", "x", "--expires", text],
            ["revoke", text],
        ):
            done = CliRunner().invoke(commands, ["token", *words, "--store", url])
            assert done.exit_code in (0, 1, 2), (words, done.output)
            check(200, done.output.encode("utf-8", "replace"), text)
            if done.exit_code == 0:
                assert words[0] == "create"
                CliRunner().invoke(commands, ["token", "revoke", "fine", "--store", url])
        done = CliRunner().invoke(commands, ["log", "--store", url, "--since", text])
        assert done.exit_code == 2
    with migrated_database().transaction() as connection:
        connection.execute("DELETE FROM tokens WHERE name = 'fine'")
    assert state() == before
