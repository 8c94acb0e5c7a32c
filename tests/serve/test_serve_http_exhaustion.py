"""Requests made to wear a server out: each is answered or refused, and another client's search is answered."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest

from kits.http import PAGES, Server, serving
from kits.trees import write_tree
from kits.waiting import until


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = write_tree(tmp_path_factory.mktemp("worn") / "docs", PAGES | {"many.md": "# Many\n" * 2000})
    with serving(root) as running:
        assert running.get("/search", query="tides").status == 200
        yield running
        assert running.process.poll() is None, "the server died"
        assert running.get("/search", query="tides").status == 200


@pytest.mark.parametrize("limit", ["-1", "0", "101", "1000000000", "ten", "9" * 400, "1e3", "", "NaN", "0x10", "٣"])
def test_a_limit_out_of_range_is_refused(server: Server, limit: str) -> None:
    assert server.get("/search", query="tides", limit=limit).status == 422


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"query"',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"query": "x", "limit": ' + b"9" * 400 + b"}",
        b'{"query": "x", "limit": "5"}',
        b'{"query": "x", "limit": 1.5}',
        b'{"query": "x", "limit": true}',
        b'{"query": "x", "min_score": NaN}',
        b'{"query": "x", "min_score": Infinity}',
        b'{"query": "x", "min_score": 1e999}',
        b'{"query": "\\ud800"}',
        b'{"query": "\xff"}',
        b'{"query": null}',
        b'{"query": ""}',
        b'{"query": "x", "unknown": 1}',
        b'{"query": "x", "tag": "one"}',
        b'{"query": "x", "kind": ["nonsense"]}',
        b'{"query": "' + b"a" * 10_001 + b'"}',
        b'{"query": "x", "tag": [' + b",".join([b'"a"'] * 1000) + b"]}",
        b"\x00" * 1000,
        "{'query': 'x'}".encode("utf-16"),
    ],
    ids=lambda body: ascii(body)[:30],
)
@pytest.mark.parametrize("path", ["/search", "/search/stream"])
def test_a_body_that_is_not_what_a_search_takes_is_refused(server: Server, path: str, body: bytes) -> None:
    answer = server.ask("POST", path, body)
    assert answer.status in (400, 422)
    assert answer.media == "application/problem+json"


@pytest.mark.parametrize("path", ["/search", "/mcp"])
@pytest.mark.parametrize("size", [2_000_001, 20_000_000])
def test_a_body_that_is_too_large_is_refused(server: Server, path: str, size: int) -> None:
    assert server.ask("POST", path, b'"' + b"a" * size + b'"').status == 413


def test_a_body_that_grows_in_pieces_is_refused_all_the_same(server: Server) -> None:
    head = f"POST /search HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\n"
    piece = b"10000\r\n" + b"a" * 65_536 + b"\r\n"
    said = server.raw(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + piece * 60 + b"0\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 413")


def test_a_length_said_twice_is_refused(server: Server) -> None:
    head = f"POST /search HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\n"
    body = b'{"query":"tides"}'
    for lengths in (
        "Content-Length: 17\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 17\r\nContent-Length: 5\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 0x11\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
    ):
        said = server.raw(f"{head}{lengths}\r\n".encode() + b"11\r\n" + body + b"\r\n0\r\n\r\n", timeout=3)
        assert said[:10] == b"HTTP/1.1 4", lengths
        assert b"200 OK" not in said


@pytest.mark.parametrize(
    "query",
    [
        '"' * 3000,
        "(" * 3000,
        "AND OR NOT * ? ~ ^ : \\ / { } [ ] " * 100,
        "-" * 3999,
        "-a " * 1300,
        "path:" * 700,
        "tag:x " * 600,
        "(a+)+$" * 600,
        "a" * 4000,
        " ".join(str(number) for number in range(800)),
        "*" * 4000,
        "\u200f\u202e" * 2000,
        "\x1b]0;x\x07" * 500,
        "é" * 4000,
        "path:" + "*" * 500,
        "path:" + "**/" * 300,
        "path:" + "[" * 500,
    ],
    ids=lambda query: ascii(query)[:20],
)
@pytest.mark.parametrize("profile", ["balanced", "thorough"])
def test_a_question_made_of_signs_or_words_without_end_is_answered(server: Server, query: str, profile: str) -> None:
    answer = server.post("/search", {"query": query, "profile": profile, "anyway": True})
    assert answer.status in (200, 400)


def test_ten_thousand_terms_and_long_filters_are_refused(server: Server) -> None:
    assert server.post("/search", {"query": "term " * 10_000}).status == 422
    assert server.post("/search", {"query": "x", "path": ["*" * 501]}).status == 422
    assert server.post("/search", {"query": "x", "hypothesis": "y" * 10_001}).status == 422


@pytest.mark.parametrize(
    "pattern", ["*" * 200, "**/" * 150, "[" * 400, "?" * 499, "{a,b}" * 90, "(a+)+" * 90, "!" * 400]
)
def test_a_filter_made_of_wildcards_is_answered(server: Server, pattern: str) -> None:
    assert server.post("/search", {"query": "tides", "path": [pattern] * 50, "anyway": True}).status in (200, 400)


def test_headers_of_two_hundred_thousand_bytes_are_refused(server: Server) -> None:
    head = f"GET /health HTTP/1.1\r\nHost: {server.authority}\r\n"
    for more in (f"X-Long: {'a' * 200_000}\r\n", "X-Many: a\r\n" * 20_000, f"Cookie: {'b' * 200_000}\r\n"):
        said = server.raw(f"{head}{more}\r\n".encode())
        assert said[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 431", b"")
    assert server.raw(f"GET /{'a' * 200_000} HTTP/1.1\r\n\r\n".encode())[:12] in (b"HTTP/1.1 400", b"")


def answers(server: Server) -> bool:
    return server.get("/search", query="tides").status == 200


def test_two_hundred_half_open_connections_hold_nobody(server: Server) -> None:
    with contextlib.ExitStack() as stack:
        for number in range(200):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=5))
            connection.sendall((b"", b"GET /hea", b"POST /search HTTP/1.1\r\nHost:")[number % 3])
        assert answers(server)


def test_two_hundred_idle_event_streams_hold_nobody(server: Server) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            connection = stack.enter_context(contextlib.closing(HTTPConnection("127.0.0.1", server.port, timeout=10)))
            connection.request("GET", "/events", headers={"Host": server.authority})
            assert connection.getresponse().status == 200
        assert server.get("/status").json["streams"] == 200
        assert answers(server)
    until(lambda: not server.get("/status").json["streams"], "streams end with their listeners")


def test_a_body_that_never_ends_holds_nobody(server: Server) -> None:
    head = f"POST /search HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\n"
    head += "Content-Length: 100\r\n\r\n"
    with contextlib.ExitStack() as stack:
        for _ in range(50):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=5))
            connection.sendall(head.encode() + b"{")
        assert answers(server)


def test_a_client_that_does_not_read_holds_nobody(server: Server) -> None:
    head = f"GET /map?budget=0 HTTP/1.1\r\nHost: {server.authority}\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        for _ in range(30):
            connection = stack.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            connection.connect(("127.0.0.1", server.port))
            connection.sendall(head * 20)
        assert answers(server)


def test_nothing_that_is_no_request_stops_the_server(server: Server) -> None:
    for data in (
        b"\0" * 1000,
        b"\x16\x03\x01\x02\x00\x01",
        b"GET\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\r\n" * 1000,
    ):
        assert b"Traceback" not in server.raw(data, timeout=0.5)
    upgrade = f"GET /events HTTP/1.1\r\nHost: {server.authority}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    assert b"101" not in server.raw(upgrade.encode(), timeout=0.5)[:20]
    assert answers(server)
