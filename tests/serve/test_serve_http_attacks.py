"""What must be refused, and what must survive: each a request to a real server, with the refusal expected of it."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote

import pytest

from http_kit import PAGES, Server, serving
from kit import write_tree

SECRET = "the-secret-outside"
TOKEN = "a-long-enough-token-for-tests"
GET_ROUTES = (
    "/health",
    "/status",
    "/search?query=tides",
    "/map",
    "/events",
    "/openapi.json",
    "/metrics",
    "/nothing",
    "/",
)
POST_ROUTES = ("/search", "/search/stream", "/query_documents", "/mcp")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("attacked")
    root = write_tree(folder / "docs", PAGES | {".env": SECRET, ".git/config": SECRET, "many.md": "# Many\n" * 2000})
    write_tree(folder, {"docs-evil/secret.md": SECRET, "secret.md": SECRET})
    (root / "out.md").symlink_to(folder / "secret.md")
    (root / "out").symlink_to(folder / "docs-evil")
    with serving(root) as running:
        assert running.get("/search", query="tides").status == 200
        yield running
        assert running.process.poll() is None, "the server died"
        assert running.get("/search", query="tides").status == 200


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = write_tree(tmp_path_factory.mktemp("locked") / "docs", PAGES)
    with serving(root, token=TOKEN) as running:
        yield running


# Browser and network


@pytest.mark.parametrize("path", [*GET_ROUTES, *POST_ROUTES])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "",
        "0.0.0.0:{port}",
        "127.0.0.1.evil.example:{port}",
        "localhost.evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "user@127.0.0.1:{port}",
        "127.0.0.1:{port}@evil.example",
        "127.0.0.1:{port},evil.example",
        "127.0.0.2:{port}",
        "[::]:{port}",
        "2130706433:{port}",
    ],
)
def test_a_foreign_host_is_refused_on_every_route(server: Server, path: str, host: str) -> None:
    method, body = ("POST", {"query": "tides"}) if path in POST_ROUTES else ("GET", None)
    assert server.ask(method, path, body, {"Host": host.format(port=server.port)}).status == 421


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
def test_the_names_of_loopback_are_taken(server: Server, host: str) -> None:
    assert server.ask("GET", "/health", headers={"Host": host.format(port=server.port)}).status == 200


def test_two_hosts_or_none_are_refused(server: Server) -> None:
    for headers in ("", f"Host: {server.authority}\r\nHost: evil.example\r\n"):
        assert server.raw(f"GET /health HTTP/1.1\r\n{headers}\r\n".encode()).startswith(b"HTTP/1.1 400")
    assert server.raw(b"GET /health HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 421")
    assert b"200 OK" not in server.raw(
        b"GET http://evil.example/health HTTP/1.1\r\nHost: evil.example\r\n\r\n", timeout=1
    )


@pytest.mark.parametrize("path", [*GET_ROUTES, *POST_ROUTES])
@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "file://",
        "http://localhost.evil.example",
        "http://localhost.evil.example:{port}",
        "http://127.0.0.1:1",
        "http://localhost",
        "http://evil.example@127.0.0.1:{port}",
        "chrome-extension://abc",
    ],
)
def test_a_foreign_origin_is_refused_on_every_route_and_given_no_leave(server: Server, path: str, origin: str) -> None:
    method, body = ("POST", {"query": "tides"}) if path in POST_ROUTES else ("GET", None)
    for answer in (
        server.ask(method, path, body, {"Origin": origin.format(port=server.port)}),
        server.ask(
            "OPTIONS", path, None, {"Origin": origin.format(port=server.port), "Access-Control-Request-Method": method}
        ),
    ):
        assert answer.status == 403
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_our_own_origin_is_answered_without_leave_for_others(server: Server) -> None:
    answer = server.ask("GET", "/search?query=tides", headers={"Origin": f"http://localhost:{server.port}"})
    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", [*GET_ROUTES, *POST_ROUTES])
@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
def test_a_request_from_another_site_s_page_is_refused(server: Server, path: str, site: str) -> None:
    method, body = ("POST", {"query": "tides"}) if path in POST_ROUTES else ("GET", None)
    assert server.ask(method, path, body, {"Sec-Fetch-Site": site}).status == 403


@pytest.mark.parametrize("path", POST_ROUTES)
@pytest.mark.parametrize(
    "media",
    [
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/json",
        "*/*",
    ],
)
def test_a_body_that_says_it_is_no_json_is_refused(server: Server, path: str, media: str | None) -> None:
    assert server.ask("POST", path, {"query": "tides"}, {"Content-Type": media}).status == 415


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *[("GET", path) for path in ("/search/stream", "/query_documents", "/query_documents_stream")],
        *[("POST", path) for path in ("/health", "/status", "/map", "/read", "/events")],
        *[(method, "/search") for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW")],
    ],
)
def test_a_method_that_a_route_does_not_take_is_told_so(server: Server, method: str, path: str) -> None:
    answer = server.ask(
        method, path, {} if method in ("POST", "PUT", "PATCH") else None, {"Content-Type": "application/json"}
    )
    assert (answer.status, answer.media) == (405, "application/problem+json")
    assert answer.headers["allow"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_it_does_not_start_off_loopback_without_a_token(tmp_path: Path, host: str) -> None:
    root = write_tree(tmp_path, PAGES)
    environment = {name: value for name, value in os.environ.items() if name != "PINAKES_TOKEN"}
    for token in ([], ["--token", ""], ["--token", "short"]):
        done = subprocess.run(
            [sys.executable, "-m", "pinakes", "serve", str(root), "--host", host, "--port", "0", *token],
            capture_output=True,
            text=True,
            timeout=30,
            env=environment,
        )
        assert (done.returncode, "token" in done.stderr) == (2, True)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("path", [*GET_ROUTES, *POST_ROUTES, f"/status?token={TOKEN}", f"/status?access_token={TOKEN}"])
@pytest.mark.parametrize(
    "shown",
    [
        None,
        "",
        "Bearer",
        "Bearer wrong",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        TOKEN,
        f"Token {TOKEN}",
        "Basic !",
        "Basic Og==",
    ],
)
def test_without_the_token_nothing_is_told(locked: Server, path: str, shown: str | None) -> None:
    method, body = ("POST", {"query": "tides"}) if path in POST_ROUTES else ("GET", None)
    answer = locked.ask(method, path, body, {"Authorization": shown})
    assert answer.status == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_with_the_token_everything_is_told(locked: Server) -> None:
    assert locked.get("/search", query="tides").status == 200
    assert locked.ask("GET", "/health", headers={"Authorization": f"bearer {TOKEN}"}).status == 200
    password = "OmEtbG9uZy1lbm91Z2gtdG9rZW4tZm9yLXRlc3Rz"
    assert locked.ask("GET", "/health", headers={"Authorization": f"Basic {password}"}).status == 200


# Paths


HOSTILE = [
    "../secret.md",
    "%2e%2e/secret.md",
    "%2e%2e%2fsecret.md",
    "%252e%252e%252fsecret.md",
    "..%c0%afsecret.md",
    "..%c1%9csecret.md",
    "..／secret.md",
    "..\\secret.md",
    "guide/../../secret.md",
    "./../secret.md",
    "\0",
    "README.md\0.txt",
    "/etc/passwd",
    "//etc/passwd",
    "file:///etc/passwd",
    "docs:../secret.md",
    "docs:/etc/passwd",
    "C:\\Windows\\win.ini",
    "c:/windows/win.ini",
    "a" * 4096,
    "../docs-evil/secret.md",
    "out.md",
    "out/secret.md",
    "/proc/self/environ",
    "../../../../../../proc/self/environ",
    "/dev/zero",
    ".env",
    ".git/config",
    ".pinakes/library.db",
    "~/.ssh/id_rsa",
    "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
]


@pytest.mark.parametrize("address", HOSTILE, ids=lambda address: ascii(address)[:40])
@pytest.mark.parametrize(
    "route", ["/read?address=", "/links?address=", "/map?under=", "/check?under=", "/search?query=x&linked_to="]
)
def test_a_path_that_leaves_the_root_or_is_hidden_is_not_there(server: Server, route: str, address: str) -> None:
    for written in {quote(address, safe=""), quote(address, safe="/%:")}:
        answer = server.get(route + written)
        # A hidden file may be the target of a link, so its name is known; nothing in it is.
        is_asset = address == ".env" and not route.startswith("/read")
        assert is_asset or 400 <= answer.status < 500, answer.body
        assert SECRET not in answer.body.decode()
        assert "root:" not in answer.body.decode()


@pytest.mark.parametrize("address", HOSTILE, ids=lambda address: ascii(address)[:40])
def test_a_path_in_the_url_itself_leads_nowhere(server: Server, address: str) -> None:
    for before in ("/", "/read/", "/static/", "/assets/", "/map/"):
        answer = server.get(before + quote(address, safe="/%:."))
        assert 400 <= answer.status < 500
        assert SECRET not in answer.body.decode()


def test_an_address_of_five_thousand_characters_is_refused(server: Server) -> None:
    assert server.get("/read", address="a/" * 2500).status == 422


def test_bytes_that_are_no_text_are_no_address(server: Server) -> None:
    for written in ("%ff%fe", "%00", "%ed%a0%80", "%e2%82"):
        assert 400 <= server.get(f"/read?address={written}").status < 500


def test_a_link_swapped_in_after_indexing_leads_nowhere(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", PAGES | {"swapped.md": "# Swapped\n\nBefore.\n", "sub/a.md": "# A\n"})
    write_tree(tmp_path, {"secret.md": SECRET, "elsewhere/a.md": SECRET})
    with serving(root) as server:
        assert server.get("/read", address="swapped.md").status == 200
        (root / "swapped.md").unlink()
        (root / "swapped.md").symlink_to(tmp_path / "secret.md")
        (root / "sub" / "a.md").unlink()
        (root / "sub").rmdir()
        (root / "sub").symlink_to(tmp_path / "elsewhere")
        until = time.monotonic() + 4
        while time.monotonic() < until:
            for path in (
                "/read?address=swapped.md",
                "/read?address=sub/a.md",
                "/search?query=secret%20outside&anyway=1",
            ):
                assert SECRET not in server.get(path).body.decode()


# Exhaustion


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
        b'{"query": "' + b"a" * 4001 + b'"}',
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
def test_a_question_made_of_signs_or_words_without_end_is_answered_in_time(
    server: Server, query: str, profile: str
) -> None:
    started = time.monotonic()
    answer = server.post("/search", {"query": query, "profile": profile, "anyway": True})
    assert answer.status in (200, 400)
    assert time.monotonic() - started < 10  # of a machine that is busy with other tests; a hang is longer


def test_ten_thousand_terms_and_long_filters_are_refused(server: Server) -> None:
    assert server.post("/search", {"query": "term " * 10_000}).status == 422
    assert server.post("/search", {"query": "x", "path": ["*" * 501]}).status == 422
    assert server.post("/search", {"query": "x", "hypothesis": "y" * 4001}).status == 422


@pytest.mark.parametrize(
    "pattern", ["*" * 200, "**/" * 150, "[" * 400, "?" * 499, "{a,b}" * 90, "(a+)+" * 90, "!" * 400]
)
def test_a_filter_made_of_wildcards_is_answered_in_time(server: Server, pattern: str) -> None:
    started = time.monotonic()
    assert server.post("/search", {"query": "tides", "path": [pattern] * 50, "anyway": True}).status in (200, 400)
    assert time.monotonic() - started < 10


def test_headers_of_two_hundred_thousand_bytes_are_refused(server: Server) -> None:
    head = f"GET /health HTTP/1.1\r\nHost: {server.authority}\r\n"
    for more in (f"X-Long: {'a' * 200_000}\r\n", "X-Many: a\r\n" * 20_000, f"Cookie: {'b' * 200_000}\r\n"):
        said = server.raw(f"{head}{more}\r\n".encode())
        assert said[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 431", b"")
    assert server.raw(f"GET /{'a' * 200_000} HTTP/1.1\r\n\r\n".encode())[:12] in (b"HTTP/1.1 400", b"")


def answers_soon(server: Server) -> bool:
    started = time.monotonic()
    return server.get("/search", query="tides").status == 200 and time.monotonic() - started < 2


def test_two_hundred_half_open_connections_hold_nobody(server: Server) -> None:
    with contextlib.ExitStack() as stack:
        for number in range(200):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=5))
            connection.sendall((b"", b"GET /hea", b"POST /search HTTP/1.1\r\nHost:")[number % 3])
        assert answers_soon(server)


def test_two_hundred_idle_event_streams_hold_nobody(server: Server) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            connection = stack.enter_context(contextlib.closing(HTTPConnection("127.0.0.1", server.port, timeout=10)))
            connection.request("GET", "/events", headers={"Host": server.authority})
            assert connection.getresponse().status == 200
        assert json.loads(server.get("/status").body)["streams"] == 200
        assert answers_soon(server)
    until = time.monotonic() + 10
    while json.loads(server.get("/status").body)["streams"]:
        assert time.monotonic() < until, "streams outlive their listeners"


def test_a_body_that_never_ends_holds_nobody(server: Server) -> None:
    head = f"POST /search HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\n"
    head += "Content-Length: 100\r\n\r\n"
    with contextlib.ExitStack() as stack:
        for _ in range(50):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=5))
            connection.sendall(head.encode() + b"{")
        assert answers_soon(server)


def test_a_client_that_does_not_read_holds_nobody(server: Server) -> None:
    head = f"GET /map?budget=0 HTTP/1.1\r\nHost: {server.authority}\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        for _ in range(30):
            connection = stack.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            connection.connect(("127.0.0.1", server.port))
            connection.sendall(head * 20)
        assert answers_soon(server)


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
    assert answers_soon(server)
