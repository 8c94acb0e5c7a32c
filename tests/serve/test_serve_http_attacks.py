"""What must be refused, and what must survive: each a request to a real server, with the refusal expected of it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from kits.http import PAGES, Comparisons, Server, serving
from kits.trees import SECRET, with_ways_out, write_tree

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
    root = with_ways_out(folder, PAGES | {".env": SECRET, ".git/config": SECRET, "many.md": "# Many\n" * 2000})
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


@pytest.mark.parametrize(
    "path", [*GET_ROUTES[1:], *POST_ROUTES, f"/status?token={TOKEN}", f"/status?access_token={TOKEN}", "/health/"]
)
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


def test_without_the_token_it_is_told_that_the_server_lives_and_nothing_else(locked: Server) -> None:
    without = {"Authorization": None}
    answer = locked.ask("GET", "/health", headers=without)
    assert (answer.status, answer.json) == (200, {"status": "ok"})
    assert locked.ask("HEAD", "/health", headers=without).status == 200
    assert locked.ask("GET", "/health", headers={**without, "Host": "evil.example"}).status == 421
    assert locked.ask("GET", "/health", headers={**without, "Origin": "http://evil.example"}).status == 403
    assert locked.ask("POST", "/health", {}, without).status == 401
    for shown in ("Bearer wrong", f"Bearer {TOKEN}x"):
        assert locked.ask("GET", "/health", headers={"Authorization": shown}).status == 401


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


def test_an_address_of_ten_thousand_characters_is_refused(server: Server) -> None:
    assert server.get("/read", address="a/" * 5001).status == 422


def test_bytes_that_are_no_text_are_no_address(server: Server) -> None:
    for written in ("%ff%fe", "%00", "%ed%a0%80", "%e2%82"):
        assert 400 <= server.get(f"/read?address={written}").status < 500


def test_a_link_swapped_in_after_indexing_leads_nowhere(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", PAGES | {"swapped.md": "# Swapped\n\nBefore.\n", "sub/a.md": "# A\n"})
    write_tree(tmp_path, {"secret.md": SECRET, "elsewhere/a.md": SECRET})
    with serving(root) as server, contextlib.closing(Comparisons(server)) as comparisons:
        assert server.get("/read", address="swapped.md").status == 200
        (root / "swapped.md").unlink()
        (root / "swapped.md").symlink_to(tmp_path / "secret.md")
        (root / "sub" / "a.md").unlink()
        (root / "sub").rmdir()
        (root / "sub").symlink_to(tmp_path / "elsewhere")
        heard: set[str] = set()
        while True:  # before the server has noticed, in between, and afterwards
            for path in (
                "/read?address=swapped.md",
                "/read?address=sub/a.md",
                "/search?query=secret%20outside&anyway=1",
            ):
                assert SECRET not in server.get(path).body.decode()
            if heard >= {"swapped.md", "sub/a.md"}:
                break
            heard.update(comparisons.until_changed())
