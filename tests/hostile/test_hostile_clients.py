"""Clients that want too much: parameters, headers and bodies without end, connections that ask nothing, sessions and
streams by the hundred. Each is refused with a sentence, and others are answered."""

from __future__ import annotations

import contextlib
import json
import logging
import re
import select
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.http import PAGES, Server, serving
from kits.trees import write_tree
from kits.waiting import HANG_S, until
from pinakes.serve.log_summary import SummaryHandler

FEW = 1024
"""Descriptors, which is what most systems give a process."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tree(tmp_path_factory.mktemp("wanted") / "docs", PAGES)


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[Server]:
    with serving(root) as running:
        assert running.get("/search", query="tides").status == 200
        yield running
        assert running.process.poll() is None, "the server died"
        assert running.get("/search", query="tides").status == 200
        assert "Traceback" not in "".join(running.said)


def limited(soft: int, hard: int) -> tuple[str, ...]:
    """A command that starts another with so many descriptors."""
    return ("sh", "-c", f'ulimit -S -n {soft} && ulimit -H -n {hard} && exec "$@"', "sh")


DOORS = [
    "/search",
    "/read",
    "/map",
    "/health",
    "/events",
    "/mcp",
    "/",
    "/in/docs/",
    "/in/docs/search",
    "/static/page.js",
]


@pytest.mark.parametrize("path", DOORS)
@pytest.mark.parametrize(
    "names",
    [
        "&".join(f"n{number}" for number in range(12_000)),
        "&".join(["path=a"] * 8_000),
        "&" * 60_000,
        "&".join(f"tag={number}" for number in range(501)),
    ],
    ids=lambda names: names[:10],
)
def test_parameters_without_end_are_refused_at_every_door(server: Server, path: str, names: str) -> None:
    answer = server.ask("GET", f"{path}?{names}")
    assert (answer.status, answer.media) == (400, "application/problem+json")
    assert "parameters" in answer.json["detail"]


def test_parameters_of_a_few_full_lists_are_taken(server: Server) -> None:
    answer = server.get("/search", query="tides", path=["**"] * 100, tag=["sea"] * 100, lang=["en"] * 100, anyway=True)
    assert answer.status == 200


@pytest.mark.parametrize("path", ["/search", "/mcp", "/in/docs/"])
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("A: b\r\n" * 200, 431),
        ("Cookie: a=b\r\n" * 150, 431),
        (f"Cookie: {'a=b; ' * 5_000}\r\n", 431),
        (f"Accept: {'text/html, ' * 3_000}\r\n", 431),
        (f"If-None-Match: {'x,' * 9_000}\r\n", 431),
        (f"Authorization: Basic {'A' * 20_000}\r\n", 431),
    ],
    ids=lambda value: str(value)[:12],
)
def test_headers_without_end_are_refused_at_every_door(server: Server, path: str, more: str, expected: int) -> None:
    said = server.raw(f"GET {path} HTTP/1.1\r\nHost: {server.authority}\r\n{more}\r\n".encode())
    assert said.startswith(f"HTTP/1.1 {expected} ".encode())
    assert b'"detail"' in said


def test_addresses_without_end_are_refused(server: Server) -> None:
    for target, known in (("/" + "a" * 20_000, (414,)), ("/search?query=" + "a" * 300_000, (400, 414))):
        assert server.ask("GET", target).status in known


BODIES = {
    "keys": json.dumps({f"k{number}": 0 for number in range(1_100)}),
    "values": json.dumps({"tag": [0] * 30_000}),
    "empty lists": '{"tag": [' + ",".join(["[]"] * 20_000) + "]}",
    "depth": '{"a":' * 40 + "1" + "}" * 40,
    "open": "[" * 40,
    "digits": '{"limit": ' + "9" * 1_900_000 + "}",
    "fraction": '{"min_score": 0.' + "1" * 1_900_000 + "}",
    "quotes": '"' + '\\"' * 900_000 + "{" * 100,
    "wide letters": json.dumps({"a": [[]]}).encode("utf-16").decode("latin-1"),
}


@pytest.mark.parametrize("path", ["/search", "/add", "/mcp"])
@pytest.mark.parametrize("kind", BODIES)
def test_bodies_with_too_much_in_them_are_refused_before_they_are_parsed(server: Server, path: str, kind: str) -> None:
    accept = {"Accept": "application/json, text/event-stream"}
    answer = server.ask("POST", path, BODIES[kind].encode("latin-1"), accept)
    assert answer.status == 400
    if kind != "quotes":
        assert answer.json["detail"].startswith(("A body", "A number", "The body"))


def test_a_batch_of_requests_is_no_way_around(server: Server) -> None:
    accept = {"Accept": "application/json, text/event-stream"}
    one = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for count in (2, 200, 10_000):
        assert server.ask("POST", "/mcp", [one] * count, accept).status == 400


def test_bodies_that_are_held_at_once_have_a_limit_together(server: Server) -> None:
    head = f"POST /search HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\n"
    most = b'{"query": "' + b"a" * 1_900_000
    with contextlib.ExitStack() as stack:
        held = []
        for _ in range(70):
            (one,) = ask_all(server, stack, f"{head}Content-Length: 1999999\r\nExpect: 100-continue\r\n\r\n", 1)
            assert one.recv(4096).startswith(b"HTTP/1.1 100")
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                one.sendall(most)
            held.append(one)
        answered, _, _ = select.select(held, [], [], HANG_S)
        assert answered[0].recv(4096).startswith(b"HTTP/1.1 503")
        assert server.get("/health").status == 200
    until(lambda: server.post("/search", {"query": "tides"}).status == 200, "the server lets go of the bodies")


@pytest.mark.parametrize("media", ["application/json", "text/plain"])
def test_a_body_in_crumbs_is_not_read_to_its_end(server: Server, media: str) -> None:
    head = f"POST /search HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: {media}\r\n"
    crumbs = b"1\r\na\r\n" * 50_000
    said = server.raw(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + crumbs)
    assert said[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 415", b"")
    assert b"HTTP/1.1 422" not in said
    with contextlib.closing(server.connect()) as connection:
        lines = (f'{{"query":\r\n"tides"}}{" " * 40}\r\n'.encode() for _ in range(1))
        connection.request("POST", "/search", lines, {"Content-Type": "application/json"}, encode_chunked=True)
        assert connection.getresponse().status == 200


def test_a_text_full_of_signs_is_a_text(server: Server) -> None:
    text = '{"a": [[[' * 9_000 + "9" * 1_000
    answer = server.post("/remember", {"text": f"# Signs\n\n{text}", "title": "Signs"})
    assert answer.status == 200


def test_a_key_without_end_is_refused(server: Server) -> None:
    assert server.post("/search", {"query": "x", "k" * 1_900_000: 1}).status == 422


def statuses(connections: list[socket.socket]) -> Counter[bytes]:
    return Counter(connection.recv(4096).split(b" ", 2)[1] for connection in connections)


def ask_all(server: Server, stack: contextlib.ExitStack, request: str, count: int) -> list[socket.socket]:
    """The connections that asked; nobody reads an answer before all have asked."""
    connections = [
        stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=20)) for _ in range(count)
    ]
    for connection in connections:
        connection.sendall(request.encode())
    return connections


def test_a_burst_of_listeners_gets_as_many_streams_as_there_are(server: Server) -> None:
    with contextlib.ExitStack() as stack:
        asked = ask_all(server, stack, f"GET /events HTTP/1.1\r\nHost: {server.authority}\r\n\r\n", 700)
        assert statuses(asked) == {b"200": 512, b"503": 188}
        assert server.get("/status").json["streams"] == 512
        assert server.get("/health").status == 200


def rpc(method: str, params: object, **more: str) -> tuple[bytes, dict[str, str]]:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    return body, {"Accept": "application/json, text/event-stream", **more}


def test_subscriptions_are_counted(server: Server) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    }
    params = {"_meta": meta, "notifications": {"resourcesListChanged": True}}
    body, headers = rpc("subscriptions/listen", params)
    headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen", "Host": server.authority}
    headers |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    request = "POST /mcp HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    with contextlib.ExitStack() as stack:
        asked = ask_all(server, stack, f"{request}\r\n{body.decode()}", 600)
        heard = Counter(b"event-stream" in connection.recv(4096) for connection in asked)
        assert heard == {True: 512, False: 88}
        assert server.get("/health").status == 200


def test_sessions_that_nobody_ends_lock_nobody_out(server: Server) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    opened = []
    with contextlib.closing(server.connect()) as connection:
        for _ in range(1_005):
            body, headers = rpc("initialize", hello)
            connection.request("POST", "/mcp", body, {**headers, "Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200
            opened.append(answer.headers["mcp-session-id"])
    body, headers = rpc("tools/list", {})
    assert server.ask("POST", "/mcp", body, {**headers, "mcp-session-id": opened[0]}).status == 404
    assert server.ask("POST", "/mcp", body, {**headers, "mcp-session-id": opened[-1]}).status == 200


def test_idle_connections_keep_nobody_out_where_descriptors_are_few(root: Path) -> None:
    with serving(root, prelude=limited(FEW, FEW)) as server, contextlib.ExitStack() as stack:
        for number in range(1_100):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=20))
            if number % 3:
                one.sendall(b"GET /search HTTP/1.1\r\nHost:"[: number % 28])
        assert server.get("/health").json == {"status": "ok"}
        assert server.get("/search", query="tides").status == 200
        assert len("".join(server.said)) < 2_000


def test_health_is_answered_while_every_connection_is_busy(root: Path) -> None:
    with serving(root, prelude=limited(128, 128)) as server, contextlib.ExitStack() as stack:
        assert server.get("/search", query="tides").status == 200
        head = f"POST /search HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\n"
        head += "Content-Length: 100\r\nExpect: 100-continue\r\n\r\n"
        heard = [b""]
        while not heard[-1].startswith(b"HTTP/1.1 503"):  # else the server waits for the body, which never comes
            assert len(heard) < 128
            heard.append(ask_all(server, stack, head, 1)[0].recv(4096))
        assert server.get("/health").json == {"status": "ok"}
        refused = server.get("/search", query="tides")
        assert (refused.status, refused.json["detail"]) == (503, "There are too many connections.")
        assert "retry-after" in refused.headers


def test_a_server_takes_as_many_descriptors_as_it_may(root: Path) -> None:
    with serving(root, prelude=limited(256, 4096)) as server:
        limits = Path(f"/proc/{server.process.pid}/limits").read_text(encoding="ascii")
        (line,) = (line for line in limits.splitlines() if line.startswith("Max open files"))
        assert line.split()[3:5] == ["4096", "4096"]


def test_a_log_tells_once_what_repeats_itself(capsys: pytest.CaptureFixture[str]) -> None:
    handler = SummaryHandler()
    log = logging.Logger("asyncio")
    log.addHandler(handler)
    for number in range(1_235):
        log.error("socket.accept() out of system resource\nsocket: <fd=%d>", number)
    log.error("something \x1b[31melse")
    for number in range(5_000):
        log.error("%s", "kind" + "x" * number)
    handler.close()
    said = capsys.readouterr().err
    assert said.count("out of system resource") == 2
    assert re.search(r"… 1,234 more like this in \d+ s: socket.accept\(\) out of system resource", said)
    assert "something \\x1b[31melse" in said
    assert len(said) < 50_000
